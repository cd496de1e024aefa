"""A model of the hub or a folder, and how it is run on this machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar

from ragaliq.errors import ConfigError, nearest
from ragaliq.execution.progress import StageProgress, say
from ragaliq.local.checkpoint import Checkpoint, find_checkpoint

if TYPE_CHECKING:
    from sentence_transformers.base.model import BaseModel
    from sentence_transformers.base.modules import Transformer

DTYPES = ("bfloat16", "float16", "float32")
# Texts between two steps of the progress bar, and the most whose tokens are held at once.
PART = 4096
# Tokenizers without a limit state 10³⁰.
_NO_LIMIT = 10**9
# These number positions from behind the padding's, so their tables hold more rows than a text may have tokens.
_BEHIND_PADDING = {"camembert", "data2vec-text", "longformer", "mpnet", "roberta", "xlm-roberta", "xlm-roberta-xl"}


@dataclass(eq=False)
class LocalModel:
    """The options of every local model. It is loaded when it is first needed, and serves all languages.

    Attributes:
        model: id on the model hub, or a folder.
        revision: branch, tag or commit on the hub; empty is its main branch.
        device: as torch writes it; empty takes a GPU if there is one.
        dtype: one of `DTYPES`; empty takes 16 bits on an NVIDIA GPU, else `float32`.
        batch_size: texts that are run at once.
        max_length: tokens of a text that are read; 0 takes the model's own number.
        trust_remote_code: run code that comes with the model.
    """

    stage: ClassVar[str]
    kind: ClassVar[str]

    model: str
    revision: str = ""
    device: str = ""
    dtype: str = ""
    batch_size: int = 32
    max_length: int = 0
    trust_remote_code: bool = False

    def __post_init__(self) -> None:
        """Check the options.

        Raises:
            ConfigError: if an option cannot work, or sentence-transformers is not installed.
        """
        if not self.model:
            raise ConfigError(f"{self.stage} '{self.kind}': name its model, as in {self.kind}:MODEL")
        if self.dtype and self.dtype not in DTYPES:
            raise ConfigError(f"{self.label}: unknown dtype '{self.dtype}'; {nearest(self.dtype, DTYPES)}")
        if self.batch_size < 1 or self.max_length < 0:
            raise ConfigError(f"{self.label}: option 'batch_size' is at least 1, 'max_length' at least 0")
        if find_spec("sentence_transformers") is None:
            raise ConfigError(f"{self.label}: needs sentence-transformers: pip install sentence-transformers")
        # Texts that were longer than the window so far, so that their end was not read.
        self.cut = 0

    @property
    def label(self) -> str:
        """The component's name in messages."""
        return f"{self.stage} '{self.kind}:{self.model}'"

    @cached_property
    def checkpoint(self) -> Checkpoint:
        """The model's files, the weights perhaps not yet among them."""
        return find_checkpoint(self.label, self.model, self.revision)

    @property
    def source(self) -> dict[str, Any]:
        """What every loader of Hugging Face takes."""
        return {"revision": self.checkpoint.commit or None, "trust_remote_code": self.trust_remote_code}

    def device_name(self) -> str:
        """Return the device of the option, else the first GPU, else the CPU."""
        import torch

        if self.device:
            return self.device
        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"

    def dtype_name(self) -> str:
        """Return the precision of the option, else the fastest that is safe on the device."""
        import torch

        if self.dtype or not self.device_name().startswith("cuda"):
            return self.dtype or "float32"
        # float16 is for GPUs that know no better: some models leave its range.
        return "bfloat16" if torch.cuda.is_bf16_supported() else "float16"

    def transformer(self, backend: str = "torch", task: str = "feature-extraction") -> Transformer:
        """Return the module that runs the weights, its tokenizer ready to pad.

        Raises:
            ConfigError: if the files lack weights.
        """
        import torch
        from sentence_transformers.base.modules import Transformer

        label, in_torch = self.label, backend == "torch"

        class CompleteTransformer(Transformer):
            def _load_model(self, *args: Any, **options: Any) -> Any:
                # Transformers fills missing weights with random numbers; an encoder's pooler is not used.
                loaded: Any = super()._load_model(*args, **options)
                if not in_torch:
                    return loaded
                model, info = loaded
                missing = sorted(key for key in info["missing_keys"] if not key.startswith("pooler."))
                if missing:
                    raise ConfigError(f"{label}: its files lack weights ('{missing[0]}'); name another model")
                return model

        weights = {"dtype": getattr(torch, self.dtype_name()), "output_loading_info": True} if in_torch else {}
        module: Transformer = CompleteTransformer(
            self.checkpoint.source,
            transformer_task=task,
            backend=backend,
            model_kwargs={**self.source, **weights},
            processor_kwargs=dict(self.source),
            config_kwargs=dict(self.source),
        )
        # Plain texts: the library would put them into a decoder's chat template.
        module.modality_config = {"text": module.modality_config["text"]}
        tokenizer: Any = module.tokenizer
        # On the right whatever the tokenizer says: positions then count from the text's first token in every model, and
        # a decoder's tokens never see the padding behind them.
        tokenizer.padding_side = "right"
        if tokenizer.pad_token is None:
            # The attention mask decides, so any token pads.
            tokenizer.pad_token = tokenizer.convert_ids_to_tokens(0)
        elif module.config.pad_token_id is None:
            module.config.pad_token_id = tokenizer.pad_token_id
        return module

    def set_window(self, encoder: BaseModel, length: int | None = None) -> None:
        """Let a loaded model read as many tokens as `max_length` or `length` says, and no more than it has positions.

        Raises:
            ConfigError: if `max_length` is above the positions.
        """
        config = getattr(encoder.transformers_model, "config", None)
        places = _positions(config) if config is not None else _NO_LIMIT
        if self.max_length > places:
            raise ConfigError(f"{self.label}: length {self.max_length} is above the {places} tokens that it reads")
        wanted = self.max_length or min(length or encoder.max_seq_length or _NO_LIMIT, places)
        if wanted < _NO_LIMIT:
            encoder.max_seq_length = wanted

    def token_counts(self, encoder: BaseModel, *texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, or of each pair; 1 where the model has no tokenizer of the hub.

        Those above the window are counted in `cut`.
        """
        from transformers import PreTrainedTokenizerBase

        if not isinstance(encoder.tokenizer, PreTrainedTokenizerBase):
            return [1] * len(texts[0])
        rows = encoder.tokenizer(*map(list, texts), padding=False, truncation=False, verbose=False)
        counts = [len(row) for row in rows["input_ids"]]
        self.cut += sum(count > (encoder.max_seq_length or _NO_LIMIT) for count in counts)
        return counts

    def parts(self, encoder: BaseModel, texts: Sequence[str], prefix: str = "") -> Iterator[list[int]]:
        """Yield the places of the texts to encode in parts, behind a progress bar; note on stderr how many are cut.

        Blank texts and those of which the tokenizer knows nothing are left out.
        """
        noted = bool(self.cut)
        places = [place for place, text in enumerate(texts) if text.strip()]
        with StageProgress(self.stage, len(places), "text", inner=True) as progress:
            for start in range(0, len(places), PART):
                part = places[start : start + PART]
                counts = self.token_counts(encoder, [prefix + texts[place] for place in part])
                yield [place for place, count in zip(part, counts, strict=True) if count]
                progress.step(len(part))
        if self.cut and not noted:
            say(
                f"note: {self.cut} of {len(places)} texts are longer than the {encoder.max_seq_length} tokens that "
                f"{self.model} reads; the rest of them is not seen",
            )

    @contextmanager
    def running(self) -> Iterator[None]:
        """Turn a lack of GPU memory into one line.

        Raises:
            ConfigError: if a batch does not fit.
        """
        import torch

        try:
            yield
        except torch.OutOfMemoryError:
            raise ConfigError(
                f"{self.label}: {self.batch_size} texts do not fit into the memory of {self.device_name()}; lower "
                "option 'batch_size' or 'max_length'"
            ) from None


def _positions(config: Any) -> int:
    """Return how many tokens a model can number; without a table of positions there is no limit."""
    places = getattr(config, "max_position_embeddings", None)
    # XLNet writes −1.
    if not isinstance(places, int) or places < 1:
        return _NO_LIMIT
    return places - (config.pad_token_id or 0) - 1 if config.model_type in _BEHIND_PADDING else places
