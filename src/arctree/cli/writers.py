"""The forms in which ``arctree parse`` writes a parsed sentence."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum

from arctree.document import ParsedSentence
from arctree.draw.width import visible
from arctree.sentence import UPOS


class Form(StrEnum):
    """What is written."""

    CONLLU = "conllu"
    BRACKETS = "brackets"
    JSON = "json"
    TABLE = "table"

    @property
    def extension(self) -> str:
        """How a file in this form is called."""
        return {Form.BRACKETS: ".mrg", Form.JSON: ".jsonl", Form.TABLE: ".txt"}.get(self, ".conllu")


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes a sentence in a form; ``width`` is that of a table, in cells."""

    form: Form
    width: int
    confidence: bool = False

    def __call__(self, sentence: ParsedSentence) -> str:
        match self.form:
            case Form.CONLLU:
                return (
                    sentence.with_confidence_in_misc() if self.confidence else sentence
                ).to_conllu()
            case Form.BRACKETS:
                return f"{sentence}\n"
            case Form.JSON:
                return json.dumps(sentence.to_json(), ensure_ascii=False) + "\n"
            case Form.TABLE:
                return _table(sentence, self.width)


def _table(sentence: ParsedSentence, width: int) -> str:
    """The words with their arcs, and the ordered tree below."""
    from arctree.draw.text import draw_arcs, draw_tree

    columns = sentence.sentence
    arcs = draw_arcs(
        columns.tree_with_tags(UPOS),
        width=width,
        of_words=[_or_nothing(column) for column in (columns.xpos, columns.lemmas, columns.feats)],
        of_arcs=[[f"{value:.0%}" for value in sentence.confidences]],
    )
    tree = draw_tree(sentence.ordered_tree, width=width)
    return f"{visible(sentence.id or '')}  {visible(sentence.text)}\n\n{arcs}\n\n{tree}\n\n"


def _or_nothing(column: tuple[str, ...]) -> list[str]:
    """The column, empty where it has nothing to say."""
    return ["" if value == "_" else value for value in column]
