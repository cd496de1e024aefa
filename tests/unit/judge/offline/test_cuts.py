"""Cuts refitted and read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragaliq.errors import ConfigError
from ragaliq.judge.offline.cuts import FORMAT, grade_by, read_cuts, refit_cuts
from ragaliq.judge.offline.judge import OfflineJudge

SHIPPED = (1.4, 2.1, 3.4, 4.4)


def test_without_labels_nothing_moves() -> None:
    assert refit_cuts([], [], SHIPPED) == SHIPPED
    assert refit_cuts([1.2, 3.0, 4.8], [1, 3, 5], SHIPPED) == SHIPPED


def test_a_stern_grader_raises_the_last_cut() -> None:
    # Ten answers that the judge takes for 5 and a person for 4: the cut moves just past them.
    fitted = refit_cuts([4.5] * 10, [4] * 10, SHIPPED)
    assert fitted[:3] == SHIPPED[:3] and fitted[3] == pytest.approx(4.55)
    assert grade_by(fitted, 4.5) == 4


def test_one_label_does_not_move_a_cut_far() -> None:
    # One answer is worth a fifth of a grade: from 4.4 to past 4.9 costs more than it wins.
    assert refit_cuts([4.9], [4], SHIPPED) == SHIPPED


def test_cuts_ascend() -> None:
    fitted = refit_cuts([1.2] * 30 + [4.9] * 30, [5] * 30 + [1] * 30, SHIPPED)
    assert list(fitted) == sorted(fitted)


def test_a_value_on_a_cut_goes_up() -> None:
    assert [grade_by(SHIPPED, value) for value in (1.39, 1.4, 4.4)] == [1, 2, 5]


def written(path: Path, **changes: object) -> str:
    content = {"format": FORMAT, "judge": OfflineJudge.prompt_hash, "cuts": [1.5, 2.0, 3.0, 4.0], **changes}
    path.write_text(json.dumps(content))
    return str(path)


def test_the_judge_takes_cuts_into_its_name_and_hash(tmp_path: Path) -> None:
    judge = OfflineJudge(cuts=written(tmp_path / "cuts.json"))
    assert judge.cuts == (1.5, 2.0, 3.0, 4.0) and judge.name.startswith("offline with cuts ")
    assert judge.prompt_hash != OfflineJudge.prompt_hash and OfflineJudge().name == "offline"
    assert "refitted since" in judge.certificate["note"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "x"}, "not a file of `ragaliq agree --recalibrate`"),
        ({"cuts": [1, 2, 3]}, "not a file of"),
        ({"cuts": [1, 2, 3, True]}, "not a file of"),
        ({"cuts": [1.5, 1.2, 3, 4]}, "the four cuts must ascend"),
        ({"judge": "other"}, "fitted on the judge other"),
    ],
)
def test_a_wrong_file_is_one_line(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_cuts(written(tmp_path / "cuts.json", **changes), OfflineJudge.prompt_hash)
    with pytest.raises(ConfigError, match="no such file"):
        read_cuts(str(tmp_path / "none.json"), "x")
