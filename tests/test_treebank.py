from __future__ import annotations

import pytest

from arctree import treebank
from arctree.conllu import read_text
from arctree.lifting import Scheme
from arctree.treebank import LabelUse, Survey, compare, survey

TREEBANK = """\
# sent_id = projective
1\ta\t_\t_\t_\t_\t2\tdet\t_\t_
2\tb\t_\t_\t_\t_\t0\troot\t_\t_

# sent_id = crossing
1\tc\t_\t_\t_\t_\t3\tobl\t_\t_
2-3\tdd\t_\t_\t_\t_\t_\t_\t_\t_
2\td\t_\t_\t_\t_\t4\tobj\t_\t_
3\te\t_\t_\t_\t_\t0\troot\t_\t_
3.1\tx\t_\t_\t_\t_\t_\t_\t_\t_
4\tf\t_\t_\t_\t_\t1\tnmod\t_\t_

# sent_id = crossing
1\tg\t_\t_\t_\t_\t0\tnsubj\t_\t_

# sent_id = blind
1\th\t_\t_\t_\t_\t_\t_\t_\t_

# sent_id = bad
1\ti\t_\t_\t_\t_\t9\tx\t_\t_

"""


def surveyed(text: str, name: str = "some.conllu") -> Survey:
    found = Survey(name)
    return survey(found, read_text(text, name=name, on_error=found.problems.append))


def test_a_survey_counts_what_the_file_holds() -> None:
    found = surveyed(TREEBANK)
    assert (found.sentences, found.words, found.blind, found.trees) == (4, 8, 1, 3)
    assert (found.multiword_tokens, found.empty_nodes) == (1, 1)
    assert found.length_range == (1, 1.5, 4)
    assert (found.nonprojective_sentences, found.nonprojective_arcs) == (1, 2)
    assert (found.lifted_arcs, found.returned_directly) == (2, 2)
    assert found.labels == {"det": 1, "root": 2, "obl": 1, "obj": 1, "nmod": 1, "nsubj": 1}
    assert found.root_labels == {"root": 2, "nsubj": 1}
    assert found.schemes[Scheme.EXACT].returned == 3
    assert found.schemes[Scheme.BASELINE].returned == 2
    assert len(found.schemes[Scheme.BASELINE].labels) == 6
    assert len(found.schemes[Scheme.HEAD].labels) == 6


def test_problems_are_told_with_their_lines_in_order() -> None:
    problems = surveyed(TREEBANK).problems
    assert [(problem.line, problem.sentence) for problem in problems] == [
        (13, "crossing"),
        (14, "crossing"),
        (20, "bad"),
    ]
    said = [str(problem) for problem in problems]
    assert "the sent_id stands at line 5 already" in said[0]
    assert "word 1 has head 0 and the label nsubj" in said[1]
    assert "the last word is 1" in said[2]


def test_splits_are_compared_with_the_first() -> None:
    first = surveyed(TREEBANK)
    other = surveyed(TREEBANK.replace("obl", "iobj").replace("\tg\t", "\tz\t"))
    found = compare(first, other)
    assert found.unseen_labels == [LabelUse("iobj", 1, 6)]
    assert found.shared_sentences == 3
    assert compare(first, first).unseen_labels == []


def test_the_json_form_of_a_survey_names_each_problem() -> None:
    form = surveyed(TREEBANK).to_json()
    assert form["schemes"]["exact"] == {"returned": 3, "labels": 6}
    assert [problem["line"] for problem in form["problems"]] == [13, 14, 20]
    assert {"label": "root", "times": 2, "line": 3} in form["rare_labels"]


def test_an_empty_file_is_surveyed_too() -> None:
    found = surveyed("")
    assert found.length_range == (0, 0, 0)
    assert found.problems == []
    assert isinstance(found.to_json(), dict)


def test_a_tree_that_does_not_come_back_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(treebank, "unlift", lambda tree: tree)
    found = surveyed(TREEBANK)
    (problem,) = [each for each in found.problems if "does not come back" in each.fault]
    assert (problem.line, problem.sentence) == (5, "crossing")
    assert found.schemes[Scheme.EXACT].returned == 2
