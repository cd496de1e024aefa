"""What a run takes."""

from __future__ import annotations

from ragaliq.experiment.effort import Seconds, Spent
from ragaliq.llm.budget import Account


def test_seconds_are_told_for_each_query() -> None:
    assert Seconds(9.0, 1.0, 2.0, 4).per_query == (1.0 + 2.0) / 4
    assert Seconds().per_query is None


def test_the_accounts_of_all_roles_are_added() -> None:
    accounts = [Account(2, 0, 10, 5, 0, 0.5), Account(1, 3, 7, 0, 0, 0.25)]
    assert Spent.of(accounts) == Spent(3, 10 + 5 + 7, 0.75)
    assert Spent.of([*accounts, Account(1, cost_usd=None)]).cost_usd is None
    assert Spent.of([]) == Spent(0, 0, 0)


def test_what_one_run_used_is_the_difference_of_two_looks() -> None:
    spent = Spent(1, 100, 1.0)
    spent.add(Spent(2, 50, 0.5), Spent(5, 80, 2.0))
    assert spent == Spent(4, 130, 2.5)
    spent.add(Spent(5, 80, None), Spent(5, 80, None))
    assert spent == Spent(4, 130, 2.5)
    spent.add(Spent(5, 80, None), Spent(6, 81, None))
    assert spent == Spent(5, 131, None)
