"""A small template in three languages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

SLOTS = """\
pier_open: {type: time, value: "07:40", from: "06:05", to: "08:55"}
pier_close: {type: time, value: "08:50", from: "07:00", to: "12:00", above: pier_open}
pier_fee: {type: number, value: 1450, from: 1100, to: 9950, step: 50}
pier_crew: {type: number, value: 12, from: 5, to: 90}
pier_crew_two: {type: sum, of: [pier_crew, 20]}
pier_end: {type: later, of: [pier_close, pier_crew]}
pier_depth: {type: number, value: 2.5, from: 1.2, to: 9.8, step: 0.1}
pier_day: {type: date, value: "11-15", from: "02-02", to: "11-28"}
pier_week: {type: weekday, value: tuesday}
pier_head: {type: woman, value: Mira Brandvik}
pier_guard: {type: man, value: Torben Norlin}
pier_phone: {type: code, value: "B-417", pattern: "@-4##"}
"""
ITEMS = """\
- id: q1
  type: temporal
  difficulty: easy
  gold: [[pier-01]]
  nuggets:
    - {importance: vital, docs: [pier-01]}
    - {importance: vital, docs: [pier-01]}
  exam: true
- id: q2
  type: single
  gold: [[boats-01]]
  nuggets: [{importance: vital, docs: [boats-01]}]
- id: q3
  type: unanswerable
  near_miss: boats-01
- id: q4
  type: single
  gold: [[boats-01]]
  nuggets: [{importance: vital, docs: [boats-01]}, {importance: okay, docs: [boats-01]}]
  exam: true
"""
PAGES = {
    "en": (
        "# Pier\n\nThe pier opens at {pier_open} and closes at {pier_close}; mooring costs {pier_fee|credit|credits}. "
        "Call {pier_head} ({pier_phone}) {pier_week:on}, until {pier_day}.\n",
        "# Boats\n\nBoats are grey. Small ones are carried.\n",
        "When does the pier open?",
        "At {pier_open}; it closes at {pier_close}.",
        "At {~pier_open}.",
        "grey",
    ),
    "ru": (
        "# Пирс\n\nПирс открыт с {pier_open} до {pier_close}, стоянка стоит {pier_fee|кредит|кредита|кредитов}. "
        "Звоните {pier_head:dat} ({pier_phone}) {pier_week:every}, до {pier_day}.\n",
        "# Лодки\n\nЛодки серые. Маленькие переносят.\n",
        "Когда открывается пирс?",
        "В {pier_open}; закрывается в {pier_close}.",
        "В {~pier_open}.",
        "серые",
    ),
    "zh": (
        "# 码头\n\n码头{pier_open}开放，{pier_close}关闭；停泊费{pier_fee}信用点。"
        "{pier_week:every}请致电{pier_head}（{pier_phone}），截至{pier_day}。\n",
        "# 船\n\n船是灰色的。小船由人搬运。\n",
        "码头几点开放？",
        "{pier_open}开放，{pier_close}关闭。",
        "{~pier_open}。",
        "灰色",
    ),
}
Make = Callable[..., Path]
