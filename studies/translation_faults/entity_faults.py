"""An entity of a translation in the place of another one, as that language writes it."""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Iterator

import yaml
from fault import Fault, replaced
from sample_pairs import DATA

from ragaliq.types.translation import TranslationPair

_LANGS = ("en", "de", "fr", "es", "ru", "zh")
# Entities that can replace one another, in the order of `_LANGS`, as stems: what follows a stem stays (`Фонарном дом`
# → `Сланцевом дом`).
_PLACES: dict[str, tuple[tuple[str, ...], ...]] = {
    "house": (
        ("Lantern House", "Laternenh", "maison de la Lanterne", "Casa Farol", "Фонарн", "灯笼楼"),
        ("Slate House", "Schieferh", "maison de l'Ardoise", "Casa Pizarra", "Сланцев", "板岩楼"),
        ("Heron House", "Reiherh", "maison du Héron", "Casa Garza", "", "苍鹭楼"),
    ),
    "lab": (
        ("Wet Lab", "Nasslabor", "laboratoire Humide", "Laboratorio Húmedo", "Водн", "湿实验室"),
        ("Air Lab", "Luftlabor", "laboratoire de l'Air", "Laboratorio de Aire", "Воздушн", "大气实验室"),
        ("Ice Lab", "Eislabor", "laboratoire des Glaces", "Laboratorio de Hielo", "Ледов", "冰实验室"),
    ),
    "store": (
        ("Upper Store", "Obere", "magasin du Haut", "Almacén Superior", "Верхн", "上库房"),
        ("Lower Store", "Untere", "magasin du Bas", "Almacén Inferior", "Нижн", "下库房"),
    ),
    "workshop": (
        ("Wood Workshop", "Holzwerkstatt", "atelier Bois", "Taller de Madera", "Столярн", "木工车间"),
        ("Metal Workshop", "Metallwerkstatt", "atelier Métal", "Taller de Metal", "Слесарн", "金工车间"),
    ),
    "mast": (
        ("Shore Mast", "Ufermast", "mât du Rivage", "Mástil de la Costa", "Берегов", "海岸塔"),
        ("Valley Mast", "Talmast", "mât de la Vallée", "Mástil del Valle", "Долинн", "山谷塔"),
        ("Ridge Mast", "Gratmast", "mât de la Crête", "Mástil de la Cresta", "Хребтов", "山脊塔"),
    ),
    "name": (
        ("Brannick", "Brannick", "Brannick", "Brannick", "Бранник", "布兰尼克"),
        ("Ormund", "Ormund", "Ormund", "Ormund", "Ормунд", "奥蒙德"),
        ("Tarnholt", "Tarnholt", "Tarnholt", "Tarnholt", "Тарнхольт", "塔恩霍尔特"),
    ),
}
# Surnames outside the sample's pools: Latin, Russian (of women and men whose form does not change here), Chinese.
_SURNAMES = (
    ("Aldoveen", "Алдовен", "阿尔多芬"),
    ("Tessendal", "Тессендаль", "特森达尔"),
    ("Helmstrand", "Хельмстранд", "赫尔姆斯特兰德"),
    ("Solvanne", "Сольванн", "索尔万"),
    ("Dunarik", "Дунарик", "杜纳里克"),
    ("Varnesse", "Варнесс", "瓦尔内斯"),
    ("Quistrom", "Квистром", "奎斯特罗姆"),
    ("Vintorp", "Винторп", "温托普"),
    ("Esterholm", "Эстерхольм", "埃斯特霍尔姆"),
    ("Grevlund", "Гревлунд", "格雷夫隆德"),
    ("Halvarth", "Халварт", "哈尔瓦特"),
    ("Toravay", "Торавай", "托拉韦"),
    ("Okstade", "Окстаде", "奥克斯塔德"),
    ("Ostrander", "Острандер", "奥斯特兰德"),
)


def entity_faults(pair: TranslationPair, rng: random.Random) -> Iterator[Fault]:
    """Yield the target with one entity swapped that the source names."""
    for form, rows in _groups(pair.lang).items():
        for name, forms in rows:
            if _stem(pair.source_lang, name) not in pair.source:
                continue
            for case, text in enumerate(forms):
                for match in re.finditer(_pattern(pair.lang, form, text), pair.target) if text else ():
                    others = [row[case] for other, row in rows if other != name and len(row) > case and row[case]]
                    others = sorted({other for other in others if other != text})
                    if others:
                        target = replaced(pair.target, *match.span(), rng.choice(others))
                        yield Fault("entity", form, _elided(target) if pair.lang == "fr" else target)


def _pattern(lang: str, form: str, text: str) -> str:
    if lang == "zh":
        return re.escape(text)
    whole = form in ("woman", "man", "surname") or (lang != "ru" and form == "name")
    return rf"(?<!\w){re.escape(text)}" + (r"(?!\w)" if whole else "")


def _elided(text: str) -> str:
    return re.sub(r"\bd'(?=Brannick|Tarnholt)", "de ", re.sub(r"\bde (?=Ormund)", "d'", text))


def _stem(lang: str, name: str) -> str:
    """The English name, as the source writes it."""
    if lang == "en":
        return name
    rows = {row[0]: row[1] for group in _PLACES.values() for row in group}
    return rows.get(name, name)


@functools.cache
def _groups(lang: str) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """Form → entities (English name, forms in the language; forms at one place are of one case)."""
    column = _LANGS.index(lang)
    groups: dict[str, list[tuple[str, tuple[str, ...]]]] = {
        form: [(row[0], (row[column],)) for row in rows] for form, rows in _PLACES.items()
    }
    pools = yaml.safe_load((DATA / "template" / lang / "pools.yaml").read_text(encoding="utf-8"))
    for form in ("woman", "man", "surname"):
        groups[form] = [(name, tuple(dict.fromkeys(forms.values()))) for name, forms in pools[form].items()]
    script = {"ru": 1, "zh": 2}.get(lang, 0)
    groups["surname"] += [(row[0], (row[script],)) for row in _SURNAMES]
    return groups
