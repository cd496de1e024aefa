"""A local sequence-classification model that gives one number for a question and a text."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from ragaliq.errors import ConfigError, InputError, listed
from ragaliq.storage.redaction import error_line

if TYPE_CHECKING:
    import torch

DTYPES = ("bfloat16", "float16", "float32")
# A tokenizer that knows no window says 10³⁰.
_NO_WINDOW = 10**9


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Which model is loaded, and how it is run.

    Attributes:
        model: id on the Hugging Face hub, or a folder.
        batch_size: pairs that are scored at once.
        device: as torch writes it; empty takes a GPU if there is one.
        dtype: one of `DTYPES`; empty is float32: 16 bits leave a logit two or three digits.
        max_length: tokens of a pair that are read; 0 is the model's window.
        revision: branch, tag or commit on the hub; empty is its main branch.
        trust_remote_code: run code that comes with the model.
    """

    model: str
    batch_size: int = 32
    device: str = ""
    dtype: str = ""
    max_length: int = 0
    revision: str = ""
    trust_remote_code: bool = False

    def __str__(self) -> str:
        """Name the component in messages."""
        return f"reranker 'cross-encoder:{self.model}'"

    def check(self) -> None:
        """Refuse options that cannot work.

        Raises:
            ConfigError: naming the option.
        """
        if not self.model:
            raise ConfigError("reranker 'cross-encoder': name its model, as in cross-encoder:MODEL")
        if self.batch_size < 1 or self.max_length < 0:
            raise ConfigError(f"{self}: option 'batch_size' is at least 1, 'max_length' at least 0")
        if self.dtype and self.dtype not in DTYPES:
            raise ConfigError(f"{self}: unknown dtype '{self.dtype}'; {listed(DTYPES)}")
        if find_spec("torch") is None:
            raise ConfigError(f"{self}: needs torch: pip install 'ragaliq[hf]'")


class PairScorer:
    """Scores pairs in batches of like length, so that little is spent on padding.

    Attributes:
        cut: number of different pairs so far that were longer than the window, so that their end was not read.
    """

    def __init__(self, options: ModelOptions) -> None:
        """Load model and tokenizer.

        Raises:
            ConfigError: if the model cannot be loaded, or is none that scores pairs.
        """
        self._options = options
        self._device = options.device or _best_device()
        self._tokenizer, self._model = _load(options, self._device)
        self._window = _window(options, self._tokenizer, self._model)
        # Without a padding token a batch of unequal lengths has no form.
        self._batch_size = options.batch_size if self._tokenizer.pad_token_id is not None else 1
        if self._model.config.pad_token_id is None:
            self._model.config.pad_token_id = self._tokenizer.pad_token_id
        self.cut = 0

    @property
    def commit(self) -> str:
        """The commit of the hub that was loaded; empty for a folder."""
        return str(getattr(self._model.config, "_commit_hash", None) or "")

    def logits(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the relevance of each text to the query in log-odds: the model's one logit, or of two the difference.

        Equal texts get equal numbers; each is scored once.

        Raises:
            InputError: if the model gives a number that is not finite, or a batch does not fit into the memory.
        """
        import torch

        found = dict.fromkeys(texts, 0.0)
        different = list(found)
        if not different:
            return []
        lengths = [len(row) for row in self._tokens(query, different, truncation=False, verbose=False)["input_ids"]]
        self._count_cut(lengths)
        for batch in _batches(lengths, self._batch_size):
            tokens = self._tokens(
                query,
                [different[index] for index in batch],
                padding=len(batch) > 1,
                truncation="longest_first",
                max_length=self._window,
                return_tensors="pt",
            )
            try:
                with torch.inference_mode():
                    rows = self._model(**tokens.to(self._device)).logits.float().cpu()
            except torch.OutOfMemoryError:
                raise InputError(
                    f"{self._options}: {len(batch)} pairs do not fit into the memory of {self._device}; lower option "
                    "'batch_size' or 'max_length'"
                ) from None
            for index, row in zip(batch, rows, strict=True):
                found[different[index]] = _log_odds(row)
        if not all(map(math.isfinite, found.values())):
            raise InputError(f"{self._options}: a score is not a finite number; try dtype float32 or bfloat16")
        return [found[text] for text in texts]

    def _tokens(self, query: str, texts: Sequence[str], **how: Any) -> Any:
        return self._tokenizer([query] * len(texts), list(texts), **how)

    def _count_cut(self, lengths: Sequence[int]) -> None:
        longer = sum(length > self._window for length in lengths)
        if longer and not self.cut:
            line = f"note: {self._options}: pairs of question and chunk are longer than its window of {self._window} "
            tqdm.write(f"{line}tokens; what is beyond it is not read", file=sys.stderr)
        self.cut += longer


def _best_device() -> str:
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _load(options: ModelOptions, device: str) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    shared: dict[str, Any] = {"trust_remote_code": options.trust_remote_code}
    if options.revision:
        shared["revision"] = options.revision
    try:
        tokenizer = AutoTokenizer.from_pretrained(options.model, **shared)
        model, info = AutoModelForSequenceClassification.from_pretrained(
            options.model, dtype=getattr(torch, options.dtype or "float32"), output_loading_info=True, **shared
        )
        model = model.to(device).eval()
    except Exception as error:  # Hub, tokenizers, weights and code of the model's own: whatever it is, is told.
        raise ConfigError(f"{options}: cannot be loaded ({error_line(error)}); check id and options") from None
    missing = sorted(info["missing_keys"])
    if missing:
        # Transformers fills such weights with random numbers.
        raise ConfigError(f"{options}: its files lack weights ('{missing[0]}'); it is no model that scores pairs")
    if model.config.num_labels not in (1, 2):
        raise ConfigError(f"{options}: it tells {model.config.num_labels} classes apart; one or two are expected")
    return tokenizer, model


def _window(options: ModelOptions, tokenizer: Any, model: Any) -> int:
    """Return how many tokens of a pair are read."""
    places = getattr(model.config, "max_position_embeddings", None) or _NO_WINDOW
    # Models in the manner of RoBERTa count their positions from behind that of the padding.
    tables = [module for name, module in model.named_modules() if name.endswith("position_embeddings")]
    unused = max(
        (table.padding_idx + 1 for table in tables if getattr(table, "padding_idx", None) is not None), default=0
    )
    window = min(places - unused if places > 0 else _NO_WINDOW, tokenizer.model_max_length)
    if options.max_length > window:
        raise ConfigError(f"{options}: option 'max_length' is above the model's window of {window} tokens")
    return int(options.max_length or window)


def _batches(lengths: Sequence[int], size: int) -> Iterator[list[int]]:
    """Yield the positions in batches, the longest first: what does not fit into memory shows at once."""
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    for start in range(0, len(order), size):
        yield order[start : start + size]


def _log_odds(row: torch.Tensor) -> float:
    values = row.tolist()
    # The softmax of two classes is the sigmoid of their difference; the second is "relevant".
    return float(values[0] if len(values) == 1 else values[1] - values[0])
