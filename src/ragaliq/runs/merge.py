"""Joining shards and partial runs: one run folder from several, with nothing lost and nothing twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ragaliq.benchmark.layout import declared_languages
from ragaliq.errors import InputError
from ragaliq.judge.checks.context import CONTEXTS
from ragaliq.judge.checks.rates import CHECKS
from ragaliq.judge.nuggets.matches import MATCHES
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.manifests import joined_manifest
from ragaliq.runs.rankings import join_rankings
from ragaliq.runs.rows import ANSWERS, VERDICTS
from ragaliq.runs.traces import sort_traces
from ragaliq.runs.waterfall import WATERFALL
from ragaliq.storage.files import Row, dump_row, is_draft, read_json, write_json, write_lines
from ragaliq.storage.journal import journal_lines, read_journal
from ragaliq.storage.record_store import Key, RecordStore, RowCodec, join_records

# The files with a line for each item, and what a line of them is.
_RECORDS: Mapping[str, RowCodec[Any]] = {
    "answers.jsonl": ANSWERS,
    "verdicts.jsonl": VERDICTS,
    "checks.jsonl": CHECKS,
    "nugget_scores.jsonl": MATCHES,
    "context_scores.jsonl": CONTEXTS,
    "waterfall.jsonl": WATERFALL,
}


def merge_runs(runs: Sequence[Path], out: Path) -> None:
    """Write the run that several make together into `out`, a folder that is missing or empty.

    The files of items, rankings and traces are those of one run that has answered everything; `metrics.json` is not
    written. The runs may be shards of one run, or runs of different languages.

    Raises:
        InputError: if the runs do not belong together, an item is in two of them, or one that a run promises is in
            none; the message names file and field.
    """
    folders = [RunFolder(path) for path in runs]
    _check_names(runs)
    with ExitStack() as held:
        for folder in folders:
            # Before the lock, which would make a folder of a wrong name.
            folder.config()
            held.enter_context(folder.locked())
        manifests = {folder.config_file: folder.config() for folder in folders}
        merged = joined_manifest(manifests, _languages(folders[0]))
        for folder in folders:
            _check_whole(folder)
        _check_room(out)
        target = RunFolder(out)
        for name, codec in _RECORDS.items():
            join_records([path for folder in folders if (path := folder.path / name).is_file()], codec, out / name)
        for name in sorted({file.name for folder in folders for file in folder.path.glob("retriev*.*.trec")}):
            join_rankings([path for folder in folders if (path := folder.path / name).is_file()], out / name)
        _join_logs(folders, target)
        write_json(target.config_file, merged)


def _check_room(out: Path) -> None:
    if out.exists() and (not out.is_dir() or any(file for file in out.iterdir() if not is_draft(file))):
        raise InputError(f"{out}: is neither missing nor empty; name a new folder with --out")
    out.mkdir(parents=True, exist_ok=True)


def _languages(folder: RunFolder) -> tuple[str, ...]:
    """Return the languages of a run's benchmark in its order; none if it is not at hand."""
    head = Path(folder.config()["data"].get("path") or "") / "bench.json"
    return declared_languages(read_json(head), head) if head.is_file() else ()


def _check_names(runs: Sequence[Path]) -> None:
    seen: set[Path] = set()
    for run in runs:
        if run.resolve() in seen:
            raise InputError(f"{run}: is named twice; name each run once")
        seen.add(run.resolve())


def _check_whole(folder: RunFolder) -> None:
    """Refuse a run in which an item has no answer, verdict, finding or ranking that the others of the run have.

    Raises:
        InputError: that names the file and the first such item.
    """
    config = folder.config()
    answers = folder.answers()
    promised = _promised(config)
    remedy = "the same command as before completes this run"
    if promised is None:
        for lang, counts in config["expected"].items():
            n, expected = sum(key[0] == lang for key in answers), sum(counts.values())
            if n != expected:
                raise InputError(f"{folder.answers_file}: {lang}: {n} of {expected} items of config.json; {remedy}")
        promised = list(answers)
    wanted: list[tuple[Path, RecordStore[Any]]] = [(folder.answers_file, answers)]
    if config["judge"] is not None:
        wanted.append((folder.verdicts_file, folder.verdicts()))
    if config.get("check") is not None:
        wanted.append((folder.checks_file, RecordStore(folder.checks_file, CHECKS)))
    for path, records in wanted:
        missing = next((key for key in promised if key not in records), None)
        if missing is not None:
            raise InputError(
                f"{path}: query '{missing[1]}' ({missing[0]}) is missing, config.json promises it; {remedy}"
            )
    extra = next((key for key in answers if key not in set(promised)), None)
    if extra is not None:
        raise InputError(
            f"{folder.answers_file}: query '{extra[1]}' ({extra[0]}) is none that shard.queries of config.json promises"
        )


def _promised(config: Mapping[str, Any]) -> list[Key] | None:
    """Return the items that a shard promises; None for a run that is no shard."""
    if "shard" not in config:
        return None
    return [(lang, query_id) for lang, queries in config["shard"]["queries"].items() for query_id in queries]


def _join_logs(folders: Sequence[RunFolder], target: RunFolder) -> None:
    """Join what is no record of an item: the times, the traces, the errors, and the controls of the judge."""

    def times() -> Iterator[tuple[str, str, Row]]:
        for folder in folders:
            for _, row in read_journal(folder.timings_file):
                yield row["lang"], row["query_id"], row

    timings = sorted(times(), key=lambda time: time[:2])
    if timings:
        write_lines(target.timings_file, (dump_row(row) for _, _, row in timings))
    traced = [folder.traces_file for folder in folders if folder.traces_file.is_file()]
    if traced:
        write_lines(target.traces_file, (line for path in traced for _, _, line in journal_lines(path)))
        sort_traces(target.traces_file)
    errors = b"".join(folder.errors_file.read_bytes() for folder in folders if folder.errors_file.is_file())
    if errors:
        target.errors_file.write_bytes(errors)
    controls = [folder.controls_file for folder in folders if folder.controls_file.is_file()]
    if controls:
        target.controls_file.write_bytes(controls[0].read_bytes())
