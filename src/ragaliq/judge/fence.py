"""Defence against texts that speak to the judge: they stand between fences, and what could pass for form is broken.

An answer, a reference, a question and a passage are written by others. A judge may repeat one of them word for word
before its own verdict, so no such text may hold what our parser, our prompt or a chat template would understand.
"""

from __future__ import annotations

import hashlib

import regex

from ragaliq.judge.unmasked import unmask

# Part of every prompt's hash: another way to fence is another request.
VERSION = "1"
_LETTERS = 16
# Headings with which judge prompts in common use divide their parts, in our six languages.
_HEADINGS = (
    r"(?:score |scoring |grading )?rubrics?|instructions?|task(?: description)?|system|user|assistant|human|feedback"
    r"|response(?: to evaluate)?|reference(?: answer)?|answer(?: to grade)?|question|grade|verdict|result|end"
    r"|bewertungs\w+|anweisung(?:en)?|referenz\w*|antwort\w*|urteil|note|barème|consignes?|réponse\w*|référence|verdict"
    r"|rúbrica|instrucciones|respuesta\w*|referencia|veredicto|рубрика|инструкци\w+|ответ\w*|эталон\w*|оценка"
    r"|评分\w*|指示|说明|回答|参考答案|评语|结果"
)
# Each place to break is the group `at`, which takes in the backslashes that stand there already: one more leaves the
# same form with one backslash more, so that taking one away gives back the text. It comes at once behind a sign that no
# character holds together with others in NFKC, so that there is a place for it in the original; what follows is only
# looked at, since it may hold the next form.
_FORMS = regex.compile(
    "|".join(
        (
            # The marker, also misspelt as a judge may write it.
            r"[\[【〔⟦](?P<at>\\*)(?=\s*RESULT\s*[\]】〕⟧])",
            # The line of a fence; from its start alone, or an answer of nothing but these signs would take for ever.
            r"(?<!=)={4,}+(?P<at>\\*)(?=[^\S\n]*\w)",
            # Keys of the JSON that judges reply with.
            r'"(?P<at>\\*)(?=(?:grade|abstains|sentences)\\*"\s*:)',
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


def fence_word(seed: int, *texts: str) -> str:
    """Return the word that the lines between these texts begin with.

    It is a hash of the seed and of the texts as they came, so it is another one for each call, and the same request is
    the same bytes again: a random word would empty the cache of replies and make no two runs equal. Whoever writes one
    of the texts would need it to hold 64 bits of a hash of itself. And who found such a text would gain nothing: a
    run of equals signs with a word behind it is broken by `neutralise`, so no fenced text can hold any fence.
    """
    joined = "\0".join((str(seed), *texts)).encode("utf-8", "surrogatepass")
    return "=====" + hashlib.sha256(joined).hexdigest()[:_LETTERS]


def neutralise(text: str) -> str:
    r"""Return a text in which whatever could pass for form has a backslash: `[\RESULT]`, `<\|im_end|>`, `=====\ END`.

    Form is the marker of a verdict, a fence, a key of the JSON that judges reply with, a token of a chat template, a
    heading of a judge's prompt; also in full-width characters and with invisible ones between. All else stays as it is,
    in every script. A neutralised text holds no verdict for our parsers, and `restore` gives back the text.
    """
    broken, end = [], 0
    for place in _places(text):
        broken += [text[end:place], "\\"]
        end = place
    return "".join((*broken, text[end:]))


def restore(text: str) -> str:
    """Return the text that `neutralise` was given."""
    whole, end = [], 0
    for place in _places(text):
        if text[place : place + 1] == "\\":
            whole.append(text[end:place])
            end = place + 1
    return "".join((*whole, text[end:]))


def _places(text: str) -> list[int]:
    seen = unmask(text)
    return [seen.places[found.start("at")] for found in _FORMS.finditer(seen.text)]
