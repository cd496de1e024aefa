"""Measures as they are written, as in ir_measures: `nDCG@10`, `P(rel=2)@5`, `alpha_nDCG(alpha=0.3)@10`.

The measures are defined in `relevance` and `nuggets`; nothing is listed here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from ragaliq.errors import InputError, listed, nearest
from ragaliq.metrics.retrieval.definition import Cutoff, Definition, Parameters, Reads
from ragaliq.metrics.retrieval.nuggets import NUGGET_MEASURES
from ragaliq.metrics.retrieval.relevance import RELEVANCE_MEASURES

DEFAULTS = ("nDCG@10", "R@100", "AP", "RR")
NUGGET_DEFAULTS = ("alpha_nDCG@10", "Coverage@20", "R@50")

Param = int | float | str
# A precision at a greater cutoff would be 0 to fifteen digits.
_MAX_CUTOFF = 10**15
_FORM = re.compile(r"\s*(?P<name>\w+)\s*(?:\((?P<params>.*)\)\s*)?(?:@\s*(?P<cutoff>\S+)\s*)?")
DEFINITIONS: Mapping[str, Definition] = {entry.name: entry for entry in (*RELEVANCE_MEASURES, *NUGGET_MEASURES)}
_PLAIN = Parameters()
# Other names that ir_measures takes for the same measures.
_ALIASES = {"NDCG": "nDCG", "Precision": "P", "Recall": "R", "MAP": "AP", "MRR": "RR", "RPrec": "Rprec"}
# What trec_eval and ndeval call them.
_TREC_EVAL = {"ndcg_cut": "nDCG", "map_cut": "AP", "recip_rank": "RR", "strec": "StRecall"}


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure with its cutoff and parameters; `str` gives the canonical name, which `parse_measure` reads.

    Attributes:
        name: one of `DEFINITIONS`.
        cutoff: the number of places that count, from 1; None for the whole list.
        params: parameters that differ from the defaults, sorted by name.

    Raises:
        InputError: when made with a name, cutoff or parameter that does not exist.
    """

    name: str
    cutoff: int | None = None
    params: tuple[tuple[str, Param], ...] = ()

    def __post_init__(self) -> None:
        """Check name, cutoff and parameters, and bring the parameters into their canonical form."""
        if self.name not in DEFINITIONS:
            raise InputError(f"measure '{self.name}' is unknown; {_similar(self.name)}")
        _check_cutoff(self.name, self.cutoff, self.definition.cutoff)
        # The whole numbers of numpy are cutoffs, too.
        object.__setattr__(self, "cutoff", None if self.cutoff is None else int(self.cutoff))
        checked = {key: _checked(self.definition, key, value) for key, value in self.params}
        written = sorted((key, value) for key, value in checked.items() if value != getattr(_PLAIN, key))
        object.__setattr__(self, "params", tuple(written))

    def __str__(self) -> str:
        params = ",".join(f"{key}={value!r}" for key, value in self.params)
        return self.name + (f"({params})" if params else "") + ("" if self.cutoff is None else f"@{self.cutoff}")

    @property
    def definition(self) -> Definition:
        """What it measures, and the function that computes it."""
        return DEFINITIONS[self.name]

    @property
    def meaning(self) -> str:
        """One line for the reader of a report."""
        return self.definition.meaning

    @property
    def reads(self) -> Reads:
        """The judgements that it needs."""
        return self.definition.reads

    @property
    def parameters(self) -> Parameters:
        """The cutoff and all parameters, the defaults included."""
        values: dict[str, Any] = dict(self.params)
        return Parameters(cutoff=self.cutoff, **values)


def parse_measure(text: str) -> Measure:
    """Return the measure of that name.

    `MAP`, `MRR`, `Recall`, `Precision`, `NDCG` and `RPrec` are other names of AP, RR, R, P, nDCG and Rprec.

    Raises:
        InputError: naming the nearest measure or what is allowed, if it does not exist.
    """
    parts = _FORM.fullmatch(text)
    if parts is None:
        raise InputError(f"measure '{text}' cannot be read; write it like nDCG@10 or P(rel=2)@5")
    params = _params(text, parts["params"] or "")
    written = parts["cutoff"] is not None or "cutoff" in params
    cutoff = params.pop("cutoff", None) if parts["cutoff"] is None else _literal(parts["cutoff"])
    if written and type(cutoff) is not int:
        raise InputError(f"measure '{text}': the cutoff is a whole number from 1; write it like nDCG@10")
    name = _ALIASES.get(parts["name"], parts["name"])
    return Measure(name, cutoff if type(cutoff) is int else None, tuple(params.items()))


def _params(text: str, written: str) -> dict[str, Param]:
    params: dict[str, Param] = {}
    for part in filter(str.strip, written.split(",")):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        literal = _literal(value)
        if not equals or literal is None or key in params:
            raise InputError(f"measure '{text}': '{part.strip()}' cannot be read; write parameters like rel=2")
        params[key] = literal
    return params


def _literal(written: str) -> Param | None:
    try:
        value = ast.literal_eval(written)
    except (ValueError, SyntaxError):
        return None
    return value if type(value) in (int, float, str) else None


def _check_cutoff(name: str, cutoff: int | None, rule: Cutoff) -> None:
    if cutoff is None:
        if rule is Cutoff.NEEDED:
            raise InputError(f"measure '{name}' needs a cutoff; write it like {name}@10")
    elif rule is Cutoff.NONE:
        raise InputError(f"measure '{name}' takes no cutoff; write {name}")
    elif isinstance(cutoff, bool) or not isinstance(cutoff, Integral) or not 1 <= cutoff <= _MAX_CUTOFF:
        raise InputError(
            f"measure '{name}@{cutoff}': the cutoff is a whole number from 1 to 10^15; write it like {name}@10"
        )


def _checked(definition: Definition, key: str, value: Param) -> Param:
    name, takes = definition.name, definition.takes
    if key == "rel" and name.endswith("CG") and key not in takes:
        raise InputError(f"measure '{name}' takes no rel: its gain is the relevance itself; leave it out")
    if key not in takes:
        advice = listed(takes) if takes else "leave it out"
        raise InputError(f"measure '{name}' has no parameter '{key}'; {advice}")
    if key == "dcg" and value not in ("log2", "exp-log2"):
        raise InputError(f"measure '{name}': dcg is 'log2' or 'exp-log2', not {value!r}")
    if key == "rel" and (type(value) is not int or value < 1):
        raise InputError(f"measure '{name}': rel is a whole number from 1, not {value!r}")
    if key == "alpha":
        if isinstance(value, str) or not 0 <= value <= 1:
            raise InputError(f"measure '{name}': alpha is a number from 0 to 1, not {value!r}")
        return float(value)
    return value


def _similar(name: str) -> str:
    written, _, cut = name.lower().rpartition("_")
    if not cut.isdecimal():
        written, cut = name.lower(), ""
    known = {known.lower(): known for known in DEFINITIONS} | {key.lower(): one for key, one in _ALIASES.items()}
    meant = (known | _TREC_EVAL).get(written)
    if meant is None:
        return nearest(name, DEFINITIONS)
    return f"did you mean '{meant}{f'@{cut}' if cut else ''}'?"
