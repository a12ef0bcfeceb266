"""Running text of a little language: sentences, clitics, abbreviations, addresses."""

from __future__ import annotations

from random import Random

from arctree.segments import Token, to_sentence
from arctree.sentence import Sentence
from toy_language import NOUNS, VERBS

WORDS = (*NOUNS, *VERBS)


def toy_sentence(source: Random) -> tuple[str, list[Token]]:
    """A sentence and its tokens."""
    pieces: list[tuple[str, tuple[str, ...]]] = []
    for _ in range(source.randint(2, 6)):
        word = source.choice(WORDS)
        kind = source.random()
        if kind < 0.15:
            pieces.append((f" {word}n't", (word, "n't")))
        elif kind < 0.25:
            pieces.append((" Dr.", ()))
        elif kind < 0.3:
            pieces.append((f" www.{word}.org", ()))
        else:
            pieces.append((f" {word}", ()))
    pieces[0] = (pieces[0][0][:2].upper() + pieces[0][0][2:], pieces[0][1])
    if pieces[0][1]:
        first, second = pieces[0][1]
        pieces[0] = (pieces[0][0], (first.capitalize(), second))
    pieces += [(f" {source.choice(WORDS)}", ()), (source.choice(".!"), ())]
    text = ""
    tokens = []
    for piece, words in pieces:
        text += piece
        tokens.append(Token(len(text) - len(piece.strip()), len(text), words))
    shift = 1  # the space before the first word
    return text[shift:], [Token(a - shift, b - shift, words) for a, b, words in tokens]


def toy_text(size: int, seed: int) -> list[Sentence]:
    """So many sentences, four a paragraph."""
    source = Random(seed)
    found = []
    for number in range(size):
        text, tokens = toy_sentence(source)
        comments = ["# newpar"] if number % 4 == 0 else []
        sentence = to_sentence(text + " ", tokens, begin=0, end=len(text) + 1, comments=comments)
        found.append(sentence)
    return found
