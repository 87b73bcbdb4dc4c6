"""Bodies as programs send them to OpenAI, and to whoever is built like it: what is read of each, and what is listed.

Of each: the API, the messages as (role, content, images, calls), and what is not counted, by place.
"""

from __future__ import annotations

from typing import Any

from tests.engine.requests.test_bodies import PNG_URL, SCHEMA

Body = tuple[Any, str, list[tuple[str, str, int, int]], dict[str, str]]

WEATHER_CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Paris"}'}}
FUNCTION = {"type": "function", "function": {"name": "weather", "description": "Now.", "parameters": SCHEMA}}

CHATS: dict[str, Body] = {
    "settings of every kind": (
        {
            "model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}], "temperature": 0.2, "n": 1,
            "max_completion_tokens": 50, "stop": ["\n\n", "END OF TEXT"], "stream": True, "logit_bias": {"50256": -100},
            "stream_options": {"include_usage": True}, "metadata": {"team": "a b"}, "user": "someone 17", "seed": 1,
            "tool_choice": {"type": "function", "function": {"name": "f"}}, "reasoning_effort": "low", "store": None,
        },
        "openai-chat", [("user", "Hi", 0, 0)], {},
    ),
    "developer role, null content, parallel calls, results": (
        {
            "model": "o3-mini",
            "messages": [
                {"role": "developer", "content": [{"type": "text", "text": "Use "},
                                                  {"type": "text", "text": "tools."}]},
                {"role": "user", "content": "Weather?"},
                {"role": "assistant", "content": None, "refusal": None, "annotations": [], "audio": None,
                 "tool_calls": [WEATHER_CALL, WEATHER_CALL | {"id": "call_2"}]},
                {"role": "tool", "tool_call_id": "call_1", "content": "18 °C"},
                {"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "19 °C"}]},
            ],
            "tools": [FUNCTION], "parallel_tool_calls": True,
        },
        "openai-chat",
        [("developer", "Use tools.", 0, 0), ("user", "Weather?", 0, 0), ("assistant", "", 0, 2),
         ("tool", "18 °C", 0, 0), ("tool", "19 °C", 0, 0)], {},
    ),
    "functions as they once were": (
        {
            "model": "gpt-3.5-turbo-0613", "function_call": {"name": "weather"}, "functions": [FUNCTION["function"]],
            "messages": [
                {"role": "user", "content": "Weather?"},
                {"role": "assistant", "content": None, "function_call": {"name": "weather", "arguments": "{}"}},
                {"role": "function", "name": "weather", "content": "18 °C"},
            ],
        },
        "openai-chat", [("user", "Weather?", 0, 0), ("assistant", "", 0, 1), ("function", "18 °C", 0, 0)], {},
    ),
    "images by URL and embedded": (
        {"model": "gpt-4o", "messages": [{"role": "user", "content": [
            {"type": "text", "text": "Compare."},
            {"type": "image_url", "image_url": {"url": "https://example.org/a.jpg"}},
            {"type": "image_url", "image_url": {"url": PNG_URL, "detail": "high"}},
            {"type": "image_url", "image_url": PNG_URL},
        ]}]},
        "openai-chat", [("user", "Compare.", 3, 0)], {},
    ),
    "audio and files": (
        {"model": "gpt-4o-audio-preview", "modalities": ["text", "audio"], "audio": {"voice": "alloy", "format": "wav"},
         "messages": [
             {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "UklG", "format": "wav"}},
                                          {"type": "file", "file": {"file_id": "file-1"}}]},
             {"role": "assistant", "audio": {"id": "audio_1"}},
         ]},
        "openai-chat", [("user", "", 0, 0), ("assistant", "", 0, 0)],
        {"messages[0].content[0]": "input_audio", "messages[0].content[1]": "file", "messages[1].audio": "audio"},
    ),
    "refusals": (
        {"messages": [
            {"role": "user", "content": "No."},
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "I can't."}]},
            {"role": "assistant", "content": None, "refusal": "Nor can I."},
        ]},
        "openai-chat",
        [("user", "No.", 0, 0), ("assistant", "I can't.", 0, 0), ("assistant", "Nor can I.", 0, 0)], {},
    ),
    "a schema for the reply, a prediction, a search": (
        {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}],
         "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": SCHEMA, "strict": True}},
         "prediction": {"type": "content", "content": "all of a file"},
         "web_search_options": {"search_context_size": "low"}},
        "openai-chat", [("user", "Hi", 0, 0)],
        {"response_format": "schema of the reply", "prediction": "prediction",
         "web_search_options": "web_search_options"},
    ),
    "a form of the reply without a schema": (
        {"messages": [{"role": "user", "content": "JSON"}], "response_format": {"type": "json_object"}},
        "openai-chat", [("user", "JSON", 0, 0)], {},
    ),
    "calls of custom tools": (
        {"model": "gpt-5", "messages": [
            {"role": "assistant", "content": "", "tool_calls": [
                {"id": "c", "type": "custom", "custom": {"name": "shell", "input": "ls"}}]}],
         "tools": [{"type": "custom", "custom": {"name": "shell"}}]},
        "openai-chat", [("assistant", "", 0, 0)],
        {"messages[0].tool_calls[0]": "custom", "tools[0]": "custom"},
    ),
    "reasoning that is sent back": (
        {"model": "deepseek-reasoner", "messages": [
            {"role": "user", "content": "2+2?"},
            {"role": "assistant", "content": "4", "reasoning_content": "hm", "prefix": True}]},
        "openai-chat", [("user", "2+2?", 0, 0), ("assistant", "4", 0, 0)],
        {"messages[1].reasoning_content": "reasoning_content"},
    ),
    "Claude in OpenAI's form": (
        {"model": "claude-sonnet-4-5", "tools": [FUNCTION], "messages": [
            {"role": "system", "content": [{"type": "text", "text": "S", "cache_control": {"type": "ephemeral"}}]},
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "content": None, "tool_calls": [WEATHER_CALL]},
            {"role": "tool", "tool_call_id": "call_1", "content": "18 °C"}]},
        "openai-chat",
        [("system", "S", 0, 0), ("user", "Weather?", 0, 0), ("assistant", "", 0, 1), ("tool", "18 °C", 0, 0)], {},
    ),
    "a line of preference tuning": (
        {"input": {"messages": [{"role": "user", "content": "Hi"}], "tools": []},
         "preferred_output": [{"role": "assistant", "content": "Hello."}],
         "non_preferred_output": [{"role": "assistant", "content": "What?"}]},
        "openai-chat", [("user", "Hi", 0, 0)],
        {"preferred_output": "preferred_output", "non_preferred_output": "non_preferred_output"},
    ),
    "Ollama's images": (
        {"model": "llava", "messages": [{"role": "user", "content": "What?", "images": ["iVBORw0KGgo="]}],
         "options": {"num_ctx": 4096}},
        "openai-chat", [("user", "What?", 0, 0)], {"messages[0].images": "images", "options": "options"},
    ),
}  # fmt: skip

