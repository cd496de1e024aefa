"""A cross-encoder: a local model reads question and chunk together and says how well they fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ragaliq.errors import ConfigError, InputError, nearest
from ragaliq.execution.progress import say
from ragaliq.local.checkpoint import loading
from ragaliq.local.model import LocalModel
from ragaliq.rerank import ranked
from ragaliq.types import Hit, Query

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

CALIBRATIONS = ("sigmoid", "none")
# The same pair gets a number that differs by some 1e-6 with its place in a batch; equal to five digits is a tie.
DIGITS = 5


@dataclass(eq=False)
class CrossEncoderReranker(LocalModel):
    """Ranks hits by a sequence-classification model; title and text of a chunk are read together.

    A score is the sigmoid of the model's logit (of two logits, the softmax of the second), in 0..1; with the
    calibration `none` it is the logit itself (of two, the second minus the first). Ties go by doc id, descending.

    Attributes:
        threshold: hits stay whose score is above it.
        keep: the best that stay in any case.
        calibration: `sigmoid` or `none`.
        depth: only the first hits are ranked anew, 0 ranks all; the others follow in their old order, with scores
            1, 2, … below the least. If the threshold takes a ranked hit, it takes these too.
    """

    stage: ClassVar[str] = "reranker"
    kind: ClassVar[str] = "cross-encoder"

    threshold: float = -math.inf
    keep: int = 1
    calibration: str = "sigmoid"
    depth: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.calibration not in CALIBRATIONS:
            raise ConfigError(
                f"{self.label}: unknown calibration '{self.calibration}'; {nearest(self.calibration, CALIBRATIONS)}"
            )
        if self.keep < 0 or self.depth < 0:
            raise ConfigError(f"{self.label}: options 'keep' and 'depth' are at least 0")
        self._emptied = False
        # Hits so far that the threshold took away.
        self.removed = 0

    def __str__(self) -> str:
        """Name the model."""
        return f"{self.kind}:{self.model}"

    @property
    def resolved(self) -> str:
        """The commit of the hub that was loaded; empty for a folder, or before anything is loaded."""
        return self.checkpoint.commit if "_encoder" in self.__dict__ else ""

    def dtype_name(self) -> str:
        """Return the precision of the option, else float32: 16 bits leave a logit two or three digits."""
        return self.dtype or "float32"

    def rerank(self, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits by the model's scores, without those that the threshold takes away."""
        if not hits:
            return []
        head = hits[: self.depth or None]
        rounded = [round(logit, DIGITS) for logit in self._logits(query.text, [hit.chunk.titled for hit in head])]
        order = sorted(range(len(head)), key=lambda i: (rounded[i], head[i].chunk.doc_id), reverse=True)
        scores = [sigmoid(rounded[i]) if self.calibration == "sigmoid" else rounded[i] for i in order]
        kept = self._kept(query, scores, len(hits))
        ordered = [head[i] for i in order] + list(hits[len(head) :])
        scores += [scores[-1] - place for place in range(1, len(hits) - len(head) + 1)]
        return ranked(zip(ordered[:kept], scores[:kept], strict=True))

    def _logits(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the relevance of each text in log-odds: the model's one logit, or of two the difference.

        Equal texts get equal numbers; each is scored once.
        """
        import torch

        different = list(dict.fromkeys(texts))
        noted = bool(self.cut)
        self.token_counts(self._encoder, [query] * len(different), different)
        if self.cut and not noted:
            line = f"note: {self.label}: pairs of question and chunk are longer than its window of "
            window = self._encoder.max_seq_length
            say(f"{line}{window} tokens; what is beyond it is not read")
        config: Any = self._encoder.config
        with self.running():
            scores = self._encoder.predict(
                [(query, text) for text in different],
                # Such models find a pair's last token by the padding token: without one a batch has one pair.
                batch_size=1 if config.pad_token_id is None else self.batch_size,
                activation_fn=torch.nn.Identity(),
                show_progress_bar=False,
            )
        rows = np.asarray(scores, dtype=np.float64).reshape(len(different), -1)
        if not np.isfinite(rows).all():
            raise InputError(f"{self.label}: a score is not a finite number; try dtype float32 or bfloat16")
        # The softmax of two classes is the sigmoid of their difference; the second is "relevant".
        logits = rows[:, 0] if rows.shape[1] == 1 else rows[:, 1] - rows[:, 0]
        logit_of = dict(zip(different, logits.tolist(), strict=True))
        return [logit_of[text] for text in texts]

    @cached_property
    def _encoder(self) -> CrossEncoder:
        with loading(self.label):
            from sentence_transformers import CrossEncoder

            transformer = self.transformer(task="sequence-classification")
            encoder: CrossEncoder = CrossEncoder(modules=[transformer], device=self.device_name())
            if encoder.num_labels not in (1, 2):
                raise ConfigError(f"{self.label}: it tells {encoder.num_labels} classes apart; one or two are expected")
            self.set_window(encoder)
        return encoder

    def _kept(self, query: Query, scores: Sequence[float], n: int) -> int:
        """Return how many of the best of `n` hits stay, given the descending scores of those that were ranked."""
        passed = sum(score > self.threshold for score in scores)
        if passed == len(scores):
            return n
        kept = min(max(passed, self.keep), n)
        self.removed += n - kept
        if passed == 0 and kept < n and not self._emptied:
            self._emptied = True
            say(
                f"note: {self.label}: no chunk is above the threshold {self.threshold} for query "
                f"'{query.query_id}' ({query.lang}), perhaps for more; the best {self.keep} stay",
            )
        return kept


def sigmoid(logit: float) -> float:
    """Return the probability of log-odds, in 0..1."""
    if logit >= 0:
        return 1 / (1 + math.exp(-logit))
    # The other form would overflow.
    odds = math.exp(logit)
    return odds / (1 + odds)
