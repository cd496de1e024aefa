"""The names of retrieval measures, written as in ir_measures: `nDCG@10`, `P(rel=2)@5`, `alpha_nDCG(alpha=0.3)@10`."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from numbers import Integral
from types import MappingProxyType

from ragaliq.errors import InputError, listed, nearest

DEFAULTS = ("nDCG@10", "R@100", "AP", "RR")
NUGGET_DEFAULTS = ("alpha_nDCG@10", "Coverage@20", "R@50")

Param = int | float | str
# A precision at a greater cutoff would be 0 to fifteen digits.
_MAX_CUTOFF = 10**15
_FORM = re.compile(r"\s*(?P<name>\w+)\s*(?:\((?P<params>.*)\)\s*)?(?:@\s*(?P<cutoff>\S+)\s*)?")


class Reads(StrEnum):
    """The judgements that a measure needs beside the run."""

    QRELS = "qrels"
    NUGGETS = "nuggets"
    IMPORTANCE = "importance"
    GOLD = "gold"


class Cutoff(StrEnum):
    """Whether a measure is written with `@k`; where the cutoff is optional, none means the whole list."""

    NEEDED = "needed"
    OPTIONAL = "optional"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Definition:
    """What a name stands for; the formula is told by the function that computes it.

    Attributes:
        meaning: one line for the reader of a report.
        cutoff: whether `@k` belongs to the name.
        defaults: the parameters that the measure takes, with their values where none is written.
        reads: the judgements that it needs.
    """

    meaning: str
    cutoff: Cutoff = Cutoff.NEEDED
    defaults: Mapping[str, Param] = field(default_factory=dict)
    reads: Reads = Reads.QRELS


_REL: Mapping[str, Param] = MappingProxyType({"rel": 1})
DEFINITIONS: Mapping[str, Definition] = MappingProxyType(
    {
        "nDCG": Definition(
            "graded gain, discounted by rank, as a share of the best possible ranking's",
            Cutoff.OPTIONAL,
            MappingProxyType({"dcg": "log2"}),
        ),
        "P": Definition("share of the first k places that hold a relevant document", defaults=_REL),
        "R": Definition("share of the relevant documents that stand in the first k places", defaults=_REL),
        "AP": Definition("mean, over relevant documents, of the precision at their ranks", Cutoff.OPTIONAL, _REL),
        "RR": Definition("1 / rank of the first relevant document", Cutoff.OPTIONAL, _REL),
        "Success": Definition("whether the first k places hold a relevant document", defaults=_REL),
        "Rprec": Definition("precision at as many places as there are relevant documents", Cutoff.NONE, _REL),
        "Judged": Definition("share of the documents in the first k places that somebody judged", Cutoff.OPTIONAL),
        "Hole": Definition("unjudged documents in the first k places, divided by k"),
        "alpha_nDCG": Definition(
            "diversity: nuggets by rank, repeated ones counting less, as a share of the ideal's",
            Cutoff.OPTIONAL,
            MappingProxyType({"alpha": 0.5, "rel": 1}),
            Reads.NUGGETS,
        ),
        "Coverage": Definition(
            "grounding: share of the query's nuggets that the first k places support",
            defaults=_REL,
            reads=Reads.NUGGETS,
        ),
        "StRecall": Definition(
            "share of the nuggets with any supporting document that the first k places support",
            defaults=_REL,
            reads=Reads.NUGGETS,
        ),
        "WeightedCoverage": Definition(
            "share of the nuggets that the first k places support; vital ones count 1, okay ones .5",
            defaults=_REL,
            reads=Reads.IMPORTANCE,
        ),
        "AllGold": Definition("whether the first k places hold a member of every gold group", reads=Reads.GOLD),
    }
)
MEANINGS: Mapping[str, str] = MappingProxyType({name: found.meaning for name, found in DEFINITIONS.items()})
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
        definition = DEFINITIONS.get(self.name)
        if definition is None:
            raise InputError(f"measure '{self.name}' is unknown; {_similar(self.name)}")
        _check_cutoff(self.name, self.cutoff, definition.cutoff)
        # The whole numbers of numpy are cutoffs, too.
        object.__setattr__(self, "cutoff", None if self.cutoff is None else int(self.cutoff))
        given = {key: _checked(self.name, key, value) for key, value in self.params}
        unlike = sorted((key, value) for key, value in given.items() if value != definition.defaults[key])
        object.__setattr__(self, "params", tuple(unlike))

    def __str__(self) -> str:
        params = ",".join(f"{key}={value!r}" for key, value in self.params)
        return self.name + (f"({params})" if params else "") + ("" if self.cutoff is None else f"@{self.cutoff}")

    @property
    def meaning(self) -> str:
        """One line for the reader of a report."""
        return MEANINGS[self.name]

    @property
    def reads(self) -> Reads:
        """The judgements that it needs."""
        return DEFINITIONS[self.name].reads

    @property
    def level(self) -> int:
        """The least relevance that counts as relevant (`rel`), 1 where the measure takes no `rel`."""
        return int(self._param("rel") or 1)

    @property
    def alpha(self) -> float:
        """How much of a nugget's gain each repetition loses."""
        return float(self._param("alpha") or 0)

    @property
    def is_exponential(self) -> bool:
        """Whether the gain of a document is 2^rel - 1 instead of rel."""
        return self._param("dcg") == "exp-log2"

    def _param(self, key: str) -> Param | None:
        return dict(self.params).get(key, DEFINITIONS[self.name].defaults.get(key))


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
        found = _literal(value)
        if not equals or found is None or key in params:
            raise InputError(f"measure '{text}': '{part.strip()}' cannot be read; write parameters like rel=2")
        params[key] = found
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


def _checked(name: str, key: str, value: Param) -> Param:
    defaults = DEFINITIONS[name].defaults
    if key == "rel" and name == "nDCG":
        raise InputError("measure 'nDCG' takes no rel: its gain is the relevance itself; leave it out")
    if key not in defaults:
        advice = listed(defaults) if defaults else "leave it out"
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
    found = (known | _TREC_EVAL).get(written)
    if found is None:
        return nearest(name, DEFINITIONS)
    return f"did you mean '{found}{f'@{cut}' if cut else ''}'?"
