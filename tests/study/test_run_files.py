"""What a run has written, and is not as it was written, is told with a remedy that helps."""

from __future__ import annotations

import json
import shutil
from itertools import product
from pathlib import Path

import pytest

from arctree.errors import DataError
from arctree.study.configuring import Study
from arctree.study.runs import is_derivation, runs_of
from arctree.transitions import Configuration, Transition

pytestmark = pytest.mark.xdist_group("training")


@pytest.mark.parametrize("words", range(1, 5))
def test_of_all_sequences_those_are_derivations_that_the_definition_allows(words: int) -> None:
    for length in range(2 * words + 2):
        for taken in product(Transition, repeat=length):
            configuration = Configuration.initial(words)
            is_allowed = True
            for transition in taken:
                if not transition.is_legal(configuration):
                    is_allowed = False
                    break
                configuration = transition(configuration)
            is_allowed = is_allowed and configuration.is_terminal
            assert is_derivation(taken, words) == is_allowed, (taken, words)


def test_derivations_that_are_none_are_told(study: Study, results: Path, tmp_path: Path) -> None:
    shutil.copytree(results / "mapped", tmp_path / "mapped")
    run = runs_of(study, tmp_path, ["mapped"], [1])[0]
    lengths = list(map(len, run.parsed("dev")))
    path = run.folder / "dev.derivations"
    good = path.read_text("utf-8")
    again = "; remove the folder of the run, and it is done again"

    def refused(text: str, fault: str) -> None:
        path.write_text(text)
        with pytest.raises(DataError, match=rf"^{path}:?\d*: damaged: {fault}{again}$"):
            run.derivations("dev", lengths)

    first, _, others = good.partition("\n")
    refused(f"{first}\n", rf"1 lines for {len(lengths)} sentences")
    words = lengths[0]
    wrong = [first[:-1], "L" * 2 * words, "S" * 2 * words, f"{first}S", "SR" * words]
    wrong.append("S" * words + "R" * (words - 1) + "L")
    for line in wrong:
        refused(f"{line}\n{others}", f"no derivation over {words} words")
    _, _, rest = others.partition("\n")
    for line, fault in (("SSX", "action 3 is 'X'"), ("", f"no derivation over {lengths[1]} words")):
        path.write_text(f"{first}\n{line}\n{rest}")
        with pytest.raises(DataError, match=rf"^{path}:2: damaged: {fault}{again}$"):
            run.derivations("dev", lengths)
    path.write_bytes(b"\xff" + good.encode())
    with pytest.raises(DataError, match=rf"^{path}: damaged: no UTF-8{again}$"):
        run.derivations("dev", lengths)
    path.write_text(good)
    assert len(run.derivations("dev", lengths)) == len(lengths)
    path.unlink()
    with pytest.raises(DataError, match=rf"^{path}: cannot be read: No such file .*{again}$"):
        run.derivations("dev", lengths)
    path.mkdir()
    with pytest.raises(DataError, match=rf"^{path}: cannot be read: .*; make it readable$"):
        run.derivations("dev", lengths)
    (run.folder / "dev.conllu").write_text("1\tword\n")
    with pytest.raises(DataError, match=r"dev\.conllu:1: .*; remove the folder of the run"):
        run.parsed("dev")
    (run.folder / "dev.conllu").unlink()
    with pytest.raises(DataError, match=r"dev\.conllu: .*; remove the folder of the run"):
        run.parsed("dev")
    facts = run.facts()
    assert facts is not None
    lost = {**facts, "answers": {**facts["answers"], "dev": {}}}
    for text in ('{"arctree": 99}', json.dumps({**facts, "answers": 5}), json.dumps(lost)):
        run.file.write_text(text)
        with pytest.raises(DataError, match=f"not what this arctree writes of a run{again}"):
            run.facts()
