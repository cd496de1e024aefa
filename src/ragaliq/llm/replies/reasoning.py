"""A model's text, split into its answer and what it thought before."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import regex

from ragaliq.llm.replies.mentions import NEAR, fences, surroundings

# How much more room a model gets that thinks before it writes, and where that ends.
_ROOM, _MOST_TOKENS = 8, 16_384
_NAME = r"(?:think(?:ing)?|thoughts?|reasoning|reflection)"
_TO_MESSAGE = r"[^<\n]{0,80}(?:<\|constrain\|>[^<\n]{0,20})?<\|message\|>"
# Quantifiers are bounded, so that a search takes linear time. Of a tag the name may have a namespace (`<seed:think>`,
# `<mm:think>`, `<ifm|think>`) or a suffix (`<think:opensource>`).
_OPEN = "|".join((
    rf"<\s?(?:[\w.-]{{1,20}}[:|])?{_NAME}(?::\w{{1,20}})?(?:\s[^<>\n]{{0,80}})?>",
    r"\[think(?:ing)?\]|◁think(?:ing)?▷|<\|inner_prefix\|>",
    rf"<\|(?:(?:begin|start)[_▁](?:of[_▁])?)?{_NAME}\|>",
    rf"<\|channel\|>\s?(?:analysis|commentary|thought){_TO_MESSAGE}|<\|channel>\s?(?:thought|analysis)\b",
))  # fmt: skip
_CLOSE = "|".join((
    rf"<\s?/\s?(?:[\w.-]{{1,20}}[:|])?{_NAME}(?::\w{{1,20}})?\s?>",
    r"\[/think(?:ing)?\]|◁/think(?:ing)?▷|<\|inner_suffix\|>",
    rf"<\|(?:end|stop)[_▁](?:of[_▁])?{_NAME}\|>|<(?:/\||\|/){_NAME}\|>",
    rf"<\|channel\|>\s?final{_TO_MESSAGE}|<channel\|>",
))  # fmt: skip
_TAG = regex.compile(f"(?P<open>{_OPEN})|(?P<close>{_CLOSE})", regex.IGNORECASE)
_OPENED = regex.compile(rf"(?:{_OPEN})\s*$", regex.IGNORECASE)
# Forms in plain words: Granite 3.2, and gpt-oss where its special tokens are left out.
_HEADINGS = (
    (r"\s*here(?: is|['’]s) my thought process:", r"here(?: is|['’]s) my response:", regex.IGNORECASE),
    (r"\s*analysis(?=\p{Lu}|assistantfinal)", r"assistantfinal", 0),
)
_WORDS = tuple((regex.compile(start, flags), regex.compile(end, flags)) for start, end, flags in _HEADINGS)
# What such models write around the answer; taken away only where there is a thought, too.
_AROUND = r"(?:answer|response|output)"
_LEADING = regex.compile(
    rf"(?:\s|<\|(?:start|end|return)\|>(?:assistant)?|<\|start_(?:response|text)\|>|<\|begin_of_(?:solution|box)\|>"
    rf"|<{_AROUND}>)*+",
    regex.IGNORECASE,
)
_TRAILING = regex.compile(
    rf"(?:\s*(?:<\|(?:end|return|start)\|>(?:assistant)?|<\|end_(?:response|text)\|>|<\|end_of_(?:solution|box)\|>"
    rf"|</{_AROUND}>)){{1,4}}\s*\Z",
    regex.IGNORECASE,
)
_BETWEEN = regex.compile(r"(?:\s|<\|(?:end|start|return)\|>(?:assistant)?)*+", regex.IGNORECASE)
_JSON_FROM = regex.compile(r"\s*+\{")


@dataclass(frozen=True, slots=True)
class Split:
    """A model's text in two.

    Attributes:
        answer: the text itself where it holds no thought.
        thought: without the tags around it.
        is_open: whether a thought never ends, so that the answer was not reached.
        start: where in the text the answer begins; `end` likewise.
    """

    answer: str
    thought: str
    is_open: bool
    start: int
    end: int


def split_reasoning(text: str) -> Split:
    """Return the answer and the thought of a model's text.

    A thought stands at the beginning of the text or of a line, or in a channel of its own, between the tags of a known
    form; a tag that closes what was not opened ends one, since chat templates may open it. What is quoted, in code, in
    a JSON object, or in the middle of a sentence is a mention, and stays.
    """
    spans, is_open = _spans_in_words(text) or _spans(text)
    if not spans or _is_json(text):
        return Split(text, "", False, 0, len(text))
    bounds = [0, *(place for span in spans for place in span), len(text)]
    parts = [_trimmed(text, start, end) for start, end in zip(bounds[::2], bounds[1::2], strict=True)]
    parts = [part for part in parts if part[0] < part[1]] or [(len(text), len(text))]
    thoughts = [_TAG.sub("", text[start:end]) for start, end in spans]
    thoughts = [thought[slice(*_trimmed(thought, 0, len(thought)))] for thought in thoughts]
    answer = "\n\n".join(text[start:end] for start, end in parts)
    return Split(answer, joined_thoughts(*thoughts), is_open, parts[0][0], parts[-1][1])


def joined_thoughts(*thoughts: str) -> str:
    """Return several thoughts as one text."""
    return "\n\n".join(thought for thought in thoughts if thought)


def opened_by(prompt: str) -> str:
    """Return the tag at the end of a prompt that opens a thought; empty if there is none."""
    tag = _OPENED.search(prompt[-NEAR:])
    return tag[0] if tag else ""


def is_mark(token: str) -> bool:
    """Return whether a token of its own marks a thought, so that its text must not be left out."""
    return token in ("<|channel|>", "<|message|>", "<|channel>") or _TAG.fullmatch(token) is not None


def is_in_thought(text: str, place: int) -> bool:
    """Return whether a place of a text that was split may still be in a thought: a tag opens before it, or any follows.

    For what must never be read from a thought; it takes more for a tag than `split_reasoning` does.
    """
    last = None
    for tag in _TAG.finditer(text):
        if tag.start() >= place:
            return True
        if not surroundings(text, *tag.span()).is_quoted:
            last = tag
    return last is not None and last["open"] is not None


def kept_tokens(tokens: Sequence[str], text: str, split: Split) -> slice:
    """Return which of a text's tokens are those of its answer; tokens may be parts of characters."""
    written, answer = "".join(tokens), text[split.start : split.end]
    at = written.rfind(answer) if answer else len(written)
    # Counted from the end if the tokens do not add up to the text; a text without a thought may be all of it.
    at = at if at >= 0 else max(0, len(written) - (len(text) - split.start)) if split.start else 0
    ends = list(accumulate(map(len, tokens)))
    # What comes behind the text, as a token of its end, stays where nothing was taken away there.
    last = len(tokens) if split.end == len(text) else bisect_left(ends, at + len(answer)) + 1
    return slice(bisect_right(ends, at), last)


