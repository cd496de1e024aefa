"""Plant faults in the sample's translations and measure what `check_pairs` finds of them.

    python studies/translation_faults/measure_faults.py --out FILE.json [--seed 0] [--n 40] [--only de,zh]
    python studies/translation_faults/measure_faults.py --xquad FOLDER --out FILE.json [--n 40]

German, Spanish, French, Russian and Chinese against English, English against German; of each kind and language `n`
faults. With `--xquad`: the same kinds, where they can be planted by rule alone, in XQuAD's paragraphs; nothing is
fitted to these faults, but the thresholds of names were chosen on the sound texts. `--misses` lists what was not found.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from planting import planted
from sample_pairs import LANGS
from scoring import Checked, checked, figures
from xquad_faults import XQUAD_LANGS, planted_in_xquad

import record
from ragaliq.benchmark.translation.check import check_pairs


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print a line for each language, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, required=True, help="file of the figures")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--n", type=int, default=40, help="faults of each kind and language")
    parser.add_argument("--only", default="", help="languages, separated by commas")
    parser.add_argument("--xquad", type=Path, help="folder of XQuAD's files; then these are measured, not the sample")
    parser.add_argument("--misses", type=Path, help="file for the faults without an error of their kind")
    arguments = parser.parse_args(argv)
    languages: dict[str, Checked] = {}
    only = [lang for lang in arguments.only.split(",") if lang]
    for lang in only or (XQUAD_LANGS if arguments.xquad else LANGS):
        start = time.process_time()
        if arguments.xquad:
            pairs, cases = planted_in_xquad(arguments.xquad, lang, arguments.n, arguments.seed)
        else:
            pairs, cases = planted(lang, arguments.n, arguments.seed)
        languages[lang] = checked(pairs, cases, check_pairs)
        print(f"{_line(lang, languages[lang])}, {time.process_time() - start:.0f} s", flush=True)
    options = {"seed": arguments.seed, "n": arguments.n, "data": "xquad" if arguments.xquad else "sample"}
    record.write(arguments.out, {**options, **figures(languages)})
    if arguments.misses:
        arguments.misses.write_text(
            "".join(_missed(lang, known) for lang, known in languages.items()), encoding="utf-8"
        )
    return 0


def _line(lang: str, known: Checked) -> str:
    n = len(known.outcomes)
    caught = [
        sum(one.caught(right, error) for one in known.outcomes) for right in (False, True) for error in (False, True)
    ]
    alarms = len({(finding.record, finding.id) for finding in known.sound})
    return (
        f"{lang}: of {n} faults {caught[0]} have a finding ({caught[1]} an error), {caught[2]} one of their kind "
        f"({caught[3]} an error); {alarms} of {known.n_sound} sound records have one"
    )


def _missed(lang: str, known: Checked) -> str:
    """The faults of a language without an error of their kind, then the findings on sound texts, as Markdown."""
    lines = [f"# {lang}: faults without an error of their kind\n"]
    for one in known.outcomes:
        if not one.caught(right=True, error=True):
            other = ", ".join(f"{finding.kind} {finding.severity}" for finding in one.findings) or "nothing"
            pair = one.case.pair
            lines.append(
                f"\n## {one.case.kind} ({one.case.form}), {pair.record} {pair.id}: found {other}\n\n"
                f"- source: {pair.source!r}\n- target: {pair.target!r}\n"
            )
    lines.append(f"\n# {lang}: findings on sound texts\n\n")
    for finding in known.sound:
        lines.append(f"- {finding.record} {finding.id} {finding.kind} {finding.severity}: {finding.message}\n")
    return "".join([*lines, "\n"])


if __name__ == "__main__":
    raise SystemExit(main())
