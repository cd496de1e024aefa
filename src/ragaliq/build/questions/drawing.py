"""Which of the questions that people asked become candidates: repetitions are left out, samples are drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragaliq.build.candidates import ASKED, LOG, PEOPLE
from ragaliq.build.context import BuildContext
from ragaliq.build.documents.language import main_language
from ragaliq.build.near_texts import NearTexts, folded_text
from ragaliq.build.plan import draw
from ragaliq.build.questions.asked_row import AskedRow
from ragaliq.build.questions.reading import read_questions
from ragaliq.build.questions.scrub import hook_hash, scrubbed
from ragaliq.build.settings import Questions
from ragaliq.build.stage_row import StageRow, content_hash
from ragaliq.storage.files import read_text
from ragaliq.text.language import SUPPORTED, identify, likeliest
from ragaliq.text.terms import base_language

_PREFIXES = {PEOPLE: "p", LOG: "l"}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question: the number of its file, and its row so far."""

    file: int
    row: StageRow

    @property
    def text(self) -> str:
        return str(self.row.value["text"])


def drawn_questions(context: BuildContext, langs: Sequence[str]) -> list[StageRow]:
    """Return a row for each row of the files that `questions` names: kept, or removed with its reason.

    Ids follow from the content, after scrubbing, so neither the order of rows nor other rows matter. Of questions that
    are equal or near duplicates, over all files, one is kept, those of the earlier version before others, those with
    answers before logs, then file by file, then in an order drawn by the seed; `times` counts the rows of the file that
    ask it in equal words. From a file with `sample`, each language gets its share of the draws by its number of
    different questions, at least one if there is room. Only id and language are kept of a question that is not drawn.

    Raises:
        InputError: if a file or a hook cannot be used.
    """
    entries: list[_Asked] = []
    for number, settings in enumerate(context.settings.questions):
        rows = read_questions(context.workspace.path / settings.path, settings)
        cleaned = (_row(scrubbed(row, settings.scrub), row, settings, langs) for row in rows)
        # Sorted, so that the order of a file's rows decides nothing.
        entries += [_Asked(number, row) for row in sorted(cleaned, key=_content)]
    seed = context.settings.seed
    before = {row.item_id.partition("~")[0] for row in context.earlier.kept("generate")}
    entries.sort(
        key=lambda one: (
            one.row.item_id not in before, one.row.value["origin"] != PEOPLE, one.file, draw(seed, one.row.item_id)
        )
    )  # fmt: skip
    entries = _numbered(entries)
    removed = [one.row for one in entries if not one.row.kept]
    fitting = [one for one in entries if one.row.kept]
    drawer = _Drawer(context, fitting)
    return removed + [drawer.drawn(one) for one in fitting]


def questions_hash(context: BuildContext) -> str:
    """Return a hash of the files of questions and of the hooks; empty if no file is named."""
    files = context.settings.questions
    texts = [[read_text(context.workspace.path / one.path), hook_hash(one.scrub)] for one in files]
    return content_hash(texts) if texts else ""


def _numbered(entries: Sequence[_Asked]) -> list[_Asked]:
    """Return the entries with the number behind the id of each that is not the first of its content."""
    known: Counter[tuple[str, str]] = Counter()
    numbered = []
    for one in entries:
        known[one.row.lang, one.row.item_id] += 1
        number = known[one.row.lang, one.row.item_id]
        row = one.row if number == 1 else replace(one.row, item_id=f"{one.row.item_id}-{number}")
        numbered.append(replace(one, row=row))
    return numbered


def _content(row: StageRow) -> tuple[str, str, str]:
    return row.item_id, row.value["text"], row.value["reference"]


