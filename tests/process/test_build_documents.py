"""Documents with odd names and line ends, through the whole chain."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq import load_benchmark
from ragaliq.cli import main
from unit.build.folders import stage, write_folder


@pytest.mark.slow
def test_odd_names_reach_the_benchmark_and_b10_a_changed_corpus_is_told(
    sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = [(sample / "sources" / "en" / f"{name}.md").read_bytes() for name in ("meals", "labs", "safety", "lodging")]
    write_folder(tmp_path, {
        "one/文 档/100% a:b.md": pages[0], "one/LICENSE": pages[1], "two/LICENSE": pages[2],
        "two/crlf.md": b"\xef\xbb\xbf" + pages[3].replace(b"\n", b"\r\n"),
    })  # fmt: skip
    bench = tmp_path / "bench"
    assert stage(bench, "all", "--from", str(tmp_path / "one"), str(tmp_path / "two")) == 0
    assert main(["validate", str(bench)]) == 0
    names = {chunk.source_id for chunk in load_benchmark(bench).chunks["en"]}
    files = ("one/文%20档/100%25%20a%3Ab.md", "one/LICENSE", "two/LICENSE", "two/crlf.md")
    assert names <= {f"sources/en/{name}" for name in files}
    assert len(names) > 2
    assert not any("differs" in note for note in load_benchmark(bench).notes)
    corpus = bench / "corpus" / "en.jsonl"
    corpus.write_bytes(corpus.read_bytes().replace(b" the ", b" THE ", 1))
    assert any("corpus/en.jsonl" in note and "differs from the hash" in note for note in load_benchmark(bench).notes)
