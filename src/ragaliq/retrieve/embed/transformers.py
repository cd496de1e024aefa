"""An embedding model of the Hugging Face hub or a folder, run on this machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from importlib.util import find_spec
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from ragaliq.errors import ConfigError, InputError
from ragaliq.retrieve import Side
from ragaliq.retrieve.embed.batches import PART, Batch, Tokens, length_batches, padded
from ragaliq.retrieve.embed.checkpoint import Checkpoint, find_checkpoint
from ragaliq.retrieve.embed.conventions import Conventions, Pooling, StatedConventions, read_conventions
from ragaliq.retrieve.embed.onnx import OnnxEncoder
from ragaliq.retrieve.embed.options import check_choice, check_optional, check_sizes
from ragaliq.retrieve.embed.tokens import Tokenizer, load_tokenizer
from ragaliq.retrieve.embed.torch_encoder import DTYPES, TorchEncoder, choose_device, choose_dtype

BACKENDS = ("onnx", "torch")


class Encoder(Protocol):
    """Something that runs a model.

    Attributes:
        budget: number of tokens, padding included, beyond which a batch gains no speed.
    """

    budget: float

    def pooled(self, batch: Batch, pooling: Pooling) -> NDArray[np.float32]:
        """Return one vector for each text of a batch, not normalised."""
        ...


class TransformersEmbedder:
    """Embeds with a transformer, pooled and prefixed as the model wants it (see `conventions.py`).

    The model is loaded when it is first needed, and serves all languages. Texts are batched by length; in float32 a
    text's vector is the same alone and in any batch, but for the last digits.
    """

    def __init__(
        self,
        model: str,
        pooling: str = "",
        query_prefix: str | None = None,
        passage_prefix: str | None = None,
        normalise: bool | None = None,
        device: str = "",
        dtype: str = "",
        batch_size: int = 32,
        max_length: int = 0,
        revision: str = "",
        trust_remote_code: bool = False,
        backend: str = "torch",
    ) -> None:
        """Check the options.

        Args:
            model: id on the model hub, or a folder.
            pooling: `mean`, `cls` or `last`; empty takes the model's own.
            query_prefix: stands before queries; None takes the model's own.
            passage_prefix: stands before passages; None takes the model's own.
            normalise: bring vectors to unit length; None takes the model's own, which nearly always is True.
            device: as torch writes it; empty takes a GPU if there is one.
            dtype: `float32`, `bfloat16` or `float16`; empty takes 16 bits on an NVIDIA GPU, else `float32`.
            batch_size: most texts that are embedded at once; on a CPU fewer, if they are long.
            max_length: tokens of a text that are read; 0 takes the model's own number.
            revision: branch, tag or commit on the hub.
            trust_remote_code: run code that comes with the model.
            backend: `torch`, or `onnx` for the model's file `onnx/model.onnx`, which needs no torch.

        Raises:
            ConfigError: if an option cannot be, or torch is not installed.
        """
        self._name = name = f"embedder 'transformers:{model}'"
        if not model:
            raise ConfigError("embedder 'transformers': name its model, as in transformers:MODEL")
        check_choice(name, "pooling", pooling, Pooling)
        check_choice(name, "dtype", dtype, DTYPES)
        check_choice(name, "backend", backend, BACKENDS)
        check_optional(name, str, query_prefix=query_prefix, passage_prefix=passage_prefix)
        check_optional(name, bool, normalise=normalise)
        check_sizes(name, batch_size, max_length)
        if backend == "onnx" and dtype:
            raise ConfigError(f"{name}: the ONNX file decides the dtype; leave option 'dtype' out")
        if backend != "onnx" and find_spec("torch") is None:
            raise ConfigError(f"{name}: needs torch: pip install 'ragaliq[hf]', or option 'backend' onnx")
        self._model, self._revision, self._backend = model, revision, backend or "torch"
        self._device, self._dtype, self._batch_size = device, dtype, batch_size
        self._trust_remote_code = trust_remote_code
        way = Pooling(pooling) if pooling else None
        self._given = StatedConventions(way, normalise, query_prefix, passage_prefix, max_length or None)

    @property
    def resolved(self) -> str:
        """What was loaded, for the run's record."""
        return str(self)

    def __str__(self) -> str:
        """Name everything that decides the vectors: the files' content, the conventions, how the model is run."""
        c = self.conventions
        settings = {
            "pooling": str(c.pooling), "normalise": c.normalise, "query": c.query_prefix, "passage": c.passage_prefix,
            "max_length": c.max_length, "backend": self._backend, "dtype": self._dtype_name(),
        }  # fmt: skip
        return f"transformers {self._content} {settings}"

    @property
    def conventions(self) -> Conventions:
        """How the model is used: its own conventions with what the options override, and the length resolved."""
        return replace(self._conventions, max_length=self._tokenizer.max_length)

    def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
        """Return one vector for each text; a blank one gets zeros.

        Raises:
            ConfigError: if the model cannot be loaded or run.
            InputError: if it gives a number that is not finite.
        """
        prefix = self._conventions.query_prefix if side is Side.QUERY else self._conventions.passage_prefix
        written = [index for index, text in enumerate(texts) if text.strip()]
        vectors = np.zeros((len(texts), self._dimension), dtype=np.float32)
        with tqdm(total=len(written), desc="embed", unit="text", delay=2, leave=False, disable=None) as bar:
            for start in range(0, len(written), PART):
                part = written[start : start + PART]
                for places, made in self._batches(part, [prefix + texts[index] for index in part]):
                    vectors[places] = made
                    bar.update(len(places))
        self._tokenizer.tell_cut(len(written))
        return vectors

    def _batches(self, places: Sequence[int], texts: Sequence[str]) -> Iterator[tuple[list[int], NDArray[np.float32]]]:
        """Yield the vectors of texts batch by batch, with their places."""
        # A tokenizer may know nothing of a text.
        kept = [
            (place, row) for place, row in zip(places, self._tokenizer.tokens(texts), strict=True) if row["input_ids"]
        ]
        lengths = [len(row["input_ids"]) for _, row in kept]
        for batch in length_batches(lengths, self._batch_size, self._encoder.budget):
            yield [kept[index][0] for index in batch], self._run([kept[index][1] for index in batch])

    def _run(self, rows: Sequence[Tokens]) -> NDArray[np.float32]:
        vectors = self._encoder.pooled(padded(rows, self._tokenizer.pad_id), self._conventions.pooling)
        if not np.isfinite(vectors).all():
            raise InputError(f"{self._name}: a vector is not finite; set option 'dtype' to float32")
        if not self._conventions.normalise:
            return vectors
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(norms > 0, norms, 1), dtype=np.float32)

    def _dtype_name(self) -> str:
        return "file" if self._backend == "onnx" else choose_dtype(self._dtype, choose_device(self._device))

    @cached_property
    def _checkpoint(self) -> Checkpoint:
        return find_checkpoint(self._model, self._revision)

    @cached_property
    def _content(self) -> str:
        return self._checkpoint.name()

    @cached_property
    def _conventions(self) -> Conventions:
        return read_conventions(self._checkpoint.folder, self._model, self._given)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return load_tokenizer(self._checkpoint, self._conventions.max_length, self._trust_remote_code)

    @cached_property
    def _encoder(self) -> Encoder:
        if self._backend == "onnx":
            return OnnxEncoder(self._checkpoint, self._device)
        device = choose_device(self._device)
        return TorchEncoder(self._checkpoint, device, choose_dtype(self._dtype, device), self._trust_remote_code)

    @cached_property
    def _dimension(self) -> int:
        return int(self._run(self._tokenizer.tokens(["a"])).shape[1])
