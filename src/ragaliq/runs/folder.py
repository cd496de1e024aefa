"""A run on disk: one folder with its configuration, answers, verdicts, timings and metrics.

While a run works, `answers.jsonl` and `verdicts.jsonl` are journals: one durable line per finished item, a later line
for the same item replaces the earlier. At the end both are rewritten, sorted by language and query id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.execution.progress import say
from ragaliq.runs.manifests import changed_place, continuation_notes, continued, with_earlier_parts
from ragaliq.runs.rows import ANSWERS, VERDICTS, RunAnswer
from ragaliq.runs.shapes import ANSWER, CONFIG, TIMING, VERDICT
from ragaliq.storage.files import is_draft, write_json
from ragaliq.storage.foreign import is_rows_of, refuse_foreign
from ragaliq.storage.journal import journal_lines, read_journal
from ragaliq.storage.lock import locked
from ragaliq.storage.own_json import check_row, read_own_json
from ragaliq.storage.record_store import Key, RecordStore
from ragaliq.types import Verdict


class RunFolder:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config_file = path / "config.json"
        self.answers_file = path / "answers.jsonl"
        self.verdicts_file = path / "verdicts.jsonl"
        self.regrading_file = path / "verdicts.regrading.jsonl"
        self.timings_file = path / "timings.jsonl"
        self.metrics_file = path / "metrics.json"
        self.controls_file = path / "controls.json"
        self.checks_file = path / "checks.jsonl"
        self.nuggets_file = path / "nugget_scores.jsonl"
        self.context_file = path / "context_scores.jsonl"
        self.waterfall_file = path / "waterfall.jsonl"
        self.traces_file = path / "traces.jsonl"
        self.errors_file = path / "errors.log"

    def __str__(self) -> str:
        return str(self.path)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes out of the run while this one writes it.

        Raises:
            InputError: if another process is at work here.
        """
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"{self.path}: is a file; give a folder with --out")
        busy, remedy = "another process is at work on this run; wait for it", "give another folder"
        with locked(self.path, str(self.path), busy=busy, remedy=remedy, folder=True):
            yield

    def retrieval_file(self, lang: str) -> Path:
        """Return the TREC run of one language."""
        return self.path / f"retrieval.{lang}.trec"

    def retrieved_file(self, lang: str) -> Path:
        """Return the TREC run before the reranker; only a run with a reranker has one."""
        return self.path / f"retrieved.{lang}.trec"

    def open(self, manifest: Mapping[str, Any], fresh: bool = False) -> None:
        """Begin the run, or go on with it, and write its configuration.

        Args:
            manifest: the resolved configuration. Languages and expected counts of an earlier call are kept beside the
                new ones; everything else must be the same.
            fresh: throw away what an earlier run left here, as is done with one of another configuration that has no
                answer: it may not have worked.

        Raises:
            InputError: if the folder holds other files, or a run with another configuration.
        """
        present = self.path.iterdir() if self.path.is_dir() else ()
        if not self.config_file.is_file() and not all(map(is_draft, present)):
            raise InputError(f"{self.path}: is neither empty nor a run; give another folder with --out")
        if fresh and self.config_file.is_file():
            self.check_removable()
            self.remove()
        if self.makes_room_for(manifest):
            return self.open(manifest, fresh=True)
        merged = dict(manifest)
        if self.config_file.is_file():
            earlier = self.config()
            merged = with_earlier_parts(earlier, manifest)
            different = changed_place(earlier, merged)
            if different:
                raise InputError(
                    f"{self.config_file}: this run was made with another configuration ({different}); "
                    "give another folder with --out, or begin anew with --fresh"
                )
            for note in continuation_notes(earlier, manifest):
                say(f"note: {self.path}: {note}")
            merged = continued(earlier, merged)
        write_json(self.config_file, merged)

    def makes_room_for(self, manifest: Mapping[str, Any]) -> bool:
        """Return whether here is a run of another configuration in which nothing has been answered or graded."""
        if not self.config_file.is_file():
            return False
        earlier = self.config()
        files = (self.answers_file, self.verdicts_file, self.regrading_file)
        bare = not any(any(journal_lines(file)) for file in files)
        return bare and bool(changed_place(earlier, with_earlier_parts(earlier, manifest)))

    def remove(self) -> None:
        """Remove the files of a run, and nothing else that may be in the folder.

        The configuration goes last: a process killed on the way leaves a run that can be begun anew again.
        """
        for path in (
            self.verdicts_file, self.regrading_file, self.answers_file, self.timings_file, self.metrics_file,
            self.controls_file, self.checks_file, self.nuggets_file, self.context_file, self.waterfall_file,
            self.traces_file, self.errors_file,
            self.path / "report.html", *self.path.glob("retrieval.*.trec"),
            *self.path.glob("retrieved.*.trec"), self.config_file,
        ):  # fmt: skip
            path.unlink(missing_ok=True)

    def check_removable(self) -> None:
        """Refuse to begin anew in a folder that may be somebody else's.

        A run whose configuration is broken is known by its answers; a blank configuration is nobody's.

        Raises:
            InputError: if it is no run.
        """
        try:
            self.config()
        except InputError:
            if self.config_file.read_bytes().strip(b"\0\t\n\r ") and not any(journal_lines(self.answers_file)):
                raise
            advice = "move it away, or give another folder with --out"
            refuse_foreign(self.answers_file, is_rows_of(ANSWER), advice)
            for path in (self.verdicts_file, self.regrading_file):
                refuse_foreign(path, is_rows_of(VERDICT), advice)

    def config(self) -> dict[str, Any]:
        """Return the run's configuration.

        Raises:
            InputError: if the folder is no run.
        """
        if not self.config_file.is_file():
            raise InputError(f"{self.path}: {self._no_run()}; give a run folder")
        what, remedy = "the configuration of a run", "give another folder, or begin anew with --fresh"
        return dict(read_own_json(self.config_file, CONFIG, what, remedy))

    def _no_run(self) -> str:
        if not self.path.is_dir():
            return "is a file" if self.path.exists() else "no such folder"
        runs = sorted(str(file.parent) for file in self.path.glob("*/config.json"))
        beside = f", but there is one in {', '.join(runs[:3])}{', …' if len(runs) > 3 else ''}" if runs else ""
        return f"no run here (config.json is missing){beside}"

    def note_models(self, models: Mapping[str, str]) -> None:
        """Add to the configuration what the models turned out to be.

        Raises:
            InputError: if a model is another one than in an earlier call.
        """
        if not models:
            return
        config = self.config()
        known = config.get("models", {})
        changed = [part for part, model in models.items() if known.get(part, model) != model]
        if changed:
            part = changed[0]
            raise InputError(
                f"{self.config_file}: the {part} was '{known[part]}' and is '{models[part]}' now; name its revision, "
                "or begin anew with --fresh"
            )
        if models.keys() - known.keys():
            write_json(self.config_file, {**config, "models": {**known, **models}})

    def answers(self) -> RecordStore[RunAnswer]:
        """Return the finished answers."""
        return RecordStore(self.answers_file, ANSWERS)

    def verdicts(self, path: Path | None = None) -> RecordStore[Verdict]:
        """Return the verdicts."""
        return RecordStore(path or self.verdicts_file, VERDICTS)

    def seconds(self) -> dict[Key, float]:
        """Return how long the reader took for each item, in seconds; the last timing of an item counts."""
        timings: dict[Key, float] = {}
        for number, row in read_journal(self.timings_file):
            check_row(row, TIMING, f"{self.timings_file}:{number}")
            timings[row["lang"], row["query_id"]] = float(row["seconds"])
        return timings
