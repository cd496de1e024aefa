"""From texts to a model's inputs, cut at the length that the model reads."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from ragaliq.errors import ConfigError
from ragaliq.retrieve.embed.batches import PART, Tokens
from ragaliq.retrieve.embed.checkpoint import Checkpoint, loading

if TYPE_CHECKING:
    from transformers import PretrainedConfig, PreTrainedTokenizerBase

_NO_LENGTH = 10**9
# These count positions from behind the padding's, so that their tables hold more rows than a text may have tokens.
_BEHIND_PADDING = {"camembert", "data2vec-text", "longformer", "mpnet", "roberta", "xlm-roberta", "xlm-roberta-xl"}


def load_tokenizer(checkpoint: Checkpoint, max_length: int | None, trust_remote_code: bool) -> Tokenizer:
    """Return the tokenizer of a checkpoint, cutting at `max_length` or, if that is None, at what the model can read.

    Raises:
        ConfigError: if it cannot be loaded, or the model cannot read so much.
    """
    with loading(checkpoint.model):
        from transformers import AutoConfig, AutoTokenizer

        shared: dict[str, Any] = {"trust_remote_code": trust_remote_code, "revision": checkpoint.commit or None}
        config = AutoConfig.from_pretrained(checkpoint.source, **shared)
        tokenizer = AutoTokenizer.from_pretrained(checkpoint.source, **shared)
    places = check_length(max_length, config, checkpoint.model)
    return Tokenizer(tokenizer, max_length or min(places or _NO_LENGTH, tokenizer.model_max_length), checkpoint.model)


def check_length(max_length: int | None, config: PretrainedConfig, model: str) -> int | None:
    """Return how many positions a model has, None if it counts none.

    Raises:
        ConfigError: if `max_length` is above that.
    """
    places = getattr(config, "max_position_embeddings", None)
    # XLNet writes −1.
    if not isinstance(places, int) or places < 1:
        return None
    if config.model_type in _BEHIND_PADDING:
        places -= (config.pad_token_id or 0) + 1
    if max_length and max_length > places:
        raise ConfigError(f"embedder '{model}': length {max_length} is above the {places} tokens that the model reads")
    return places


class Tokenizer:
    """Turns texts into a model's inputs, cut at its length, and counts those that it cut.

    Attributes:
        max_length: tokens of a text that are read; None if nothing limits them.
        pad_id: the id that fills up short texts.
        cut: number of texts so far that were longer than the model reads.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, max_length: int | None, model: str) -> None:
        self._tokenizer, self._model = tokenizer, model
        # Tokenizers without a length say 10³⁰.
        self.max_length = max_length if max_length and max_length < _NO_LENGTH else None
        # Models in the manner of RoBERTa tell padding by this id; where there is none, the mask alone decides.
        self.pad_id = 0 if tokenizer.pad_token_id is None else int(tokenizer.pad_token_id)
        self.cut, self._told = 0, False

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Return the inputs of each text."""
        if not texts:
            return []
        rows, longer = self._whole(texts)
        if longer:
            # The tokenizer knows which tokens stay at a cut: those that close a text do.
            short = self._rows([texts[index] for index in longer], {"truncation": True, "max_length": self.max_length})
            for index, row in zip(longer, short, strict=True):
                rows[index] = row
        return rows

    def count_cut(self, texts: Sequence[str]) -> None:
        """Count the texts that are longer than the model reads, where another part tokenizes them."""
        for start in range(0, len(texts), PART):
            self._whole(texts[start : start + PART])

    def tell_cut(self, total: int) -> None:
        """Say how many of `total` texts were cut, if any were; only the first time."""
        if self.cut and not self._told:
            self._told = True
            tqdm.write(
                f"note: {self.cut} of {total} texts are longer than the {self.max_length} tokens that {self._model} "
                "reads; the rest of them is not seen",
                file=sys.stderr,
            )

    def _whole(self, texts: Sequence[str]) -> tuple[list[Tokens], list[int]]:
        """Return the inputs of uncut texts, and the places of those that are too long."""
        rows = self._rows(texts, {"truncation": False, "verbose": False})
        if self.max_length is None:
            return rows, []
        longer = [index for index, row in enumerate(rows) if len(row["input_ids"]) > self.max_length]
        self.cut += len(longer)
        return rows, longer

    def _rows(self, texts: Sequence[str], how: Mapping[str, object]) -> list[Tokens]:
        encoded = self._tokenizer(list(texts), padding=False, return_attention_mask=True, **how)
        names = list(encoded)
        return [dict(zip(names, row, strict=True)) for row in zip(*(encoded[name] for name in names), strict=True)]
