"""What is known of a judge: a certificate, which a results table cites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragaliq.compare.agreement.labels import FEW_ITEMS, LabelComparison
from ragaliq.errors import InputError
from ragaliq.metrics.statistics.prediction_powered import ENOUGH_LABELLED
from ragaliq.storage.own_json import Shape, read_own_json

FORMAT = "ragaliq-certificate-1"
_CERTIFICATE: Shape = {
    **dict.fromkeys(("format", "judge", "prompt_hash"), str),
    "agreement": {"qwk": (float, None), "ci": {"qwk": ([float, float], None)}},
    "labels": {"n": int, "raters?": int, "n_unnamed?": int, "judges?": ([str], None)},
}
# Fewer labelled items say nothing worth a citation.
LEAST_ITEMS = 10
# So much of a prompt hash tells two judges apart.
_HASH = 8
# Fewer labels of grade 0 say little about how refusals are graded.
_FEW_REFUSALS = 10
# A QWK this far above that of the attempted items is owed to the refusals.
_COARSE = 0.1


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate on disk: whom it is about, where it is, and all that it says."""

    judge: str
    prompt_hash: str
    name: str
    content: dict[str, Any]

    @property
    def n(self) -> int:
        """The number of labelled items."""
        return int(self.content["labels"]["n"])


def certify(folder: Path, compared: LabelComparison, note: str = "") -> Certificate:
    """Return the certificate of a judge that belongs in a folder; one of the same judge and prompt may be there.

    It depends on the two sources and the note alone: no date, no path.

    Raises:
        InputError: if VERDICTS name no judge, or several, both sides are the same file or hold grades by the same
            judge, fewer than 10 items are labelled, or the folder holds the certificate of another judge.
    """
    _check(compared)
    judge, prompt_hash = compared.judges[0]
    path = folder / "certificate.json"
    if path.exists():
        earlier = _read(path, folder.name)
        if (earlier.judge, earlier.prompt_hash) != (judge, prompt_hash):
            raise InputError(
                f"{path}: is of another judge ({earlier.judge} {earlier.prompt_hash}); give another folder"
            )
    return Certificate(judge, prompt_hash, folder.name, _content(compared, judge, prompt_hash, note))


def read_certificates(folder: Path) -> tuple[Certificate, ...]:
    """Read the files `certificate*.json` in a folder and one level below, sorted by name; none is the empty tuple.

    Raises:
        InputError: if such a file is no certificate.
    """
    if not folder.is_dir():
        return ()
    name = folder.resolve().name
    paths = sorted((*folder.glob("certificate*.json"), *folder.glob("*/certificate*.json")))
    return tuple(_read(path, "/".join((name, *path.relative_to(folder).parent.parts))) for path in paths)


def cite(certificates: Sequence[Certificate], judge: str, prompt_hash: str) -> str:
    """Return one line on a judge from the certificate with the most labels; "" if none is of it and its prompt."""
    own = [c for c in certificates if (c.judge, c.prompt_hash) == (judge, prompt_hash)]
    if not own:
        return ""
    best = max(own, key=lambda certificate: certificate.n)
    return f"{cited_qwk(best.content['agreement'])} with {cited_labels(best.content)} ({best.name})"


def cited_qwk(agreement: dict[str, Any]) -> str:
    """Return the QWK of an agreement with its interval."""
    interval = agreement["ci"]["qwk"]
    value = "undefined" if agreement["qwk"] is None else two_digits(agreement["qwk"])
    return f"QWK {value}" + ("" if interval is None else f" [{two_digits(interval[0])}, {two_digits(interval[1])}]")


def cited_labels(content: dict[str, Any]) -> str:
    """Return how many labels a certificate rests on, and whose they are."""
    labels = content["labels"]
    if labels.get("judges"):
        return f"{labels['n']} grades by {', '.join(labels['judges'])}"
    raters = labels.get("raters", 0)
    # A row that names neither judge nor rater may be anybody's.
    if not raters or labels.get("n_unnamed", 0):
        return f"{labels['n']} labels"
    return f"{labels['n']} human labels" + (f" by {raters} people" if raters > 1 else "")


def _check(compared: LabelComparison) -> None:
    """Refuse what would be a certificate of nothing."""
    source = compared.verdicts.name
    judges = [f"{name} {prompt_hash[:_HASH]}".strip() for name, prompt_hash in compared.judges]
    if len(judges) > 1:
        raise InputError(
            f"{source}: a certificate is of one judge, here are {', '.join(judges)}; choose one, as in --judge "
            f"'{judges[0]}'"
        )
    if not judges or not compared.judges[0][0]:
        raise InputError(
            f"{source}: a certificate is of one judge, here is {judges[0] if judges else 'none'}; give its verdicts"
        )
    if compared.same:
        raise InputError(f"{compared.labels.name}: no certificate, {compared.same}; give labels by people")
    count = compared.figures["n"]
    if count < LEAST_ITEMS:
        raise InputError(
            f"{compared.labels.name}: no certificate, {count} labelled items are fewer than {LEAST_ITEMS}; label more "
            f"of these answers (`ragaliq review` asks for them), {ENOUGH_LABELLED} or better"
        )


def _content(compared: LabelComparison, judge: str, prompt_hash: str, note: str) -> dict[str, Any]:
    agreement = compared.figures
    labels = agreement["labels"]
    return {
        "format": FORMAT,
        "judge": judge,
        "prompt_hash": prompt_hash,
        "verdicts": {"source": compared.verdicts.name, "sha256": compared.verdicts.sha256},
        "labels": {**labels, "n": agreement["n"], "sha256": compared.labels.sha256},
        "agreement": agreement,
        "ppi": agreement["ppi"],
        "weak_spots": _weak_spots(agreement),
        "note": note,
    }


def _read(path: Path, name: str) -> Certificate:
    content = read_own_json(path, _CERTIFICATE, "a judge certificate", "write it again with `ragaliq agree`")
    if content["format"] != FORMAT:
        raise InputError(f"{path}: form {content['format']!r} is not known, {FORMAT} is; write it again")
    return Certificate(content["judge"], content["prompt_hash"], name, content)


def _weak_spots(agreement: dict[str, Any]) -> list[str]:
    spots = []
    for lang, section in agreement["by"].items():
        if section["n"] < FEW_ITEMS:
            spots.append(f"{lang}: {section['n']} items, fewer than {FEW_ITEMS}")
    refusals = sum(row[0] for row in agreement["confusion"])
    if refusals < _FEW_REFUSALS:
        spots.append(f"{refusals} labels of grade 0: how refusals are graded is hardly known")
    qwk, attempted = agreement["qwk"], agreement["qwk_attempted"]
    if qwk is not None and attempted is not None and qwk - attempted > _COARSE:
        spots.append(f"QWK falls from {qwk:.2f} to {attempted:.2f} without the refusals")
    for where, section in (("all", agreement), *agreement["by"].items()):
        interval = section["ci"]["bias_weight"]
        if interval is not None and not interval[0] <= 0 <= interval[1]:
            side = "kinder" if section["bias_weight"] > 0 else "stricter"
            ends = f"{interval[0]:+.3f} … {interval[1]:+.3f}"
            spots.append(f"{where}: {side} than the labels by {abs(section['bias_weight']):.3f} in w̄ ({ends})")
    return spots


def two_digits(value: float) -> str:
    """Return a number with two digits, below 1 without the 0 before the point: .27, −.30, 70.21."""
    text = f"{value:.2f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text
