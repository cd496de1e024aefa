from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from ragaliq.errors import ConfigError
from ragaliq.judge.rubric import PROMPTS, load_rubric


def write(path: Path, grades: str) -> Path:
    lines = ['version: "mine"', *(f'"{grade}": "Meaning\\n  of {grade}."' for grade in grades)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_shipped_rubric_gives_a_meaning_to_each_grade() -> None:
    rubric = load_rubric()
    assert sorted(rubric.meanings) == [0, 1, 2, 3, 4, 5]
    assert len(set(rubric.meanings.values())) == 6
    assert rubric.hash == hashlib.sha256((PROMPTS / "rubric.yaml").read_bytes()).hexdigest()[:12]


def test_a_judge_reads_one_line_per_grade_the_best_first(tmp_path: Path) -> None:
    rubric = load_rubric(write(tmp_path / "mine.yaml", "031425"))
    assert rubric.version == "mine"
    assert rubric.text == "\n".join(f"{grade}: Meaning of {grade}." for grade in (5, 4, 3, 2, 1, 0))


def test_another_wording_is_another_hash(tmp_path: Path) -> None:
    first, second = write(tmp_path / "a.yaml", "012345"), write(tmp_path / "b.yaml", "012345")
    assert load_rubric(first).hash == load_rubric(second).hash != load_rubric().hash
    second.write_text(second.read_text().replace("of 3", "of three"))
    assert load_rubric(first).hash != load_rubric(second).hash


@pytest.mark.parametrize("grades", ["01234", "12345", "0123456", ""])
def test_another_scale_is_refused(grades: str, tmp_path: Path) -> None:
    path = write(tmp_path / "mine.yaml", grades)
    with pytest.raises(ConfigError, match=r'mine\.yaml: a rubric gives a meaning to each of "0", "1"'):
        load_rubric(path)
