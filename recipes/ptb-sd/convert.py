"""From the CoNLL-X of the Stanford converter to CoNLL-U that arctree learns from and scores.

Both formats have ten columns, and the trees are the same; what differs is this:

======== =========== ==========================================================================
column   CoNLL-X     here
======== =========== ==========================================================================
LEMMA    LEMMA       ``_``
UPOS     CPOSTAG     ``PUNCT`` for the words that scores leave out, ``X`` for all others
XPOS     POSTAG      the Penn Treebank tag; CPOSTAG where POSTAG is ``_``
FEATS    FEATS       ``_``
DEPS     PHEAD       ``_``
MISC     PDEPREL     ``_``
======== =========== ==========================================================================

The field leaves a word out of its scores by the gold tag, one of :data:`PUNCTUATION_TAGS`;
``arctree evaluate`` does so by UPOS, and in a sentence without any UPOS by the label
``punct``, which brackets bear as well. A UPOS on every word makes both leave out the same words.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

from arctree import conllu
from arctree.draw.width import visible
from arctree.errors import ArctreeError, CallError, DataError
from arctree.files import display_name
from arctree.sentence import DEPREL, FORM, HEAD, ID, UPOS, WIDTH, XPOS, Sentence

PUNCTUATION_TAGS = frozenset({"``", "''", ":", ",", "."})
PLAIN_FORMS = {
    **{"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]"},
    **{"``": '"', "''": '"'},
}
COARSE_TAG, FINE_TAG = UPOS, XPOS  # where CoNLL-X has CPOSTAG and POSTAG


def main(arguments: Sequence[str] | None = None) -> int:
    """Convert a file and return the exit status: 1 if the data is bad, 2 if the call is wrong."""
    parser = argparse.ArgumentParser(
        description="From the CoNLL-X of the Stanford converter to CoNLL-U."
    )
    parser.add_argument("file", metavar="FILE", help="CoNLL-X; - is standard input")
    parser.add_argument("-o", dest="output", metavar="PATH", default="-", help="where to write")
    parser.add_argument(
        "--plain-forms",
        action="store_true",
        help="write brackets, quotes, slashes and asterisks as in running text",
    )
    options = parser.parse_args(arguments)
    try:
        conllu.write(converted(options.file, plain_forms=options.plain_forms), options.output)
    except ArctreeError as error:
        print(f"convert.py: {visible(str(error))}", file=sys.stderr)
        return 2 if isinstance(error, CallError) else 1
    return 0


def converted(path: str, *, plain_forms: bool = False) -> Iterator[Sentence]:
    """The sentences of a CoNLL-X file as CoNLL-U; a bad one is a :class:`DataError`."""
    for sentence in conllu.read(path):
        try:
            yield to_conllu(sentence, plain_forms=plain_forms)
        except DataError as error:
            raise error.at(file=display_name(path), sentence=sentence.id) from error


def to_conllu(sentence: Sentence, *, plain_forms: bool = False) -> Sentence:
    """A sentence that was read from CoNLL-X, in the columns of CoNLL-U."""
    if sentence.is_blind or sentence.other_lines:
        raise DataError(
            "a sentence without heads" if sentence.is_blind else "an id that is no number",
            "convert the trees again with -basic -conllx",
            line=sentence.line,
        )
    tags = _tags(sentence)
    columns = [("_",) * len(sentence)] * WIDTH
    for column in (ID, FORM, HEAD, DEPREL):
        columns[column] = sentence.columns[column]
    if plain_forms:
        columns[FORM] = tuple(map(plain_form, sentence.forms))
    columns[UPOS] = tuple("PUNCT" if tag in PUNCTUATION_TAGS else "X" for tag in tags)
    columns[XPOS] = tags
    return replace(sentence, columns=tuple(columns), line_break="\n", blank_lines=1)


def plain_form(form: str) -> str:
    """The form as it stands in running text: ``(`` for ``-LRB-``, ``1/2`` for ``1\\/2``."""
    return PLAIN_FORMS.get(form) or form.replace("\\/", "/").replace("\\*", "*")


def _tags(sentence: Sentence) -> tuple[str, ...]:
    pairs = zip(sentence.columns[COARSE_TAG], sentence.columns[FINE_TAG], strict=True)
    tags = tuple(fine if fine != "_" else coarse for coarse, fine in pairs)
    if "_" in tags:
        word = tags.index("_") + 1
        raise DataError(
            f"word {word} has no tag, so whether it is punctuation cannot be told",
            "the converter takes tags from the trees: use the .mrg files, which have them",
            line=sentence.line_of(word),
        )
    return tags


if __name__ == "__main__":
    sys.exit(main())
