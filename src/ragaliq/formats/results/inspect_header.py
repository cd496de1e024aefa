"""What the header of an inspect_ai log says of all its samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.formats.results.rows import Scale, finite
from ragaliq.storage.files import Row


@dataclass(frozen=True, slots=True)
class LogHeader:
    """The header of a log.

    Attributes:
        tool: inspect_ai with its version.
        data: name of the data set, or of the task where it has none.
        lang: that a task's arguments name.
        n_samples: that were to be run, without epochs: those of `sample_ids` where `--limit` or `--sample-id` chose
            them, else of the data set; None where not known.
        n_data_set: of the whole data set, of which `--limit` may have left some out; None where not known.
        sample_ids: those of the data set; empty in old logs.
        main: the scorer that the task calls its main one.
        scales: of the scorers whose metadata name `low` and `high`.
    """

    tool: str
    model: str
    data: str
    status: str
    judge: str = ""
    lang: str = ""
    n_samples: int | None = None
    n_data_set: int | None = None
    sample_ids: tuple[str, ...] = ()
    epochs: int = 1
    main: str = ""
    scorers: tuple[str, ...] = ()
    scales: Mapping[str, Scale] = field(default_factory=dict)

    def rank(self, metric: str) -> tuple[bool, int]:
        """Return where a metric comes: the main scorer's first, then in the order of the scorers."""
        scorer = metric.partition("/")[0]
        place = self.scorers.index(scorer) if scorer in self.scorers else len(self.scorers)
        return scorer != self.main, place


def read_header(log: Row, path: Path) -> LogHeader:
    """Return the header of a log.

    Raises:
        InputError: if it names no model.
    """
    spec = log["eval"]
    model, task = spec.get("model"), spec.get("task")
    if not isinstance(model, str) or not isinstance(task, str):
        raise InputError(f"{path}: 'eval' names no 'model' and 'task'; is it a log of inspect_ai?")
    dataset, config, results = (
        object_or_empty(part) for part in (spec.get("dataset"), spec.get("config"), log.get("results"))
    )
    ids = dataset.get("sample_ids")
    sample_ids = tuple(dict.fromkeys(map(str, ids))) if isinstance(ids, list) else ()
    samples, epochs = _count(dataset.get("samples")), config.get("epochs")
    limited = config.get("limit") is not None or config.get("sample_id") is not None
    named = spec.get("scorers")
    scorers = [
        one
        for one in (named if isinstance(named, list) else ())
        if isinstance(one, dict) and isinstance(one.get("name"), str)
    ]
    arguments = {**texts(spec.get("metadata")), **texts(spec.get("task_args"))}
    return LogHeader(
        f"inspect_ai {object_or_empty(spec.get('packages')).get('inspect_ai', '')}".strip(),
        model,
        str(dataset.get("name") or task),
        str(log.get("status") or "unknown"),
        _judge(spec, scorers),
        arguments.get("lang") or arguments.get("language") or "",
        len(sample_ids) if limited and sample_ids else max(samples or 0, len(sample_ids)) or None,
        samples,
        sample_ids,
        epochs if isinstance(epochs, int) and epochs > 0 else 1,
        str(object_or_empty(results.get("headline")).get("scorer") or ""),
        tuple(one["name"] for one in scorers),
        _scales(scorers),
    )


def texts(values: Any) -> dict[str, str]:
    """Return the texts, whole numbers and truth values among metadata, as texts."""
    return {key: str(value) for key, value in object_or_empty(values).items() if isinstance(value, str | int)}


def _judge(spec: Row, scorers: list[Row]) -> str:
    """Return the models that grade: of the role `grader`, of the scorers' options, or as the metadata names it."""
    grader = object_or_empty(spec.get("model_roles")).get("grader")
    roles = grader if isinstance(grader, list) else [grader]
    models = [object_or_empty(role).get("model") for role in roles]
    models += [object_or_empty(scorer.get("options")).get("model") for scorer in scorers]
    models.append(object_or_empty(spec.get("metadata")).get("judge"))
    return " + ".join(dict.fromkeys(model for model in models if isinstance(model, str) and model))


def _scales(scorers: list[Row]) -> dict[str, Scale]:
    scales = {}
    for scorer in scorers:
        low, high = (object_or_empty(scorer.get("metadata")).get(key) for key in ("low", "high"))
        scale = Scale(finite(low), finite(high))
        if scale.low is not None and scale.high is not None and scale.low < scale.high:
            scales[scorer["name"]] = scale
    return scales


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def object_or_empty(value: Any) -> Row:
    """Return a JSON object; an empty one for all else."""
    return value if isinstance(value, dict) else {}
