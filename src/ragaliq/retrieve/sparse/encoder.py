"""A learned sparse encoder of the SPLADE kind, run by sentence-transformers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from ragaliq.errors import ConfigError, InputError
from ragaliq.retrieve import Side
from ragaliq.retrieve.embed.checkpoint import Checkpoint, find_checkpoint, loading
from ragaliq.retrieve.embed.options import check_choice, check_sizes
from ragaliq.retrieve.embed.tokens import Tokenizer, check_length
from ragaliq.retrieve.embed.torch_encoder import DTYPES, choose_device, choose_dtype
from ragaliq.storage.files import read_json

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from sentence_transformers import SparseEncoder

# So many texts are sorted by length and encoded before their rows are put away.
PART = 2048


class SpladeEncoder:
    """Encodes with `SparseEncoder.encode_query` and `encode_document`, with the model's own prompts.

    A masked language model without the files of sentence-transformers is taken as SPLADE-max, as that library does. The
    model is loaded when it is first needed, and serves all languages.
    """

    def __init__(
        self,
        model: str,
        revision: str = "",
        device: str = "",
        dtype: str = "",
        batch_size: int = 32,
        max_length: int = 0,
        trust_remote_code: bool = False,
    ) -> None:
        """Check the options.

        Args:
            model: id on the model hub, or a folder.
            revision: branch, tag or commit on the hub.
            device: as torch writes it; empty takes a GPU if there is one.
            dtype: `float32`, `bfloat16` or `float16`; empty takes 16 bits on an NVIDIA GPU, else `float32`.
            batch_size: texts that are encoded at once.
            max_length: tokens of a text that are read; 0 takes the model's own number.
            trust_remote_code: run code that comes with the model.

        Raises:
            ConfigError: if an option cannot be, or sentence-transformers is not installed.
        """
        self.name = name = f"retriever 'sparse:{model}'"
        check_choice(name, "dtype", dtype, DTYPES)
        check_sizes(name, batch_size, max_length)
        if find_spec("sentence_transformers") is None:
            raise ConfigError(f"{name}: needs sentence-transformers: pip install 'ragaliq[hf]'")
        self.model_id, self._revision = model, revision
        self._device, self._dtype = device, dtype
        self._batch_size, self._max_length = batch_size, max_length
        self._trust_remote_code = trust_remote_code

    def __str__(self) -> str:
        """Name everything that decides the vectors: the files' content, and what the options change."""
        dtype = choose_dtype(self._dtype, choose_device(self._device))
        return f"sparse {self._checkpoint.name()} {{'max_length': {self._max_length}, 'dtype': '{dtype}'}}"

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

        written = [place for place, text in enumerate(texts) if text.strip()]
        parts = [csr_matrix((0, self.dimension), dtype=np.float32)]
        with tqdm(total=len(written), desc="encode", unit="text", delay=2, leave=False, disable=None) as bar:
            for start in range(0, len(written), PART):
                part = [texts[place] for place in written[start : start + PART]]
                self._count_cut(part)
                parts.append(self._encode(part, side))
                bar.update(len(part))
        made = vstack(parts, format="csr")
        ends = np.zeros(len(texts) + 1, dtype=made.indptr.dtype)
        ends[np.array(written, dtype=np.int64) + 1] = np.diff(made.indptr)
        np.cumsum(ends, out=ends)
        return csr_matrix((made.data, made.indices, ends), shape=(len(texts), made.shape[1]))

    def encode_documents(self, texts: Sequence[str]) -> list[dict[int, float]]:
        """Return passages as dimension → weight, the form that `evaluate_sparse_model` takes."""
        return list(_dicts(self.encode(texts, Side.PASSAGE)))

    def encode_queries(self, texts: Sequence[str]) -> list[dict[int, float]]:
        """Return queries as dimension → weight."""
        return list(_dicts(self.encode(texts, Side.QUERY)))

    def _encode(self, texts: list[str], side: Side) -> csr_matrix:
        import torch
        from scipy.sparse import csr_matrix

        encode = self._model.encode_query if side is Side.QUERY else self._model.encode_document
        try:
            made: Any = encode(texts, batch_size=self._batch_size, show_progress_bar=False, save_to_cpu=True)
        except torch.OutOfMemoryError:
            raise ConfigError(
                f"{self.name}: {self._batch_size} texts do not fit into the memory of {choose_device(self._device)}; "
                "lower option 'batch_size' or 'max_length'"
            ) from None
        made = made.coalesce()
        rows, columns = made.indices().numpy()
        weights = made.values().float().numpy()
        if not np.isfinite(weights).all():
            raise InputError(f"{self.name}: a weight is not finite; set option 'dtype' to float32")
        return csr_matrix((weights, (rows, columns)), shape=tuple(made.shape))

    @cached_property
    def _checkpoint(self) -> Checkpoint:
        return find_checkpoint(self.model_id, self._revision)

    @cached_property
    def _model(self) -> SparseEncoder:
        checkpoint = self._checkpoint
        device = choose_device(self._device)
        dtype = choose_dtype(self._dtype, device)
        with loading(self.model_id):
            import torch
            from sentence_transformers import SparseEncoder

            model = SparseEncoder(
                checkpoint.source,
                device=device,
                revision=checkpoint.commit or None,
                trust_remote_code=self._trust_remote_code,
                # A query side without a transformer knows no such option.
                model_kwargs={} if dtype == "float32" else {"dtype": getattr(torch, dtype)},
            )
            if self._max_length:
                if model.transformers_model is not None:
                    check_length(self._max_length, model.transformers_model.config, self.model_id)
                model.max_seq_length = self._max_length
        if "SparseAutoEncoder" in _kinds(model) - _stated(checkpoint.folder):
            # The library puts one with random weights behind any dense model.
            raise ConfigError(f"{self.name}: is no sparse encoder: it has no masked-language head; name another model")
        return model

    def _count_cut(self, texts: list[str]) -> None:
        if self._tokenizer is not None:
            self._tokenizer.count_cut(texts)
            self._tokenizer.tell_cut(len(texts))

    @cached_property
    def _tokenizer(self) -> Tokenizer | None:
        """What counts the texts that are cut; None for a model that reads texts in another way."""
        from transformers import PreTrainedTokenizerBase

        own = self._model.tokenizer
        if not isinstance(own, PreTrainedTokenizerBase):
            return None
        return Tokenizer(own, self._model.max_seq_length, self.model_id)


def _kinds(model: SparseEncoder) -> set[str]:
    return {type(module).__name__ for module in model.modules()}


def _stated(folder: Path) -> set[str]:
    """Return the kinds of modules that a model's own files name."""
    modules = read_json(folder / "modules.json") if (folder / "modules.json").is_file() else []
    router = read_json(folder / "router_config.json") if (folder / "router_config.json").is_file() else {}
    types = [module.get("type", "") for module in modules] + list(router.get("types", {}).values())
    return {str(kind).rpartition(".")[2] for kind in types}


def _dicts(matrix: csr_matrix) -> Iterator[dict[int, float]]:
    for start, end in zip(matrix.indptr, matrix.indptr[1:], strict=False):
        yield dict(zip(matrix.indices[start:end].tolist(), matrix.data[start:end].tolist(), strict=True))
