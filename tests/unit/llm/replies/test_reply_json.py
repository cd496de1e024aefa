"""The JSON of replies: one object, and messages in every shape."""

from __future__ import annotations

from typing import Any

from ragaliq.llm.replies.reply_json import message_parts, parse_object


def test_a_body_is_one_object() -> None:
    cases: list[tuple[str | bytes, dict[str, Any] | None]] = [
        ('{"choices": [1]}', {"choices": [1]}),
        (b'\xef\xbb\xbf{"choices": [1]}', {"choices": [1]}),
        (b'{"a": "\xff"}', {"a": "\ufffd"}),
        ('{"choices": [1], "choices": [1]}', None),
        ('{"data": [1], "data": [2]}', None),
        # Another object may have such a key, and a text the word.
        ('{"choices": [{"choices": 1}], "a": "\\"choices\\""}', {"choices": [{"choices": 1}], "a": '"choices"'}),
        ('{"id": 1, "id": 2}', {"id": 2}),
        ("[1]", None),
        ("<html>", None),
        ("", None),
        ("[" * 100_000, None),
    ]
    for body, value in cases:
        assert parse_object(body) == value, body[:40]


def test_a_message_has_text_thought_and_refusal() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "output_text", "text": "b"}, {"type": "image_url"}, "c", 7, None]
    thinking = [{"type": "thinking", "thinking": [{"type": "text", "text": "x"}]}, {"type": "text", "text": "a"}]
    details = [{"type": "reasoning.summary", "summary": "x"}, {"type": "reasoning.encrypted", "data": "gA"}]
    cases: list[tuple[dict[str, Any], tuple[str, str, str]]] = [
        ({"content": "a"}, ("a", "", "")),
        ({"content": parts}, ("abc", "", "")),
        ({"content": thinking}, ("a", "x", "")),
        ({"content": {"type": "text", "text": "a"}}, ("a", "", "")),
        ({"content": None, "refusal": "no"}, ("", "", "no")),
        ({"content": [{"type": "refusal", "refusal": "no"}]}, ("", "", "no")),
        ({"content": "a", "reasoning": "x", "reasoning_details": details}, ("a", "x", "")),
        ({"content": "a", "reasoning_details": details}, ("a", "x", "")),
        ({"content": "a", "reasoning": {"content": "x"}}, ("a", "x", "")),
        ({"content": "a", "reasoning_content": None, "thinking": "x"}, ("a", "x", "")),
        ({"content": "a", "reasoning": [[[[[["deep"]]]]]]}, ("a", "", "")),
        ({"content": 7, "reasoning": 7, "refusal": 7}, ("", "", "")),
    ]
    for message, expected in cases:
        assert message_parts(message) == expected, message
