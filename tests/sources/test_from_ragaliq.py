"""The commands of docs/from_ragaliq.md, in a folder laid out as a checkout of RAGaliq."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from ragaliq.cli import main

PAGE = Path(__file__).resolve().parents[2] / "docs" / "from_ragaliq.md"
pytestmark = [pytest.mark.shared, pytest.mark.slow]


def commands(block: str) -> list[list[str]]:
    """The arguments of the commands in a block, names with a * written out as a shell does."""
    lines = [shlex.split(line.replace("python eval.py", "ragaliq run")) for line in block.strip().splitlines()]
    return [
        [name for word in words for name in (sorted(map(str, Path().glob(word))) if "*" in word else [word])]
        for _, *words in lines
    ]


@pytest.fixture
def checkout(shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as RAGaliq's users have it, which is the working directory."""
    source = shared_data / "ragaliq"
    shutil.copytree(source / "data", tmp_path / "data")
    shutil.copytree(source / "logs", tmp_path / "logs")
    (tmp_path / "cfg").mkdir()
    sampling = {"max_tokens": 512, "temperature": 0.0, "top_p": 0.9, "logprobs": 5}
    (tmp_path / "cfg" / "gemma_2_2b.json").write_text(json.dumps(sampling))
    link = "JUDGE_API_LINK=https://openrouter.ai/api/v1"
    (tmp_path / ".env").write_text(f"TOKEN=sk-or-v1-xxx\n{link}\n\nJUDGE_MODEL=google/gemini-flash-1.5\n")
    for name in ("TOKEN", "JUDGE_API_LINK", "JUDGE_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _weighted_score(results: str) -> str:
    """Return the first figure of the column in a results.md."""
    lines = results.splitlines()
    head = next(number for number, line in enumerate(lines) if "| " in line and " weighted_score " in line)
    column = [cell.strip() for cell in lines[head].split("|")].index("weighted_score")
    return lines[head + 2].split("|")[column].strip()


def test_the_commands_of_the_page_run(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    block, _ = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    for line in block.strip().splitlines():
        # Names are written out when their turn comes: a command may have made the files.
        (command,) = commands(line)
        assert main(command) == 0, line
        told = capsys.readouterr()
        if command[0] == "run":
            assert "note: the questions are those of the folder 'data';" in told.err
            assert "not by JUDGE_MODEL (google/gemini-flash-1.5)" in told.err
            assert "graded 70/70  judge offline" in told.out
    assert len((checkout / "tables" / "results.md").read_text(encoding="utf-8").splitlines()) > 12
    run, back = (
        _weighted_score((checkout / name / "results.md").read_text(encoding="utf-8"))
        for name in ("results", "exported")
    )
    assert re.fullmatch(r"0\.\d{3}", run)
    assert back == run
