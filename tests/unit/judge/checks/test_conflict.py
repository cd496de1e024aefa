from __future__ import annotations

from fakes import hits
from ragaliq.judge.checks.conflict import contradicts, unknown
from ragaliq.judge.checks.evidence import Context

TOWER = "The Lindmoor tower was built in 1874 by Clara Whitfield and is painted red."


def says_otherwise(text: str, passage: str, lang: str = "en") -> bool:
    passages = Context(hits(passage, lang=lang), lang)
    evidence = passages.evidence(text)
    assert evidence is not None
    return contradicts(text, passages, evidence)


def test_another_number_name_or_the_opposite_contradicts() -> None:
    cases: list[tuple[str, bool]] = [
        ("The Lindmoor tower was built in 1874.", False),
        ("The Lindmoor tower was built in 1847.", True),
        ("The Lindmoor tower was built by Clara Whitfield.", False),
        ("The Lindmoor tower was built in 1874 by Margaret Holloway.", True),
        ("The Lindmoor tower is not painted red.", True),
        ("The Lindmoor tower, painted red, was built in 1874.", False),
    ]
    for text, otherwise in cases:
        assert says_otherwise(text, TOWER) is otherwise, text


def test_a_negation_is_seen_in_six_languages() -> None:
    cases = {
        "en": ("The tower may be visited at night.", "The tower may not be visited at night."),
        "de": ("Der Turm darf nachts besucht werden.", "Der Turm darf nachts nicht besucht werden."),
        "fr": ("La tour peut être visitée la nuit.", "La tour ne peut pas être visitée la nuit."),
        "es": ("La torre puede visitarse de noche.", "La torre no puede visitarse de noche."),
        "ru": ("Башню можно посещать ночью.", "Башню нельзя посещать ночью."),
        "zh": ("夜间可以参观这座塔。", "夜间不可以参观这座塔。"),
    }
    for lang, (one, two) in cases.items():
        assert says_otherwise(one, two, lang) and says_otherwise(two, one, lang), lang
        assert not says_otherwise(one, one, lang) and not says_otherwise(two, two, lang), lang


def test_a_number_of_another_subject_does_not_contradict() -> None:
    assert not says_otherwise("Bicycles cost 5 euros a day.", TOWER)


def test_what_no_passage_holds_is_unknown() -> None:
    passages = Context(hits(TOWER), "en")
    cases = [("It was built in 1847.", True), ("It was built in 1874.", False), ("It belongs to Ostrel.", True)]
    for text, expected in cases:
        assert unknown(text, passages) is expected, text


def test_a_foreign_name_in_chinese_characters_is_compared() -> None:
    passage = "作家罗莎·阿尔梅达1934年出生于塞维利亚，后来搬到了索尔瓦河边的马尼克。"
    cases = [
        ("罗莎·阿尔梅达1934年出生于塞维利亚。", False, False),
        ("作家阿尔梅达后来搬到了马尼克。", False, False),
        ("作家罗莎·阿尔梅达1934年出生于格拉纳达。", True, True),
        ("作家比阿特丽斯·诺顿1934年出生于塞维利亚。", True, True),
        ("赫尔辛基有一座纪念阿尔梅达的雕像。", False, True),
        ("她一九三四年出生，晚年住在河边。", False, False),
    ]
    passages = Context(hits(passage, lang="zh"), "zh")
    for text, otherwise, strange in cases:
        assert says_otherwise(text, passage, "zh") is otherwise, text
        assert unknown(text, passages) is strange, text
