"""Embedding models of the Hugging Face hub or a folder, run by sentence-transformers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import ConfigError, InputError, nearest
from ragaliq.local.checkpoint import loading
from ragaliq.local.model import LocalModel
from ragaliq.retrieve import Side
from ragaliq.retrieve.embed.conventions import Conventions, Pooling, beyond_pooling, read_conventions
from ragaliq.retrieve.embed.rows import unit_rows

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

BACKENDS = ("onnx", "openvino", "torch")
# The library's word for the one that differs.
_LIBRARY_POOLING = {Pooling.MEAN: "mean", Pooling.CLS: "cls", Pooling.LAST: "lasttoken"}


@dataclass(eq=False)
class SentenceTransformersEmbedder(LocalModel):
    """Embeds with whatever modules the model's own files name; vectors have unit length.

    In float32 a text's vector is the same alone and in any batch, but for the last digits.

    Attributes:
        query_prefix: stands before queries; None takes the model's own, else that of the shipped table.
        passage_prefix: the same before passages.
        backend: `torch`, or `onnx` or `openvino`, for which the library wants its own extras.
    """

    stage: ClassVar[str] = "embedder"
    kind: ClassVar[str] = "sentence-transformers"

    query_prefix: str | None = None
    passage_prefix: str | None = None
    backend: str = "torch"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.backend not in BACKENDS:
            raise ConfigError(f"{self.label}: unknown backend '{self.backend}'; {nearest(self.backend, BACKENDS)}")

    @property
    def resolved(self) -> str:
        """What was loaded, for the run's record."""
        return str(self)

    def __str__(self) -> str:
        """Name everything that decides the vectors: the files' content, the conventions, how the model is run."""
        settings = {field.name: getattr(self.conventions, field.name) for field in fields(Conventions)}
        run = {"backend": self.backend, "dtype": self.dtype_name()}
        return f"{self.kind} {self.checkpoint.name()} {settings | run}"

    @cached_property
    def conventions(self) -> Conventions:
        """How the model is used.

        Raises:
            ConfigError: if the model's files do not say it.
        """
        # The library would take the mean over the tokens of any model.
        if not (self.checkpoint.folder / "modules.json").is_file():
            raise ConfigError(
                f"{self.label}: the model has no modules.json; use transformers:{self.model} with option 'pooling'"
            )
        return self._conventions(None, True)

    def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
        """Return one vector for each text; a blank one gets zeros.

        Raises:
            ConfigError: if the model cannot be loaded or run.
            InputError: if it gives a number that is not finite.
        """
        conventions = self.conventions
        prefix = conventions.query_prefix if side is Side.QUERY else conventions.passage_prefix
        vectors = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for places in self.parts(self._encoder, texts, prefix or ""):
            if places:
                vectors[places] = self._encode([texts[place] for place in places], side, prefix or "")
        return vectors

    def _encode(self, texts: list[str], side: Side, prefix: str = "") -> NDArray[np.float32]:
        encode = self._encoder.encode_query if side is Side.QUERY else self._encoder.encode_document
        with self.running():
            vectors = np.asarray(
                encode(texts, prompt=prefix, batch_size=self.batch_size, show_progress_bar=False), dtype=np.float32
            )
        if not np.isfinite(vectors).all():
            raise InputError(f"{self.label}: a vector is not finite; set option 'dtype' to float32")
        # Here and not in the library, which would do it in the 16 bits of the weights.
        return unit_rows(vectors) if self.conventions.normalise else vectors

    def _conventions(self, pooling: Pooling | None, normalise: bool | None) -> Conventions:
        options = Conventions(pooling, normalise, self.query_prefix, self.passage_prefix, self.max_length or None)
        return read_conventions(self.checkpoint.folder, self.model, options)

    @cached_property
    def _encoder(self) -> SentenceTransformer:
        with loading(self.label):
            encoder = self._load()
            self.set_window(encoder, self.conventions.max_length)
        return encoder

    def _load(self) -> SentenceTransformer:
        import torch
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(
            self.checkpoint.source,
            device=self.device_name(),
            backend=self.backend,  # type: ignore[arg-type]
            model_kwargs={"dtype": getattr(torch, self.dtype_name())} if self.backend == "torch" else {},
            **self.source,
        )

    @cached_property
    def _dimension(self) -> int:
        return int(self._encode(["a"], Side.PASSAGE).shape[1])


@dataclass(eq=False)
class TransformersEmbedder(SentenceTransformersEmbedder):
    """Embeds with a bare transformer, pooled and prefixed as the model wants it (see `conventions.py`).

    Attributes:
        pooling: `mean`, `cls` or `last`; empty takes the model's own.
        normalise: bring vectors to unit length; None takes the model's own, which nearly always is True.
    """

    kind: ClassVar[str] = "transformers"

    pooling: str = ""
    normalise: bool | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pooling and self.pooling not in list(Pooling):
            raise ConfigError(f"{self.label}: unknown pooling '{self.pooling}'; {nearest(self.pooling, list(Pooling))}")

    @cached_property
    def conventions(self) -> Conventions:
        """How the model is used: its own conventions with what the options override.

        Raises:
            ConfigError: if nobody states the pooling, or the files ask for more than pooling.
        """
        more = beyond_pooling(self.checkpoint.folder)
        if more and not self.pooling:
            raise ConfigError(
                f"{self.label}: the model does more than pool ({more}); use sentence-transformers:{self.model}, or set "
                "option 'pooling' to leave that out"
            )
        conventions = self._conventions(Pooling(self.pooling) if self.pooling else None, self.normalise)
        if conventions.pooling is None:
            raise ConfigError(
                f"{self.label}: neither its files nor the table says how its vectors are pooled; set option 'pooling' "
                f"({', '.join(Pooling)}) as its model card says"
            )
        return conventions

    def _load(self) -> SentenceTransformer:
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Pooling as PoolingModule

        conventions = self.conventions
        assert conventions.pooling is not None
        transformer = self.transformer(self.backend)
        pooling = PoolingModule(transformer.get_embedding_dimension(), _LIBRARY_POOLING[conventions.pooling])
        return SentenceTransformer(modules=[transformer, pooling], device=self.device_name())
