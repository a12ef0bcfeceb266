"""A little language with a grammar, so that a parser can learn it in seconds.

``of`` attaches to the noun before it, ``in`` and ``with`` to the verb; subjects agree with verbs;
now and then a relative clause is moved to the end, away from its noun, which makes the tree
non-projective.
"""

from __future__ import annotations

from random import Random

from arctree.sentence import DEPREL, FEATS, FORM, HEAD, ID, LEMMA, UPOS, WIDTH, XPOS, Sentence

NOUNS = ["dog", "cat", "tree", "house", "river", "child", "bird", "stone", "road", "cloud"]
VERBS = ["see", "know", "follow", "want", "leave", "hear", "find", "watch"]
ADJECTIVES = ["old", "small", "green", "quiet", "bright"]
ADVERBS = ["often", "never", "gladly"]


class _Builder:
    """Words with their heads; a head may be named before it has a place."""

    def __init__(self, source: Random) -> None:
        self.source = source
        self.rows: list[list[str]] = []
        self.heads: list[int] = []

    def word(self, form: str, lemma: str, upos: str, feats: str = "_") -> int:
        row = ["_"] * WIDTH
        row[FORM], row[LEMMA], row[UPOS], row[XPOS], row[FEATS] = form, lemma, upos, upos[:2], feats
        self.rows.append(row)
        self.heads.append(0)
        return len(self.rows)

    def attach(self, dependent: int, head: int, label: str) -> None:
        self.heads[dependent - 1] = head
        self.rows[dependent - 1][DEPREL] = label

    def noun_phrase(self, *, deep: bool) -> tuple[int, bool]:
        """Its noun, and whether that is plural."""
        source = self.source
        before = [(self.word("the", "the", "DET"), "det")]
        for _ in range(source.choice((0, 0, 1, 2))):
            adjective = source.choice(ADJECTIVES)
            before.append((self.word(adjective, adjective, "ADJ"), "amod"))
        noun, plural = source.choice(NOUNS), source.random() < 0.4
        form = noun if not plural else "children" if noun == "child" else noun + "s"
        place = self.word(form, noun, "NOUN", f"Number={'Plur' if plural else 'Sing'}")
        for dependent, label in before:
            self.attach(dependent, place, label)
        if deep and source.random() < 0.3:
            self.phrase("of", place, "nmod")
        return place, plural

    def phrase(self, preposition: str, head: int, label: str) -> None:
        case = self.word(preposition, preposition, "ADP")
        noun, _ = self.noun_phrase(deep=False)
        self.attach(case, noun, "case")
        self.attach(noun, head, label)

    def clause_verb(self, plural: bool) -> int:
        verb = self.source.choice(VERBS)
        return self.word(verb if plural else verb + "s", verb, "VERB", "VerbForm=Fin")

    def sentence(self, number: int) -> Sentence:
        source = self.source
        subject, plural = self.noun_phrase(deep=True)
        adverb = None
        if source.random() < 0.3:
            form = source.choice(ADVERBS)
            adverb = self.word(form, form, "ADV")
        verb = self.clause_verb(plural)
        self.attach(verb, 0, "root")
        self.attach(subject, verb, "nsubj")
        if adverb:
            self.attach(adverb, verb, "advmod")
        if source.random() < 0.7:
            self.attach(self.noun_phrase(deep=True)[0], verb, "obj")
        if source.random() < 0.5:
            self.phrase(source.choice(("in", "with")), verb, "obl")
        if source.random() < 0.15:
            relative = self.word("who", "who", "PRON")
            moved = self.clause_verb(plural)
            self.attach(relative, moved, "nsubj")
            self.attach(moved, subject, "acl:relcl")
        self.attach(self.word(".", ".", "PUNCT"), verb, "punct")
        for place, (row, head) in enumerate(zip(self.rows, self.heads, strict=True), start=1):
            row[ID], row[HEAD] = str(place), str(head)
        return Sentence(
            (f"# sent_id = toy-{number}",),
            tuple(zip(*self.rows, strict=True)),
            tuple(self.heads),
        )


def toy_treebank(size: int, seed: int) -> list[Sentence]:
    """So many sentences."""
    source = Random(seed)
    return [_Builder(source).sentence(number) for number in range(1, size + 1)]


def constant_attachment(sentences: list[Sentence]) -> float:
    """The best UAS of attaching every word to the word at one fixed distance."""
    words = sum(map(len, sentences))

    def right(distance: int) -> int:
        return sum(
            head == word + distance
            for sentence in sentences
            for word, head in enumerate(sentence.heads or (), start=1)
        )

    return max(right(distance) for distance in range(-9, 10)) / words
