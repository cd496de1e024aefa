"""A learned sparse encoder of the SPLADE kind, run by sentence-transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ragaliq.errors import ConfigError, InputError
from ragaliq.local.checkpoint import loading
from ragaliq.local.model import LocalModel
from ragaliq.retrieve import Side
from ragaliq.storage.files import read_json

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from sentence_transformers import SparseEncoder


@dataclass(eq=False)
class SpladeEncoder(LocalModel):
    """Encodes with `SparseEncoder.encode_query` and `encode_document`, with the model's own prompts.

    A masked language model without the files of sentence-transformers is taken as SPLADE-max, as that library does.
    """

    stage: ClassVar[str] = "retriever"
    kind: ClassVar[str] = "sparse"

    def __str__(self) -> str:
        """Name everything that decides the vectors: the files' content, and what the options change."""
        settings = {"max_length": self.max_length, "dtype": self.dtype_name()}
        return f"sparse {self.checkpoint.name()} {settings}"

    @cached_property
    def dimension(self) -> int:
        """Number of dimensions, the size of the vocabulary."""
        return int(self._encode(["a"], Side.PASSAGE).shape[1])

    @property
    def vocabulary(self) -> Mapping[str, int]:
        """Token → dimension."""
        known: Mapping[str, int] = self._model.tokenizer.get_vocab()
        return known

    @property
    def has_static_weights(self) -> bool:
        """Whether the query side looks weights up in a table of its own, as inference-free models do."""
        return "SparseStaticEmbedding" in _kinds(self._model)

    def encode(self, texts: Sequence[str], side: Side) -> csr_matrix:
        """Return one row for each text, float32; a blank text gets an empty row.

        Raises:
            ConfigError: if the model cannot be loaded or run, or is no sparse encoder.
            InputError: if it gives a number that is not finite.
        """
        from scipy.sparse import csr_matrix, vstack

        rows, parts = [], [csr_matrix((0, self.dimension), dtype=np.float32)]
        for places in self.parts(self._model, texts):
            if places:
                rows += places
                parts.append(self._encode([texts[place] for place in places], side))
        matrix = vstack(parts, format="csr")
        ends = np.zeros(len(texts) + 1, dtype=matrix.indptr.dtype)
        ends[np.array(rows, dtype=np.int64) + 1] = np.diff(matrix.indptr)
        np.cumsum(ends, out=ends)
        return csr_matrix((matrix.data, matrix.indices, ends), shape=(len(texts), matrix.shape[1]))

    def encode_queries(self, texts: Sequence[str]) -> list[dict[int, float]]:
        """Return queries as dimension → weight."""
        matrix = self.encode(texts, Side.QUERY)
        return [
            dict(zip(matrix.indices[start:end].tolist(), matrix.data[start:end].tolist(), strict=True))
            for start, end in pairwise(matrix.indptr)
        ]

    def _encode(self, texts: list[str], side: Side) -> csr_matrix:
        from scipy.sparse import csr_matrix

        encode = self._model.encode_query if side is Side.QUERY else self._model.encode_document
        with self.running():
            weighted: Any = encode(texts, batch_size=self.batch_size, show_progress_bar=False, save_to_cpu=True)
        weighted = weighted.coalesce()
        rows, columns = weighted.indices().numpy()
        weights = weighted.values().float().numpy()
        if not np.isfinite(weights).all():
            raise InputError(f"{self.label}: a weight is not finite; set option 'dtype' to float32")
        return csr_matrix((weights, (rows, columns)), shape=tuple(weighted.shape))

    @cached_property
    def _model(self) -> SparseEncoder:
        dtype = self.dtype_name()
        with loading(self.label):
            import torch
            from sentence_transformers import SparseEncoder

            model = SparseEncoder(
                self.checkpoint.source,
                device=self.device_name(),
                # A query side without a transformer knows no such option.
                model_kwargs={} if dtype == "float32" else {"dtype": getattr(torch, dtype)},
                **self.source,
            )
            self.set_window(model)
        if "SparseAutoEncoder" in _kinds(model) - _stated(self.checkpoint.folder):
            # The library puts one with random weights behind any dense model.
            raise ConfigError(f"{self.label}: is no sparse encoder: it has no masked-language head; name another model")
        return model


def _kinds(model: SparseEncoder) -> set[str]:
    return {type(module).__name__ for module in model.modules()}


def _stated(folder: Path) -> set[str]:
    """Return the kinds of modules that a model's own files name."""
    modules = read_json(folder / "modules.json") if (folder / "modules.json").is_file() else []
    router = read_json(folder / "router_config.json") if (folder / "router_config.json").is_file() else {}
    types = [module.get("type", "") for module in modules] + list(router.get("types", {}).values())
    return {str(kind).rpartition(".")[2] for kind in types}