def _row(row: AskedRow, original: AskedRow, settings: Questions, langs: Sequence[str]) -> StageRow:
    origin = LOG if row.answer is None else PEOPLE
    lang = _language(row, settings, langs)
    answer = row.answer or ""
    item_id = f"{_PREFIXES[origin]}{content_hash([lang, folded_text(row.text), folded_text(answer)])[:12]}"
    value = {"text": row.text, "reference": answer, "type": ASKED, "origin": origin, "gold": []}
    reason, detail = "", ""
    if not row.text:
        reason = "scrubbed away" if original.text else "no question"
    elif origin == PEOPLE and not answer:
        reason = "scrubbed away" if original.answer else "no accepted answer"
    elif lang not in langs:
        reason, detail = "no documents in its language", f"documents: {', '.join(langs)}"
    return StageRow(item_id, lang, value, reason, detail)


def _language(row: AskedRow, settings: Questions, langs: Sequence[str]) -> str:
    """Return the language of a row: its cell, `language`, or the recognised one (a known one for short texts)."""
    named = row.lang or settings.language
    if named:
        return base_language(named) if named not in langs and base_language(named) in langs else named
    recognised = identify(row.text, langs)
    if recognised is None and {base_language(lang) for lang in langs} & SUPPORTED:
        return likeliest(row.text, langs)
    by_base = {base_language(lang): lang for lang in reversed(langs)}
    return by_base.get(recognised or "", recognised or next(iter(langs), main_language()[0]))


class _Drawer:
    """Decides on questions one by one, in their order."""

    def __init__(self, context: BuildContext, entries: Sequence[_Asked]) -> None:
        least = context.settings.near_duplicate
        texts: dict[str, list[str]] = {}
        for one in entries:
            texts.setdefault(one.row.lang, []).append(one.text)
        self._near = {lang: NearTexts(listed, least) for lang, listed in texts.items()}
        self._times = Counter((one.file, one.row.lang, folded_text(one.text)) for one in entries)
        self._seed = context.settings.seed
        self._rooms: dict[int, Mapping[str, int]] = {}
        self._different: dict[int, Counter[str]] = {}
        for number, settings in enumerate(context.settings.questions):
            different = Counter(lang for file, lang, _ in self._times if file == number)
            self._different[number] = different
            if settings.sample:
                self._rooms[number] = allotted(different, settings.sample)
        self._taken: Counter[tuple[int, str]] = Counter()
        self._texts: set[tuple[str, str]] = set()

    def drawn(self, one: _Asked) -> StageRow:
        """Return the row of a question with the decision."""
        row, lang = one.row, one.row.lang
        room = self._rooms[one.file][lang] if one.file in self._rooms else None
        near = next(iter(self._near[lang].near(one.text)), None)
        if near is not None:
            reason = "repeated" if (lang, folded_text(one.text)) in self._texts else "near duplicate"
            return replace(row, reason=reason, detail=f"{near.key} ({near.value:.2f})")
        if room is not None and self._taken[one.file, lang] >= room:
            return replace(row, value={**row.value, "text": "", "reference": ""}, reason="not drawn")
        self._taken[one.file, lang] += 1
        self._near[lang].add(row.item_id, one.text)
        self._texts.add((lang, folded_text(one.text)))
        return replace(row, value={**row.value, **self._provenance(one, room)})

    def _provenance(self, one: _Asked, room: int | None) -> dict[str, Any]:
        lang = one.row.lang
        times = {"times": self._times[one.file, lang, folded_text(one.text)]}
        if room is None:
            return times
        return {**times, "sample": {"seed": self._seed, "drawn": room, "of": self._different[one.file][lang]}}


def allotted(sizes: Mapping[str, int], n: int) -> dict[str, int]:
    """Return how many of n each stratum gets: its share of the whole by largest remainders, at least 1, at most all.

    Where n is less than the number of strata, the largest get 1 each; of equals the first in the alphabet.
    """
    names = sorted(sizes, key=lambda name: (-sizes[name], name))
    rooms = {name: int(place < n) for place, name in enumerate(names)}
    total = sum(sizes.values())
    for _ in range(min(n, total) - sum(rooms.values())):
        open_names = [name for name in names if rooms[name] < sizes[name]]
        # The stratum that is furthest below its share.
        rooms[max(open_names, key=lambda name: sizes[name] / total * n - rooms[name])] += 1
    return rooms
