"""A cross-encoder: a local model reads question and chunk together and says how well they fit."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import replace

from tqdm import tqdm

from ragaliq.errors import ConfigError, nearest
from ragaliq.rerank.pair_scorer import ModelOptions, PairScorer
from ragaliq.types import Hit, Query

CALIBRATIONS = ("sigmoid", "none")
# The same pair gets a number that differs by some 1e-6 with its place in a batch; equal to five digits is a tie.
DIGITS = 5


class CrossEncoderReranker:
    """Ranks hits by a sequence-classification model; title and text of a chunk are read together.

    A score is the sigmoid of the model's logit (of two logits, the softmax of the second), in 0..1; with the
    calibration `none` it is the logit itself (of two, the second minus the first). Ties go by doc id, descending.
    `model` to `trust_remote_code` are explained at `ModelOptions`.

    Hits stay whose score is above `threshold`, and the `keep` best in any case. Only the first `depth` hits are ranked
    anew, 0 ranks all; the others follow in their old order, with scores 1, 2, … below the least. If the threshold takes
    a ranked hit, it takes these too.

    Attributes:
        removed: number of hits so far that the threshold took away.
    """

    def __init__(
        self,
        model: str,
        batch_size: int = 32,
        device: str = "",
        dtype: str = "",
        max_length: int = 0,
        revision: str = "",
        trust_remote_code: bool = False,
        threshold: float = -math.inf,
        keep: int = 1,
        calibration: str = "sigmoid",
        depth: int = 0,
    ) -> None:
        """Take the options; the model is loaded when it is first needed.

        Raises:
            ConfigError: if an option cannot work, or torch is not installed.
        """
        self._options = ModelOptions(model, batch_size, device, dtype, max_length, revision, trust_remote_code)
        self._options.check()
        if calibration not in CALIBRATIONS:
            raise ConfigError(
                f"{self._options}: unknown calibration '{calibration}'; {nearest(calibration, CALIBRATIONS)}"
            )
        if keep < 0 or depth < 0:
            raise ConfigError(f"{self._options}: options 'keep' and 'depth' are at least 0")
        self._threshold, self._keep, self._depth = threshold, keep, depth
        self._calibrated = calibration == "sigmoid"
        self._scorer: PairScorer | None = None
        self._emptied = False
        self.removed = 0

    def __str__(self) -> str:
        """Name the model."""
        return f"cross-encoder:{self._options.model}"

    @property
    def cut(self) -> int:
        """Number of pairs so far that were longer than the model's window, so that their end was not read."""
        return self._scorer.cut if self._scorer else 0

    @property
    def resolved(self) -> str:
        """The commit of the hub that was loaded; empty for a folder, or before anything is loaded."""
        return self._scorer.commit if self._scorer else ""

    def rerank(self, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits by the model's scores, without those that the threshold takes away."""
        if not hits:
            return []
        if self._scorer is None:
            self._scorer = PairScorer(self._options)
        head = hits[: self._depth or None]
        logits = self._scorer.logits(query.text, [_text(hit) for hit in head])
        rounded = [round(logit, DIGITS) for logit in logits]
        order = sorted(range(len(head)), key=lambda i: (rounded[i], head[i].chunk.doc_id), reverse=True)
        scores = [sigmoid(rounded[i]) if self._calibrated else rounded[i] for i in order]
        kept = self._kept(query, scores, len(hits))
        ranked = [head[i] for i in order] + list(hits[len(head) :])
        scores += [scores[-1] - place for place in range(1, len(hits) - len(head) + 1)]
        return [
            replace(hit, score=score, rank=rank)
            for rank, (hit, score) in enumerate(list(zip(ranked, scores, strict=True))[:kept], start=1)
        ]

    def _kept(self, query: Query, scores: Sequence[float], n: int) -> int:
        """Return how many of the best of `n` hits stay, given the descending scores of those that were ranked."""
        passed = sum(score > self._threshold for score in scores)
        if passed == len(scores):
            return n
        kept = min(max(passed, self._keep), n)
        self.removed += n - kept
        if passed == 0 and kept < n and not self._emptied:
            self._emptied = True
            tqdm.write(
                f"note: {self._options}: no chunk is above the threshold {self._threshold} for query "
                f"'{query.query_id}' ({query.lang}), perhaps for more; the best {self._keep} stay",
                file=sys.stderr,
            )
        return kept


def sigmoid(logit: float) -> float:
    """Return the probability of log-odds, in 0..1."""
    if logit >= 0:
        return 1 / (1 + math.exp(-logit))
    # The other form would overflow.
    odds = math.exp(logit)
    return odds / (1 + odds)


def _text(hit: Hit) -> str:
    chunk = hit.chunk
    return f"{chunk.title}\n{chunk.text}" if chunk.title else chunk.text
