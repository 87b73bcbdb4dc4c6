"""Bodies as programs send them to Anthropic and Google: what is read of each, and what is listed. As in
``bodies_of_openai``."""

from __future__ import annotations

import base64

from tests.engine.requests.bodies_of_openai import Body
from tests.engine.requests.test_bodies import SCHEMA
from tests.engine.requests.test_images import GIF, PNG

PNG_DATA = base64.b64encode(PNG).decode()

ANTHROPIC: dict[str, Body] = {
    "system blocks that are cached": (
        {"model": "claude-opus-4-1", "max_tokens": 100, "stop_sequences": ["END OF TEXT"],
         "metadata": {"user_id": "a b"},
         "thinking": {"type": "enabled", "budget_tokens": 2000}, "tool_choice": {"type": "auto"},
         "system": [{"type": "text", "text": "Be "},
                    {"type": "text", "text": "brief.", "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
         "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi", "cache_control": {"type": "x"}}]}],
         "tools": [{"name": "f", "description": "D", "input_schema": SCHEMA, "cache_control": {"type": "ephemeral"}}]},
        "anthropic", [("system", "Be brief.", 0, 0), ("user", "Hi", 0, 0)], {},
    ),
    "calls, results with images, thoughts": (
        {"model": "claude-sonnet-4-5", "messages": [
            {"role": "user", "content": "Look"},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": "Eq"}, {"type": "redacted_thinking", "data": "Em"},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "t1", "name": "look", "input": {}},
                {"type": "tool_use", "id": "t2", "name": "look", "input": {"city": "Paris"}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "no eyes"},
                {"type": "tool_result", "tool_use_id": "t2", "content": [
                    {"type": "text", "text": "seen"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG_DATA}}]},
                {"type": "tool_result", "tool_use_id": "t3"},
                {"type": "text", "text": "And now?"}]}]},
        "anthropic",
        [("user", "Look", 0, 0), ("assistant", "I look.", 0, 2), ("tool", "no eyes", 0, 0), ("tool", "seen", 1, 0),
         ("tool", "", 0, 0), ("user", "And now?", 0, 0)],
        {"messages[1].content[0]": "thinking", "messages[1].content[1]": "redacted_thinking"},
    ),
    "documents, images by URL and by file, search": (
        {"model": "claude-sonnet-4-5", "mcp_servers": [{"type": "url", "url": "https://example.org", "name": "a"}],
         "messages": [{"role": "user", "content": [
             {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"}},
             {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a text"}},
             {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
             {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
             {"type": "search_result", "source": "a", "title": "b", "content": []},
             {"type": "container_upload", "file_id": "file_2"}]}],
         "tools": [{"type": "web_search_20250305", "name": "web_search"}, {"type": "bash_20250124", "name": "bash"}],
         "output_format": {"type": "json_schema", "schema": SCHEMA}},
        "anthropic", [("user", "", 2, 0)],
        {"messages[0].content[0]": "document", "messages[0].content[1]": "document",
         "messages[0].content[4]": "search_result", "messages[0].content[5]": "container_upload",
         "tools[0]": "web_search_20250305", "tools[1]": "bash_20250124", "mcp_servers": "mcp_servers",
         "output_format": "schema of the reply"},
    ),
    "a reply that is begun, on Bedrock": (
        {"anthropic_version": "bedrock-2023-05-31", "anthropic_beta": ["a-2025"], "system": "S", "max_tokens": 1,
         "messages": [{"role": "user", "content": "JSON"}, {"role": "assistant", "content": "{"}]},
        "anthropic", [("system", "S", 0, 0), ("user", "JSON", 0, 0), ("assistant", "{", 0, 0)], {},
    ),
    "a tool with examples": (
        {"model": "claude-opus-4-5", "messages": [{"role": "user", "content": "Hi"}],
         "tools": [{"name": "f", "input_schema": SCHEMA, "input_examples": [{"city": "Paris"}]}]},
        "anthropic", [("user", "Hi", 0, 0)], {"tools[0].input_examples": "input_examples"},
    ),
    "an image alone is Anthropic's": (
        {"messages": [{"role": "user", "content": [
            {"type": "image", "source": {"type": "base64", "media_type": "image/gif",
                                         "data": base64.b64encode(GIF).decode()}}]}]},
        "anthropic", [("user", "", 1, 0)], {},
    ),
}  # fmt: skip

GEMINI: dict[str, Body] = {
    "settings, a schema for the reply, what is cached": (
        {"model": "models/gemini-2.5-pro", "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
         "generationConfig": {"temperature": 0, "stopSequences": ["a b"], "responseSchema": SCHEMA},
         "safetySettings": [{"category": "a", "threshold": "b"}], "cachedContent": "cachedContents/1",
         "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}},
        "gemini", [("user", "Hi", 0, 0)],
        {"cachedContent": "cached content", "generationConfig.responseSchema": "schema of the reply"},
    ),
    "instructions in parts": (
        {"systemInstruction": {"role": "system", "parts": [{"text": "Be "}, {"text": "brief."}]},
         "contents": {"parts": {"text": "Hi"}}},
        "gemini", [("system", "Be brief.", 0, 0), ("user", "Hi", 0, 0)], {},
    ),
    "lists of texts, as Google's library takes them": (
        {"model": "gemini-2.0-flash", "system_instruction": ["Be ", "brief."],
         "contents": ["What is", {"text": "this?"}, {"inline_data": {"mime_type": "image/png", "data": PNG_DATA}}]},
        "gemini", [("system", "Be brief.", 0, 0), ("user", "What is", 0, 0), ("user", "this?", 0, 0),
                   ("user", "", 1, 0)], {},
    ),
    "calls with signatures, and their results": (
        {"contents": [
            {"role": "user", "parts": [{"text": "Weather?"}]},
            {"role": "model", "parts": [
                {"text": "hm", "thought": True},
                {"functionCall": {"name": "weather", "args": {"city": "Paris"}}, "thoughtSignature": "CtQ"},
                {"functionCall": {"name": "weather"}}]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "weather", "response": {"result": "18 °C"}}},
                {"functionResponse": {"name": "weather", "response": {"result": "19 °C"}, "parts": [{"a": 1}]}}]}],
         "tools": [{"functionDeclarations": [{"name": "weather", "parametersJsonSchema": SCHEMA,
                                              "response": {"type": "OBJECT"}}]},
                   {"googleSearch": {}}, {"codeExecution": {}}]},
        "gemini",
        [("user", "Weather?", 0, 0), ("assistant", "", 0, 2), ("tool", '{"result": "18 °C"}', 0, 0),
         ("tool", '{"result": "19 °C"}', 0, 0)],
        {"contents[1].parts[0]": "thought", "contents[1].parts[1].thoughtSignature": "thoughtSignature",
         "contents[2].parts[1].functionResponse.parts": "parts",
         "tools[0].functionDeclarations[0].response": "response", "tools[1].googleSearch": "googleSearch",
         "tools[2].codeExecution": "codeExecution"},
    ),
    "video, audio, documents, code": (
        {"contents": [{"role": "user", "parts": [
            {"fileData": {"mimeType": "video/mp4", "fileUri": "gs://a"}, "videoMetadata": {"fps": 1}},
            {"inlineData": {"mimeType": "audio/mp3", "data": "UklG"}},
            {"inlineData": {"mimeType": "application/pdf", "data": "JVBE"}},
            {"fileData": {"mimeType": "image/jpeg", "fileUri": "gs://b"}},
            {"executableCode": {"language": "PYTHON", "code": "1"}},
            {"codeExecutionResult": {"outcome": "OK", "output": "1"}}]}]},
        "gemini", [("user", "", 1, 0)],
        {"contents[0].parts[0]": "fileData", "contents[0].parts[1]": "inlineData",
         "contents[0].parts[2]": "inlineData", "contents[0].parts[4]": "executableCode",
         "contents[0].parts[5]": "codeExecutionResult"},
    ),
}  # fmt: skip
