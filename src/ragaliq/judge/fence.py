"""Defence against texts that speak to the judge: they are fenced, and what could be taken for markup is broken.

An answer, a reference, a question and a passage are written by others. A judge may repeat one of them word for word
before its own verdict, so no such text may hold what our parser, our prompt or a chat template would understand.
"""

from __future__ import annotations

from collections.abc import Sequence

import regex

from ragaliq.judge.unmasked import unmask

# Part of every prompt's hash: another way to fence is another request.
VERSION = "2"
# Headings with which judge prompts in common use divide their parts, in our six languages.
_HEADINGS = (
    r"(?:score |scoring |grading )?rubrics?|instructions?|task(?: description)?|system|user|assistant|human|feedback"
    r"|response(?: to evaluate)?|reference(?: answer)?|answer(?: to grade)?|question|grade|verdict|result|end"
    r"|bewertungs\w+|anweisung(?:en)?|referenz\w*|antwort\w*|urteil|note|barème|consignes?|réponse\w*|référence|verdict"
    r"|rúbrica|instrucciones|respuesta\w*|referencia|veredicto|рубрика|инструкци\w+|ответ\w*|эталон\w*|оценка"
    r"|评分\w*|指示|说明|回答|参考答案|评语|结果"
)
# Each place to break is the group `at`, which takes in the backslashes that are there already, so that taking one away
# gives back the text. It comes right after a sign that no character holds together with others in NFKC, so that it has
# a place in the original; what follows is only looked at, since it may hold the next form.
_FORMS = regex.compile(
    "|".join(
        (
            # The markers, also misspelt as a judge may write them.
            r"[\[【〔⟦](?P<at>\\*)(?=\s*(?:RESULT|REFUSES)\s*[\]】〕⟧])",
            # The line of a fence; only from its start, or a text of nothing but these signs would take quadratic time.
            r"(?<!=)={4,}+(?P<at>\\*)(?=[^\S\n]*\w)",
            # Keys of the JSON that judges reply with.
            r'"(?P<at>\\*)(?=(?:grade|refuses|abstains|sentences)\\*"\s*:)',
            # Tokens of chat templates.
            r"<(?P<at>\\*)(?=\|[\w /.:▁-]{1,60}\|>)",
            r"<(?P<at>\\*)(?=/?(?:start_of_turn|end_of_turn|bos|eos|s|think)>)",
            r"<<(?P<at>\\*)(?=/?SYS>>)",
            r"\[(?P<at>\\*)(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS)\])",
            # Headings of a prompt.
            rf"^[^\S\n]*\#{{2,}}(?P<at>\\*)(?=[^\S\n]*(?:{_HEADINGS})[\s:：*\#]*$)",
        )
    ),
    regex.IGNORECASE | regex.MULTILINE,
)


def neutralise(text: str) -> str:
    r"""Return a text in which whatever could pass for form has a backslash: `[\RESULT]`, `<\|im_end|>`, `=====\ END`.

    Form is a marker of a verdict, a fence, a key of the JSON that judges reply with, a token of a chat template, a
    heading of a judge's prompt; also in full-width characters and with invisible ones between. All else stays as it is,
    in every script. A neutralised text holds no verdict for our parsers.
    """
    seen = unmask(text)
    broken, end = [], 0
    for form in _FORMS.finditer(seen.text):
        place = seen.places[form.start("at")]
        broken += [text[end:place], "\\"]
        end = place
    return "".join((*broken, text[end:]))


def fenced_list(word: str, label: str, texts: Sequence[str]) -> str:
    """Return neutralised texts, each behind a line of the fence with the label and its number from 1."""
    return "\n".join(f"{word} {label} {number}\n{neutralise(text)}" for number, text in enumerate(texts, start=1))
