"""What a run's configuration says of its judge."""

from __future__ import annotations

import pytest

from ragaliq.config import Component
from ragaliq.errors import InputError
from ragaliq.judge.offline.judge import OfflineJudge
from ragaliq.judge.panel import PanelJudge
from ragaliq.pipeline.manifest import judge_identity, resolved_judge


class Loaded(OfflineJudge):
    """A judge whose model has turned out to be some commit."""

    name, resolved = "transformers:m", "0123abc"


def test_the_commit_of_a_judge_stands_under_its_name() -> None:
    ours, offline = Component("python", f"{__name__}:Loaded"), Component("offline")
    assert resolved_judge(ours, Loaded()) == {"transformers:m": "0123abc"}
    assert resolved_judge(offline, OfflineJudge()) == {}
    panel = PanelJudge(judges=[str(ours), "offline"])
    assert resolved_judge(Component("panel"), panel) == {"transformers:m": "0123abc"}


def test_a_judge_whose_name_no_file_can_hold_is_refused() -> None:
    class Odd:
        name = "j\ud83d"

    with pytest.raises(InputError, match="judge: 'name' holds half a surrogate pair"):
        judge_identity(Odd())  # type: ignore[arg-type]
