"""A run on disk: one folder with its configuration, answers, verdicts, timings and metrics.

While a run works, `answers.jsonl` and `verdicts.jsonl` are journals: one durable line per finished item, a later line
for the same item replaces the earlier. At the end both are rewritten, sorted by language and query id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.runs.rows import (
    FAILED,
    RunAnswer,
    run_answer_from_row,
    run_answer_to_row,
    verdict_from_row,
    verdict_to_row,
)
from ragaliq.storage.files import read_json, write_json
from ragaliq.storage.journal import read_journal
from ragaliq.storage.lock import locked
from ragaliq.storage.record_store import RecordStore, RowCodec
from ragaliq.text.answer_language import AnswerLanguage
from ragaliq.types import AnswerOutcome, Usage, Verdict, VerdictOutcome


@dataclass(frozen=True, slots=True)
class AnswerHeader:
    """What is kept in memory of an answer."""

    outcome: AnswerOutcome
    answerable: bool
    language: AnswerLanguage
    token_consistency: float | None
    usage: Usage | None

    @property
    def in_language(self) -> bool | None:
        """Whether the answer as a whole is in the query's language; None if that cannot be told."""
        return self.language.answer


@dataclass(frozen=True, slots=True)
class VerdictHeader:
    """What is kept in memory of a verdict; `lost_draws` counts its draws without a grade."""

    grade: int | None
    outcome: VerdictOutcome
    judge: str
    prompt_hash: str
    usage: Usage | None
    lost_draws: int = 0

    @property
    def complete(self) -> bool:
        """Whether the verdict has a grade, and so has each of its draws."""
        return self.grade is not None and not self.lost_draws


def _answer_header(answered: RunAnswer) -> AnswerHeader:
    answer = answered.answer
    return AnswerHeader(
        answer.outcome, answered.item.answerable, answered.language, answered.token_consistency, answer.usage
    )


def _verdict_header(verdict: Verdict) -> VerdictHeader:
    lost = sum(draw.grade is None for draw in verdict.draws)
    return VerdictHeader(verdict.grade, verdict.outcome, verdict.judge, verdict.prompt_hash, verdict.usage, lost)


ANSWERS = RowCodec(
    run_answer_from_row,
    run_answer_to_row,
    lambda answered: answered.item.key,
    _answer_header,
    lambda answered: answered.answer.outcome in FAILED,
)
VERDICTS = RowCodec(
    verdict_from_row,
    verdict_to_row,
    lambda verdict: verdict.key,
    _verdict_header,
    lambda verdict: verdict.grade is None,
)


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
        self.traces_file = path / "traces.jsonl"

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

    def open(self, manifest: Mapping[str, Any], fresh: bool = False) -> None:
        """Begin the run, or go on with it, and write its configuration.

        Args:
            manifest: the resolved configuration. Languages and expected counts of an earlier call are kept beside the
                new ones; everything else must be the same.
            fresh: throw away what an earlier run left here.

        Raises:
            InputError: if the folder holds other files, or a run with another configuration.
        """
        if not self.config_file.is_file() and any(not _is_draft(path) for path in self._present()):
            raise InputError(f"{self.path}: is neither empty nor a run; give another folder with --out")
        if fresh and self.config_file.is_file():
            self.config()
            self._remove()
        merged = dict(manifest)
        if self.config_file.is_file():
            earlier = self.config()
            merged["judge"] = manifest["judge"] or earlier["judge"]
            different = _different(earlier, {**manifest, "judge": earlier["judge"] and merged["judge"]})
            if different:
                raise InputError(
                    f"{self.config_file}: this run was made with another configuration ({different}); "
                    "give another folder with --out, or begin anew with --fresh"
                )
            merged["expected"] = _wider(earlier["expected"], manifest["expected"])
            if "models" in earlier:
                merged["models"] = earlier["models"]
        write_json(self.config_file, merged)

    def _present(self) -> list[Path]:
        return list(self.path.iterdir()) if self.path.is_dir() else []

    def _remove(self) -> None:
        """Remove the files of a run, and nothing else that may stand in the folder.

        The configuration goes last: a process killed on the way leaves a run that can be begun anew again.
        """
        for path in (
            self.verdicts_file,
            self.regrading_file,
            self.answers_file,
            self.timings_file,
            self.metrics_file,
            self.controls_file,
            self.checks_file,
            self.traces_file,
            self.path / "report.html",
            *self.path.glob("retrieval.*.trec"),
            self.config_file,
        ):
            path.unlink(missing_ok=True)

    def config(self) -> dict[str, Any]:
        """Return the run's configuration.

        Raises:
            InputError: if the folder is no run.
        """
        if not self.config_file.is_file():
            raise InputError(f"{self.path}: no run here (config.json is missing); give a run folder")
        value: dict[str, Any] = read_json(self.config_file)
        if not _is_config(value):
            raise InputError(f"{self.config_file}: not the configuration of a run; give another folder")
        return value

    def note_models(self, models: Mapping[str, str]) -> None:
        """Add to the configuration what the models turned out to be.

        Raises:
            InputError: if a model is another one than in an earlier call.
        """
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

    def seconds(self) -> dict[str, float]:
        """Return how long the reader took in each language, in seconds; the last timing of each item counts."""
        timings: dict[tuple[str, str], float] = {}
        for number, row in read_journal(self.timings_file):
            try:
                timings[str(row["lang"]), str(row["query_id"])] = float(row["seconds"])
            except (KeyError, TypeError, ValueError) as error:
                where = f"{self.timings_file}:{number}"
                raise InputError(f"{where}: not a row of this file ({error}); mend or remove the line") from None
        totals: dict[str, float] = {}
        for (lang, _), seconds in sorted(timings.items()):
            totals[lang] = totals.get(lang, 0.0) + seconds
        return totals


