"""A model in the layout of sentence-transformers, run by that library with whatever modules the model has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import ConfigError, InputError
from ragaliq.retrieve import Side
from ragaliq.retrieve.embed.checkpoint import Checkpoint, find_checkpoint, loading
from ragaliq.retrieve.embed.conventions import prompts_of, table_prefixes
from ragaliq.retrieve.embed.options import check_choice, check_optional, check_sizes
from ragaliq.retrieve.embed.tokens import Tokenizer, check_length
from ragaliq.retrieve.embed.torch_encoder import DTYPES, choose_device, choose_dtype

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

BACKENDS = ("onnx", "openvino", "torch")


class SentenceTransformersEmbedder:
    """Embeds with `SentenceTransformer.encode_query` and `encode_document`; vectors have unit length.

    Prompts are those of the options, else the model's own, else the prefixes of the shipped table (`conventions.yaml`).
    The model is loaded when it is first needed, and serves all languages.
    """

    def __init__(
        self,
        model: str,
        query_prefix: str | None = None,
        passage_prefix: str | None = None,
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
            query_prefix: stands before queries; None takes the model's own.
            passage_prefix: stands before passages; None takes the model's own.
            device: as torch writes it; empty takes a GPU if there is one.
            dtype: `float32`, `bfloat16` or `float16`; empty takes 16 bits on an NVIDIA GPU, else `float32`.
            batch_size: texts that are embedded at once.
            max_length: tokens of a text that are read; 0 takes the model's own number.
            revision: branch, tag or commit on the hub.
            trust_remote_code: run code that comes with the model.
            backend: `torch`, or `onnx` or `openvino`, for which the library wants its own extras.

        Raises:
            ConfigError: if an option cannot be, or sentence-transformers is not installed.
        """
        self._name = name = f"embedder 'sentence-transformers:{model}'"
        if not model:
            raise ConfigError("embedder 'sentence-transformers': name its model, as in sentence-transformers:MODEL")
        check_choice(name, "dtype", dtype, DTYPES)
        check_choice(name, "backend", backend, BACKENDS)
        check_optional(name, str, query_prefix=query_prefix, passage_prefix=passage_prefix)
        check_sizes(name, batch_size, max_length)
        if find_spec("sentence_transformers") is None:
            raise ConfigError(f"{name}: needs sentence-transformers: pip install 'ragaliq[hf]'")
        self._model_id, self._revision, self._backend = model, revision, backend or "torch"
        self._prefixes = {Side.QUERY: query_prefix, Side.PASSAGE: passage_prefix}
        self._device, self._dtype = device, dtype
        self._batch_size, self._max_length = batch_size, max_length
        self._trust_remote_code = trust_remote_code

    @property
    def resolved(self) -> str:
        """What was loaded, for the run's record."""
        return str(self)

    def __str__(self) -> str:
        """Name everything that decides the vectors: the files' content, and what the options change."""
        settings = {
            "query": self._prefixes[Side.QUERY], "passage": self._prefixes[Side.PASSAGE],
            "table": table_prefixes(self._model_id), "max_length": self._max_length, "backend": self._backend,
            "dtype": choose_dtype(self._dtype, choose_device(self._device)),
        }  # fmt: skip
        return f"sentence-transformers {self._content} {settings}"

    def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
        """Return one vector for each text; a blank one gets zeros.

        Raises:
            ConfigError: if the model cannot be loaded.
            InputError: if it gives a number that is not finite.
        """
        written = [index for index, text in enumerate(texts) if text.strip()]
        vectors = np.zeros((len(texts), self._dimension), dtype=np.float32)
        if written:
            vectors[written] = self._encode([texts[index] for index in written], side)
        return vectors

    def _encode(self, texts: list[str], side: Side) -> NDArray[np.float32]:
        encode = self._model.encode_query if side is Side.QUERY else self._model.encode_document
        prompt = self._prefix(side)
        if self._tokenizer is not None:
            self._tokenizer.count_cut([prompt + text for text in texts])
            self._tokenizer.tell_cut(len(texts))
        made = encode(
            texts, prompt=prompt, batch_size=self._batch_size, normalize_embeddings=True, show_progress_bar=False
        )
        vectors = np.asarray(made, dtype=np.float32)
        if not np.isfinite(vectors).all():
            raise InputError(f"{self._name}: a vector is not finite; set option 'dtype' to float32")
        return vectors

    def _prefix(self, side: Side) -> str:
        """Return what stands before a text.

        The library itself would pass over a prompt named `passage`, because it gives every model an empty `document`.
        """
        given = self._prefixes[side]
        place = 0 if side is Side.QUERY else 1
        own = prompts_of(self._model.prompts)[place]
        return next(text for text in (given, own, table_prefixes(self._model_id)[place]) if text is not None)

    @cached_property
    def _checkpoint(self) -> Checkpoint:
        found = find_checkpoint(self._model_id, self._revision)
        # The library would take the mean over the tokens of any model.
        if not (found.folder / "modules.json").is_file():
            raise ConfigError(
                f"{self._name}: the model has no modules.json; use transformers:{self._model_id} with option 'pooling'"
            )
        return found

    @cached_property
    def _content(self) -> str:
        return self._checkpoint.name()

    @cached_property
    def _model(self) -> SentenceTransformer:
        checkpoint = self._checkpoint
        device = choose_device(self._device)
        with loading(self._model_id):
            import torch
            from sentence_transformers import SentenceTransformer

            weights = {"dtype": getattr(torch, choose_dtype(self._dtype, device))} if self._backend == "torch" else {}
            model = SentenceTransformer(
                checkpoint.source,
                device=device,
                revision=checkpoint.commit or None,
                trust_remote_code=self._trust_remote_code,
                backend=self._backend,  # type: ignore[arg-type]
                model_kwargs=weights,
            )
            if self._max_length:
                if model.transformers_model is not None:
                    check_length(self._max_length, model.transformers_model.config, self._model_id)
                model.max_seq_length = self._max_length
        return model

    @cached_property
    def _tokenizer(self) -> Tokenizer | None:
        """What counts the texts that are cut; None for a model that reads texts in another way."""
        from transformers import PreTrainedTokenizerBase

        own = self._model.tokenizer
        if not isinstance(own, PreTrainedTokenizerBase):
            return None
        return Tokenizer(own, self._model.max_seq_length, self._model_id)

    @cached_property
    def _dimension(self) -> int:
        return int(self._encode(["a"], Side.PASSAGE).shape[1])
