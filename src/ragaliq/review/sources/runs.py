"""Runs under review: their answers, and what they retrieved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.review.sampling import Place
from ragaliq.review.sheets import Change, Sheet, sheet_id_of
from ragaliq.review.sources.retrieved import RunRankings
from ragaliq.review.values import ReviewTask
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import RunAnswer
from ragaliq.storage.record_store import RecordStore


class Runs:
    """The runs under review: a run's folder, or a folder of them. Each is known by its folder's name."""

    def __init__(self, folder: Path, data: Path | None = None) -> None:
        """Open the runs; `data` is the benchmark where it is not at the path that a run names.

        Raises:
            InputError: if there is no run.
        """
        self.folder = folder
        is_run = (folder / "config.json").is_file()
        paths = [folder] if is_run else [path.parent for path in folder.glob("*/config.json")]
        if not paths:
            raise InputError(
                f"{folder}: neither a run (config.json is missing) nor a folder of runs nor a benchmark (bench.json is "
                "missing); check the path"
            )
        folders = {path.resolve().name: RunFolder(path) for path in paths}
        self.names = tuple(sorted(folders))
        # The run's name if the folder is itself a run.
        self.only = self.names[0] if is_run else ""
        self._answers: dict[str, RecordStore[RunAnswer]] = {name: run.answers() for name, run in folders.items()}
        self._retrieved = {name: RunRankings(run, data) for name, run in folders.items()}

    def places(self, task: ReviewTask, seed: int = 0) -> Iterator[Place]:
        """Yield what can be judged.

        Only answerable queries: the others enter no mean of grades. An answer whose reader failed is nothing to grade.
        """
        for name in self.names:
            answers = self._answers[name]
            for lang, query_id in answers:
                header = answers.header((lang, query_id))
                if header.answerable and (task is ReviewTask.LGTM or not header.failed):
                    yield Place(name, lang, query_id)

    def sheet(self, task: ReviewTask, place: Place) -> Sheet | None:
        """Return the sheet of one place; None if the run has no such answer any more."""
        answers = self._answers.get(place.run)
        if answers is None or (place.lang, place.query_id) not in answers:
            return None
        answered = answers[place.lang, place.query_id]
        query, reference, answer = answered.item.query, answered.item.reference, answered.answer.text
        if task is ReviewTask.LGTM:
            reference = answer = ""
            passages = self._retrieved[place.run].passages(place.lang, place.query_id)
        else:
            passages = tuple(hit.chunk.text for hit in answered.answer.context)
        # The context is there for reading; who saw another context and answered the same is graded the same.
        shown = passages if task is ReviewTask.LGTM else ()
        sheet_id = sheet_id_of(task, place.lang, place.query_id, query.text, reference, answer, *shown)
        return Sheet(sheet_id, place.query_id, place.lang, query.text, reference, answer, passages, (place,))

    def kind(self, task: ReviewTask, place: Place) -> str:
        """Return nothing: there are no kinds of answers."""
        return ""

    def urgent(self) -> frozenset[tuple[str, str]]:
        """Return nothing: answers are judged as they are drawn."""
        return frozenset()

    def apply(self, sheet: Sheet, change: Change) -> None:
        """Change nothing: a label says it all."""
