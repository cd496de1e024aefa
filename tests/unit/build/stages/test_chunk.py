from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.llm.tokens import estimate_tokens
from unit.build.folders import stage, stage_rows, write_folder, write_settings

LAST = "The last words. " * 8
HANDBOOK = "".join(
    f"### Part {number}\n\nPart {number} of the handbook tells about the tools in cupboard {number}, which are lent to "
    "all residents for a day.\n\n"
    for number in range(30)
)


def test_c6_no_chunk_of_a_preset_has_more_tokens_than_declared(tmp_path: Path) -> None:
    write_folder(
        tmp_path, {"docs/a.md": HANDBOOK * 8, "docs/b.txt": "word " * 20_000, "docs/c.py": "x = 'ä'\n" * 4_000}
    )
    for preset, most in (("v1-4096", 4096), ("v2-2048", 2048), ("ragaliq", 1024)):
        bench = write_settings(tmp_path / preset, "sources: [{path: ../docs}]", "languages: [en]", f"preset: {preset}")
        assert stage(bench, "ingest") == stage(bench, "chunk") == 0
        rows = stage_rows(bench, "chunk").values()
        sizes = [row["tokens"] for row in rows]
        assert sizes == [estimate_tokens(row["text"]) for row in rows]
        assert 0.9 * most < max(sizes) <= most


def test_d3_the_ragaliq_preset_cuts_at_headings_keeps_the_last_section_and_leaves_out_the_short(tmp_path: Path) -> None:
    write_folder(tmp_path, {"docs/a.md": HANDBOOK + "### Short\n\nToo short.\n\n### Last\n\n" + LAST})
    bench = write_settings(tmp_path / "bench", "sources: [{path: ../docs}]", "preset: ragaliq")
    assert stage(bench, "ingest") == stage(bench, "chunk") == 0
    rows = sorted(stage_rows(bench, "chunk").values(), key=lambda row: int(row["start"]))
    assert [row["title"] for row in rows] == [*(f"Part {number}" for number in range(30)), "Short", "Last"]
    assert rows[-1]["text"].endswith("The last words.") and rows[-1]["decision"] == "kept"
    (short,) = (row for row in rows if row["decision"] == "removed")
    assert (short["title"], short["reason"], short["detail"]) == ("Short", "short", "21 of 100 characters")


def test_chunks_in_other_languages_are_removed_and_code_is_not(tmp_path: Path) -> None:
    german = "## Küche\n\nDie Küche schließt jeden Abend um neun Uhr, danach gibt es nur noch Getränke.\n\n"
    chinese = "## 厨房\n\n厨房每天晚上九点关门，之后只供应饮料，请大家注意时间安排。\n"
    write_folder(
        tmp_path, {"docs/a.md": german * 3 + chinese, "docs/b.py": "def kitchen_closes_at_nine():\n    return 9\n"}
    )
    bench = write_settings(tmp_path / "bench", "sources: [{path: ../docs}]")
    assert stage(bench, "ingest") == stage(bench, "chunk") == 0
    rows = stage_rows(bench, "chunk")
    assert {row["lang"] for row in rows.values()} == {"de"}
    removed = {row["title"]: (row["reason"], row["detail"]) for row in rows.values() if row["decision"] == "removed"}
    assert removed == {"厨房": ("other language", "it looks like 'zh'")}
    assert len(rows) == 5


def test_a_build_whose_chunks_are_all_short_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_folder(tmp_path, {"docs/a.md": "Short."})
    bench = write_settings(tmp_path / "bench", "sources: [{path: ../docs}]", "chunk: {min_chars: 7}")
    assert stage(bench, "ingest") == 0
    assert stage(bench, "chunk") == 2
    assert "no chunk has chunk.min_chars characters; lower it" in capsys.readouterr().err


@pytest.mark.slow
def test_an_unknown_tokenizer_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str], offline: None) -> None:
    write_folder(tmp_path, {"docs/a.md": "Short."})
    bench = write_settings(tmp_path / "bench", "sources: [{path: ../docs}]", f"chunk: {{tokenizer: {tmp_path}/none}}")
    assert stage(bench, "ingest") == 0
    assert stage(bench, "chunk") == 2
    assert "build: tokenizer" in capsys.readouterr().err


def test_ids_of_chunks_stay_when_other_documents_come_and_go(tmp_path: Path) -> None:
    write_folder(tmp_path, {"docs/a.md": HANDBOOK, "docs/b.md": HANDBOOK})
    bench = write_settings(tmp_path / "bench", "sources: [{path: ../docs}]")
    assert stage(bench, "ingest") == stage(bench, "chunk") == 0
    before = stage_rows(bench, "chunk")
    write_folder(tmp_path, {"docs/0.md": HANDBOOK})
    (tmp_path / "docs" / "b.md").unlink()
    assert stage(bench, "ingest") == stage(bench, "chunk") == 0
    after = stage_rows(bench, "chunk")
    same = [row_id for row_id in before if row_id.startswith("docs/a.md:")]
    assert len(same) == 30 and all(after[row_id] == before[row_id] for row_id in same)