RESPONSES: dict[str, Body] = {
    "a text alone": (
        {"model": "gpt-5", "input": "Hi there", "reasoning": {"effort": "low"}, "text": {"verbosity": "low"}},
        "openai-responses", [("user", "Hi there", 0, 0)], {},
    ),
    "a turn with reasoning and calls": (
        {"model": "gpt-5", "instructions": "Be brief.", "store": False, "include": ["reasoning.encrypted_content"],
         "input": [
             {"role": "user", "content": "Weather?"},
             {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}],
              "encrypted_content": "gAAA"},
             {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "weather", "arguments": "{}",
              "status": "completed"},
             {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "18 °C"}]},
             {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
              "content": [{"type": "output_text", "text": "Mild.", "annotations": []}]},
         ],
         "tools": [{"type": "function", "name": "weather", "strict": True, "parameters": SCHEMA}]},
        "openai-responses",
        [("developer", "Be brief.", 0, 0), ("user", "Weather?", 0, 0), ("assistant", "", 0, 1), ("tool", "18 °C", 0, 0),
         ("assistant", "Mild.", 0, 0)],
        {"input[1]": "reasoning"},
    ),
    "images, files, a refusal": (
        {"model": "gpt-4.1", "input": [
            {"role": "user", "content": [
                {"type": "input_image", "image_url": PNG_URL, "detail": "low"},
                {"type": "input_image", "file_id": "file-9"},
                {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBE"},
                {"type": "input_audio", "input_audio": {"data": "UklG", "format": "mp3"}}]},
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "I can't."}]}]},
        "openai-responses", [("user", "", 2, 0), ("assistant", "I can't.", 0, 0)],
        {"input[0].content[2]": "input_file", "input[0].content[3]": "input_audio"},
    ),
    "what is kept on the server": (
        {"model": "gpt-5", "input": [{"type": "item_reference", "id": "msg_1"}, {"role": "user", "content": "Go on"}],
         "previous_response_id": "resp_1", "conversation": {"id": "conv_1"}},
        "openai-responses", [("user", "Go on", 0, 0)],
        {"previous_response_id": "an earlier response", "conversation": "an earlier conversation",
         "input[0]": "item_reference"},
    ),
    "a prompt that is kept on the server": (
        {"model": "gpt-5", "prompt": {"id": "pmpt_1", "variables": {"city": "Paris"}}},
        "openai-responses", [], {"prompt": "prompt"},
    ),
    "tools of the house, and a schema": (
        {"model": "gpt-5", "input": "Find it", "tools": [
            {"type": "web_search"}, {"type": "file_search", "vector_store_ids": ["vs_1"]},
            {"type": "mcp", "server_label": "a", "server_url": "https://example.org"},
            {"type": "code_interpreter", "container": {"type": "auto"}}],
         "text": {"format": {"type": "json_schema", "name": "a", "schema": SCHEMA}}},
        "openai-responses", [("user", "Find it", 0, 0)],
        {"tools[0]": "web_search", "tools[1]": "file_search", "tools[2]": "mcp", "tools[3]": "code_interpreter",
         "text.format": "schema of the reply"},
    ),
    "calls of the house": (
        {"model": "computer-use-preview", "truncation": "auto", "input": [
            {"role": "user", "content": "Click"},
            {"type": "computer_call", "call_id": "c1", "action": {"type": "click", "x": 1, "y": 2}},
            {"type": "computer_call_output", "call_id": "c1", "output": {"type": "computer_screenshot",
                                                                        "image_url": PNG_URL}},
            {"type": "custom_tool_call", "call_id": "c2", "name": "shell", "input": "ls"},
            {"type": "custom_tool_call_output", "call_id": "c2", "output": "a.txt"}]},
        "openai-responses", [("user", "Click", 0, 0)],
        {"input[1]": "computer_call", "input[2]": "computer_call_output", "input[3]": "custom_tool_call",
         "input[4]": "custom_tool_call_output"},
    ),
}  # fmt: skip