def thinking_limit(max_tokens: int) -> int:
    """Return how many tokens a reply may have whose model thinks; `max_tokens` is what the answer may have."""
    return max(max_tokens, min(_ROOM * max_tokens, _MOST_TOKENS))


def _spans(text: str) -> tuple[list[tuple[int, int]], bool]:
    """Return where thoughts are, tags included, and whether the last one is open."""
    spans: list[tuple[int, int]] = []
    opened, n_opened = list[str](), Counter[str]()
    # Of tags that begin no line: where a thought may begin behind a sentence, and how many are mentions.
    behind_text, n_mentioned = dict[str, int](), Counter[str]()
    tags, is_fenced = list(_TAG.finditer(text)), fences(text)
    last_close = next((tag.start() for tag in reversed(tags) if tag["close"]), -1)
    begin, last_end, looked = 0, 0, False
    for tag in tags:
        (start, end), around, family = tag.span(), surroundings(text, *tag.span()), _family(tag[0])
        # What has begun needs an end: the last one is it, though quotes may stand around it.
        needed = start == last_close and n_opened[family]
        if not needed and (around.is_quoted or is_fenced(start)):
            continue
        if tag["open"]:
            follows = start - last_end < NEAR and _BETWEEN.fullmatch(text, last_end, start) is not None
            channel = family == "channel"
            # Templates and models both write the tag that begins a reply: twice is once.
            again = n_opened[family] and (follows or channel)
            if again:
                continue
            if not (follows or channel or around.begins_line):
                if opened:
                    continue
                if around.follows_sentence:
                    behind_text[family] = start
                else:
                    n_mentioned[family] += 1
                continue
            begin = begin if opened else start
            opened.append(family)
            n_opened[family] += 1
        elif n_opened[family]:
            _close(opened, n_opened, family)
            spans += [] if opened else [(begin, end)]
        elif opened or around.is_explained:
            continue
        elif family in behind_text:
            spans.append((behind_text.pop(family), end))
        elif n_mentioned[family]:
            n_mentioned[family] -= 1
            continue
        else:
            # Nothing opened it: all before it is thought, even what followed another end.
            spans = [(0, end)]
        last_end = end
        # What a JSON object holds are mentions. Looked at once, since it takes the time of the whole text.
        if not opened and not looked and _JSON_FROM.match(text, end):
            looked = True
            if _is_json(text[end:]):
                break
    return ([*spans, (begin, len(text))], True) if opened else (spans, False)


def _close(opened: list[str], n_opened: Counter[str], family: str) -> None:
    last = ""
    while last != family:
        last = opened.pop()
        n_opened[last] -= 1


def _spans_in_words(text: str) -> tuple[list[tuple[int, int]], bool] | None:
    for start, end in _WORDS:
        if start.match(text):
            found = end.search(text)
            return ([(0, found.end() if found else len(text))], found is None)
    return None


def _family(tag: str) -> str:
    """Return which tags close each other: models mix `<thinking>` and `</think>`, but not with a reflection inside."""
    lower = tag.lower()
    return next((name for name in ("channel", "reason", "reflect", "inner") if name in lower), "think")


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span less the blanks and the forms around an answer."""
    leading = _LEADING.match(text, start, end)
    start = leading.end() if leading else start
    window = max(start, end - 2 * NEAR)
    trailing = _TRAILING.search(text[window:end])
    end = window + trailing.start() if trailing else end
    return start, max(start, start + len(text[start:end].rstrip()))


def _is_json(text: str) -> bool:
    if not text.lstrip().startswith("{"):
        return False
    try:
        return isinstance(json.loads(text, strict=False), dict)
    except (ValueError, RecursionError):
        return False
