"""Tiny models with random weights, made on the spot: real architectures and tokenizers, nothing to download.

Each function writes a model and its tokenizer into `folder`, as a download would lie there, and returns the folder as a
text, the model id of a configuration. The same seed gives the same weights. Each takes well under a second and
leaves less than 1 MB. What the models write or score has no meaning; what is tested is everything around them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

LINES = (
    "The supply boat leaves the harbour at nine. The kitchen is closed on Sunday. Dogs must be kept on a lead.",
    "Das Versorgungsschiff verlässt den Hafen um neun. Die Küche ist sonntags geschlossen. Hunde sind anzuleinen.",
    "Le bateau de ravitaillement quitte le port à neuf heures. La cuisine est fermée dimanche.",
    "El barco de suministros sale del puerto a las nueve. La cocina cierra el domingo.",
    "Судно снабжения выходит из порта в девять. Кухня закрыта в воскресенье. Собак держат на поводке.",
    "补给船九点离开港口。厨房周日关门。狗必须拴绳。",
    "0 1 2 3 4 5 6 7 8 9 . , ; : ? ! ( ) [ ] - Question Documents",
)
# A template in the manner of ChatML, with a system role.
CHAT_TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
# Gemma refuses the system role in this manner.
NO_SYSTEM_TEMPLATE = (
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}" + CHAT_TEMPLATE
)
_SPECIAL = ["<pad>", "<s>", "</s>", "<unk>", "<|system|>", "<|user|>", "<|assistant|>"]


def tiny_llama(
    folder: Path,
    *,
    chat_template: str | None = CHAT_TEMPLATE,
    system_role: bool = True,
    max_length: int = 2048,
    seed: int = 0,
) -> str:
    """A causal model in the manner of Llama with a byte-level BPE tokenizer.

    Args:
        folder: where it is written.
        chat_template: the tokenizer's Jinja template; None leaves it without one.
        system_role: False takes a template that refuses the system role, in place of `chat_template`.
        max_length: the model's context window in tokens.
        seed: of the weights.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    raw = Tokenizer(models.BPE(unk_token="<unk>"))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    raw.train_from_iterator(
        LINES,
        trainers.BpeTrainer(vocab_size=600, special_tokens=_SPECIAL, initial_alphabet=alphabet, show_progress=False),
    )
    # As Llama's and Gemma's do: a text by itself begins with <s>.
    raw.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=raw,
        bos_token="<s>",
        eos_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
        additional_special_tokens=_SPECIAL[4:],
        model_max_length=max_length,
    )
    template = chat_template if system_role else NO_SYSTEM_TEMPLATE
    if template is not None:
        tokenizer.chat_template = template
    _prepare_torch(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=max_length,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        initializer_range=0.5,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def parrot_llama(folder: Path, says: Sequence[str], *, doubt: tuple[str, float] = ("", 0.0)) -> str:
    """A causal model that writes the same to every prompt.

    Attention and feed-forward are zero, so the next token depends on the last one alone.

    Args:
        folder: where it is written.
        says: the texts that it writes, each one token and all different; then it ends.
        doubt: a text that it could have written in the place of the last of `says`, and with what probability.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tiny_llama(folder, max_length=8192)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder)
    tokenizer.add_tokens([text for text in (*says, doubt[0]) if text])
    # Not near the mean of the others: the texts would then be alike.
    model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    chain = [tokenizer.convert_tokens_to_ids(text) for text in ("<|assistant|>", *says, "</s>")]
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if "o_proj" in name or "down_proj" in name:
                weights.zero_()
        model.lm_head.weight.zero_()
        states = model.model.norm(model.model.embed_tokens.weight)
        for last, following in pairwise(chain):
            model.lm_head.weight[following] += 2 * states[last]
        if doubt[0]:
            # Its score is less by the logarithm of the odds.
            state, odds = states[chain[-3]], (1 - doubt[1]) / doubt[1]
            less = 1 - math.log(odds) / float(2 * state @ state)
            model.lm_head.weight[tokenizer.convert_tokens_to_ids(doubt[0])] += 2 * less * state
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def tiny_bert(folder: Path, *, max_length: int = 128, seed: int = 0) -> str:
    """An encoder in the manner of BERT with a WordPiece tokenizer; its vectors have 32 dimensions."""
    from transformers import BertModel

    _write_bert(BertModel, folder, max_length, seed)
    return str(folder)


def tiny_cross_encoder(folder: Path, *, max_length: int = 128, seed: int = 0) -> str:
    """A BERT that gives one number for a pair of texts."""
    from transformers import BertForSequenceClassification

    _write_bert(BertForSequenceClassification, folder, max_length, seed)
    return str(folder)


def _write_bert(kind: type, folder: Path, max_length: int, seed: int) -> None:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, PreTrainedTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    # Words and characters, put together by hand: the library's trainer numbers them differently each time.
    words = sorted({word for line in LINES for word in line.lower().replace(".", " .").split()})
    letters = sorted({letter for word in words for letter in word})
    pieces = [*special, *letters, *(f"##{letter}" for letter in letters), *(w for w in words if len(w) > 1)]
    raw = Tokenizer(models.WordPiece({piece: number for number, piece in enumerate(pieces)}, unk_token="[UNK]"))
    raw.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=False)
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.decoder = decoders.WordPiece()
    raw.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=raw,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
        model_max_length=max_length,
    )
    _prepare_torch(seed)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=max_length,
        pad_token_id=tokenizer.pad_token_id,
        # Greater than usual, so that different texts get clearly different numbers.
        initializer_range=0.5,
    )
    config.num_labels = 1
    kind(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _prepare_torch(seed: int) -> None:
    import torch

    # Threads only wait for each other over matrices this small, the more so on a busy machine.
    torch.set_num_threads(1)
    torch.manual_seed(seed)
