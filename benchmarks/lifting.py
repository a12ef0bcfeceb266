"""How each lifting scheme does on every treebank: ``python benchmarks/lifting.py``.

Prints a Markdown table over the folders of ``$ARCTREE_DATA/ud``: sentences, the share that is not
projective, and for each scheme the trees that come back and the labels it needs, over all splits.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from arctree.conllu import read
from arctree.lifting import Scheme
from arctree.sentence import Sentence
from arctree.treebank import Survey, survey

SCHEMES = (Scheme.EXACT, Scheme.HEAD, Scheme.PATH, Scheme.HEAD_PATH)


def main() -> None:
    folder = os.environ.get("ARCTREE_DATA")
    if not folder:
        sys.exit("set ARCTREE_DATA to the folder of the treebanks")
    print("| treebank | sentences | non-projective | labels |", end="")
    print("".join(f" {scheme.value} |" for scheme in SCHEMES))
    print("|---|---|---|---|" + "---|" * len(SCHEMES))
    for treebank in sorted(Path(folder, "ud").iterdir()):
        found = survey(Survey(treebank.name), sentences_of(treebank))
        share = 100 * found.nonprojective_sentences / found.sentences
        print(
            f"| {treebank.name} | {found.sentences:,} | {share:.1f} % | {len(found.labels)} |",
            end="",
        )
        for scheme in SCHEMES:
            result = found.schemes[scheme]
            back = 100 * result.returned / found.trees
            shown = "100 %" if result.returned == found.trees else f"{back:.2f} %"
            print(f" {shown}, {len(result.labels)} |", end="")
        print(flush=True)


def sentences_of(treebank: Path) -> Iterator[Sentence]:
    return chain.from_iterable(read(str(file)) for file in sorted(treebank.glob("*.conllu")))


if __name__ == "__main__":
    main()
