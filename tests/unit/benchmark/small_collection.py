"""Small collections with everything that one can have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ragaliq.formats.reading.collection import Collection, document
from ragaliq.types import Chunk, Importance, Nugget, Query
from unit.formats.sets import items_for

CHUNKS = (
    Chunk("tür-1", "de", "Die Tür ist rot.", "haus.md", 4, 20, "Haus"),
    Chunk("tür-2", "de", "Das Dach ist blau, grün und alt.", "haus.md", 22, 54, "Haus"),
    document("repo/lies mich.md_0", "de", "Der Schlüssel liegt unter der Matte."),
    document("d#4", "de", "Niemand weiß mehr."),
)
QUERIES = (
    Query("q1", "de", "Welche Farbe hat die Tür?"),
    Query("q2", "de", "Wo liegt der Schlüssel, und wie sieht das Dach aus?"),
    Query("q3", "de", "Wem gehört das Haus?"),
)
REFERENCES = {"q1": "Rot.", "q2": "Unter der Matte; blau, grün und alt.", "q3": "Das steht nirgends."}
GOLD: dict[str, tuple[tuple[str, ...], ...]] = {
    "q1": (("tür-1",),), "q2": (("repo/lies mich.md_0",), ("tür-2",)), "q3": (),
}  # fmt: skip
FULL = Collection(
    name="haus",
    lang="de",
    split="",
    chunks=lambda: iter(CHUNKS),
    items=items_for(QUERIES, REFERENCES, GOLD),
    qrels={"q1": {"tür-1": 2, "d#4": 0}, "q2": {"tür-2": 1, "repo/lies mich.md_0": 3}},
    nuggets=(
        Nugget("q1_1", "q1", "de", "Die Tür ist rot.", Importance.VITAL, ("tür-1",)),
        Nugget("q1_2", "q1", "de", "Rot wie Blut.", Importance.OKAY, ()),
        Nugget("q2_1", "q2", "de", "Unter der Matte.", Importance.VITAL, ("repo/lies mich.md_0", "tür-2")),
    ),
)
# What a data set for retrieval has.
PLAIN = replace(FULL, nuggets=(), items=items_for(QUERIES[:2]))


def facts(collection: Collection) -> dict[str, object]:
    """Return all that a collection says, but for its name, split and notes; judgements as plain dictionaries."""
    return {
        "lang": collection.lang,
        "chunks": list(collection.chunks()),
        "queries": collection.queries,
        "qrels": {query_id: dict(judged) for query_id, judged in collection.qrels.items()},
        "nuggets": collection.nuggets,
        "references": dict(collection.references),
        "gold": dict(collection.gold),
    }


def write_languages_of_mmarco(folder: Path) -> None:
    """Two languages of mMARCO, two passages and two queries each."""
    for name, text in (("german", "Hund"), ("english", "dog")):
        for path in (f"collections/{name}_collection.tsv", f"queries/dev/{name}_queries.dev.tsv"):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(f"1\t{text} 1\n2\t{text} 2\n")
    (folder / "qrels.dev.small.tsv").write_text("1 0 2 1\n2 0 1 1\n")