def _is_config(value: Any) -> bool:
    """Tell whether a JSON value has the parts of a run's configuration that are read again."""
    if not isinstance(value, dict) or "judge" not in value:
        return False
    system, data, expected = (value.get(key) for key in ("system", "data", "expected"))
    if not (isinstance(system, dict) and isinstance(data, dict) and isinstance(expected, dict)):
        return False
    judge = value["judge"]
    if judge is not None and not (isinstance(judge, dict) and isinstance(judge.get("kind"), str)):
        return False
    counts = all(isinstance(c, dict) and isinstance(c.get("answerable"), int) for c in expected.values())
    return counts and isinstance(data.get("hash"), str) and isinstance(system.get("seed"), int)


def _wider(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return how many queries a run has answered or is to answer: a smaller `--limit` takes nothing away."""
    merged = dict(earlier)
    for lang, counts in now.items():
        before = earlier.get(lang, {})
        merged[lang] = {kind: max(count, before.get(kind, 0)) for kind, count in counts.items()}
    return merged


def _is_draft(path: Path) -> bool:
    """Tell whether a file is what a process killed while it wrote left behind."""
    return path.name.startswith(".") and path.name.endswith(".draft")


def _identity(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what must be equal for two calls to work on the same run; what a judge is certified by need not be."""
    data, judge = manifest.get("data", {}), manifest.get("judge")
    asked = judge and {key: value for key, value in judge.items() if key != "certificate"}
    return {"system": manifest.get("system"), "judge": asked, "data": data.get("hash")}


def _different(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return the first place at which two manifests differ, judges by their names; an empty text for the same run."""
    found = difference(_identity(earlier), _identity(now))
    if found.startswith("judge"):
        one, two = (_judge_name(manifest["judge"]) for manifest in (earlier, now))
        return f"judge: {one} then, {two} now" if one != two else found
    return found


def _judge_name(judge: Mapping[str, Any] | None) -> str:
    if judge is None:
        return "none"
    return str(judge.get("name") or ":".join(filter(None, (judge["kind"], judge.get("model")))))


def difference(one: Any, two: Any, path: str = "") -> str:
    """Return the first place at which two values differ, or an empty text."""
    if isinstance(one, dict) and isinstance(two, dict):
        for key in sorted(one.keys() | two.keys()):
            found = difference(one.get(key), two.get(key), f"{path}.{key}" if path else key)
            if found:
                return found
        return ""
    return "" if one == two else f"{path}: {one!r} then, {two!r} now"
