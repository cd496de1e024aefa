"""What the files of a run must look like before anything is computed from them (see `storage.own_json`)."""

from __future__ import annotations

from ragaliq.judge.finding_rows import USAGE
from ragaliq.storage.own_json import ModelText, Shape

_COMPONENT: Shape = {"kind": str, "model?": (str, None), "options?": {str: object}, "name?": str, "prompt_hash?": str}
_AGREEMENT = ("qwk", "qwk_attempted", "weight_kappa")
_CERTIFICATE: Shape = {**{f"{name}?": (float, None) for name in _AGREEMENT}, "qwk_ci?": ([float, float], None)}
_JUDGE: Shape = {**_COMPONENT, "certificate?": (_CERTIFICATE, None)}

_VERSIONS: Shape = {str: (str, None)}

CONFIG: Shape = {
    "system": {
        "seed": int,
        **{f"{part}?": _COMPONENT for part in ("reader", "embedder", "reranker", "retriever")},
        "kb_lang?": str,
        "chunking?": str,
        str: object,
    },
    "data": {
        "hash": str,
        "name": str,
        "version": str,
        "path?": (str, None),
        "knowledge_base?": (str, None),
        "built_by?": ([str], None),
    },
    "judge": (_JUDGE, None),
    "check?": (_COMPONENT, None),
    "regrading?": _JUDGE,
    "shard?": {"index": int, "count": int, "queries": {str: [str]}},
    "expected": {str: {"answerable": int, str: int}},
    "expected_nuggets?": {str: int},
    "models?": {str: str},
    "versions?": _VERSIONS,
    "earlier_versions?": [_VERSIONS],
}

TIMING = {"lang": str, "query_id": str, "seconds": float}

ANSWER: Shape = {
    **dict.fromkeys(("query_id", "lang"), str),
    **dict.fromkeys(("question", "reference", "answer"), ModelText),
    "answerable?": bool,
    "context": [{"doc_id": str, "score": float, "rank": int, "text": ModelText}],
    "context_known?": bool,
    "outcome": str,
    **{f"{part}in_language?": (bool, None) for part in ("", "lines_", "words_")},
    "usage?": USAGE,
    "aliases?": [ModelText],
    "sentences?": [{"text": ModelText, "citations": [str]}],
    **{f"{key}?": ModelText for key in ("error", "reasoning")},
    "token_consistency?": (float, None),
    "logprobs?": ([[{"token": ModelText, "prob": float}]], None),
}

_GRADE = {"grade": (int, None), "outcome": str}
VERDICT: Shape = {
    **dict.fromkeys(("query_id", "lang"), str),
    **_GRADE,
    **{f"{key}?": (ModelText, None) for key in ("feedback", "reasoning")},
    **{f"{key}?": (str, None) for key in ("judge", "prompt_hash", "refuses", "answer_hash")},
    "attempts?": (int, None),
    "usage?": USAGE,
    "draws?": [{"judge": str, **_GRADE}],
    **{f"{key}?": (float, None) for key in ("expected_grade", "confidence")},
}

TRACE: Shape = {
    "component": str,
    **{f"{key}?": str for key in ("lang", "query_id", "condition")},
    **{f"{key}?": ModelText for key in ("model", "raw_reply", "reasoning", "finish_reason", "error")},
    **{f"{key}?": int for key in ("turn", "attempts")},
    "usage?": USAGE,
}

_FIGURE = ({"value": (float, None), "ci": ([float, float], None)}, None)
_OF = {"n": int, "n_expected": int}
_TOKENS = dict.fromkeys(("n", "n_reported", "prompt_tokens", "completion_tokens"), int)
_CI = ([float, float], None)
_WATERFALL: Shape = {
    **_OF,
    "coverage": (float, None),
    "loss": _FIGURE,
    "stages": {str: {"value": float, "ci": _CI, "n": int, "first": (float, None), "last": (float, None)}},
    "main": (str, None),
    "apart": [{"stage": str, "n": int, "difference": float, "ci": _CI, "p": float}],
    "conditions": ({str: {**_OF, "mean_weight": (float, None), "ci": _CI, "n_right": int}}, None),
    "steps": ([{"from": str, "to": str, "difference": (float, None), "ci": _CI, "n": int}], None),
}
METRICS: Shape = {
    "usage?": {str: _TOKENS},
    "overlap?": {str: {"n": int, "measures": {str: {"mean": float, "rho": (float, None)}}}},
    "language?": {str: {str: ({"value": (float, None), "n_decided": int, "ci?": ([float, float], None)}, None)}},
    "groundedness?": {
        str: {
            **_OF,
            "checkers?": [str],
            "supported?": _FIGURE,
            "contradicted?": _FIGURE,
            "median_characters": (float, None),
        }
    },
    "nuggets?": {str: {**_OF, "matchers?": [str], "vital_strict?": _FIGURE, "all?": _FIGURE}},
    "context?": {str: {**_OF, "judges?": [str], "precision?": _FIGURE, "recall?": _FIGURE}},
    "waterfall?": {str: _WATERFALL},
    "retrieval?": {
        str: {
            "n": int,
            "depths": [int],
            "ranked": [float],
            "retrieved": ([float], None),
            "shown": float,
            "context_k": int,
        }
    },
    "citations?": {str: {**_OF, "precision": _FIGURE, "recall": {"value": (float, None), "ci": object, "n": int}}},
}
