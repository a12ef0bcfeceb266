r"""Pictures for a paper, in LaTeX.

Arcs are drawn with tikz-dependency and trees with forest, as in the paper's Figure 1;
a derivation is a table with booktabs rules, as its Table 2. Each is a piece to put into a
document; :func:`document` makes a whole one of it.

Words that run right to left stand in ``\RL{...}``, the command of the bidi package, which
:func:`document` provides if nobody else does. pdfLaTeX will do for Latin scripts; others need
XeLaTeX or LuaLaTeX, and a font that has the letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from arctree.dependency import NO_TAG, DependencyTree
from arctree.draw.layout import lay_out_arcs
from arctree.draw.table import (
    HEADINGS,
    MOST_PRIMES,
    BufferEntry,
    Room,
    Row,
    StackEntry,
    TreeName,
    rows,
)
from arctree.draw.width import cells, is_right_to_left, pixels, shorten, visible
from arctree.oracle import Step
from arctree.ordered import Leaf, OrderedTree


def draw_arcs(tree: DependencyTree) -> str:
    """The words with tags and numbers, arcs above them; tikz-dependency."""
    sizes = [
        max(pixels(visible(word), _WORD_SIZE), pixels(visible(tag), _LABEL_SIZE))
        for word, tag in zip(tree.words, tree.tags, strict=True)
    ]
    labels = [pixels(visible(str(label)), _LABEL_SIZE) + 10 for label in tree.labels]
    layout = lay_out_arcs(tree, sizes, labels, gap=_GAP, slot=3)
    # Where a label needs more than the usual gap between two words, the layout tells how much.
    gaps = [
        max(0, there - here - (size + next_size) // 2 - _GAP)
        for here, there, size, next_size in zip(
            layout.places, layout.places[1:], sizes, sizes[1:], strict=False
        )
    ]
    order = list(range(len(tree)))
    if is_right_to_left(tree.words):
        order.reverse()
        gaps.reverse()
    column = {word + 1: place for place, word in enumerate(order, start=1)}
    lines = [
        r"\begin{dependency}",
        rf"  \begin{{deptext}}[column sep={_GAP}pt]",
        "    " + _text_row([_word(tree.words[word]) for word in order], gaps),
    ]
    if set(tree.tags) != {NO_TAG}:
        lines.append("    " + _text_row([_small(tree.tags[word]) for word in order], gaps))
    lines.append("    " + _text_row([str(word + 1) for word in order], gaps))
    lines.append(r"  \end{deptext}")
    lines.append(
        rf"  \deproot[edge height={_LEVEL * (layout.levels + 1)}ex]{{{column[tree.root]}}}"
        f"{{{_small(str(tree.labels[tree.root - 1]))}}}"
    )
    for arc in layout.arcs:
        head, dependent, label = arc.arc
        options = f"edge height={_LEVEL * arc.level}ex"
        if not arc.is_projective:
            options += ", edge style={densely dashed, orange!85!black}"
        ends = f"{{{column[head]}}}{{{column[dependent]}}}"
        lines.append(rf"  \depedge[{options}]{ends}{{{_small(str(label))}}}")
    lines.append(r"\end{dependency}")
    return "\n".join(lines)


# In points; the height of a level in ex.
_WORD_SIZE = 10
_LABEL_SIZE = 7
_GAP = 6
_LEVEL = 3


def _text_row(texts: Sequence[str], gaps: Sequence[int]) -> str:
    """A row of the words' matrix, with additional space between some of them."""
    separators = (rf" \&[{gap}pt] " if gap > 2 else r" \& " for gap in gaps)
    return texts[0] + "".join(map(str.__add__, separators, texts[1:])) + r" \\"


def draw_tree(tree: OrderedTree) -> str:
    """The tree with its root on top; forest."""
    lines = [r"\begin{forest}"]
    if is_right_to_left(leaf.word for leaf in tree.leaves()):
        lines.append("  for tree={reversed=true},")
    agenda: list[tuple[OrderedTree | Leaf | str, int]] = [(tree, 1)]
    while agenda:
        item, depth = agenda.pop()
        # Beyond a few levels indentation tells nobody anything, and takes quadratic space.
        indentation = "  " * min(depth, 12)
        if isinstance(item, str):
            lines.append(indentation + item)
        elif isinstance(item, Leaf):
            lines.append(f"{indentation}[{{{_leaf(item)}}}]")
        elif item.dependents:
            lines.append(f"{indentation}[{{{_small(str(item.label))}}}")
            agenda.append(("]", depth))
            agenda.extend((child, depth + 1) for child in reversed(item.children))
        else:
            lines.append(f"{indentation}[{{{_small(str(item.label))}}} [{{{_leaf(item.anchor)}}}]]")
    lines.append(r"\end{forest}")
    return "\n".join(lines)


def draw_derivation(steps: Iterable[Step]) -> str:
    """The paper's Table 2; booktabs."""
    room = Room(
        size=72,
        separator=2,
        word=20,
        measure=lambda entry: cells(str(entry)),
        shorten=shorten,
    )
    return "\n".join(
        [
            r"\begin{tabular}{c r l c c}",
            r"\toprule",
            " & ".join(HEADINGS) + r" \\",
            r"\midrule",
            *(" & ".join(_cells(row)) + r" \\" for row in rows(steps, room)),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _cells(row: Row) -> list[str]:
    stack = ", ".join(map(_entry, row.stack))
    buffer = ", ".join(map(_entry, row.buffer))
    relation = r" $\rightarrow$ ".join(map(escape, row.relation)) if row.relation else ""
    # A bracket after \\ would be taken for an option; these come after the step.
    return [
        str(row.step),
        f"[{stack}]",
        f"[{buffer}]",
        rf"\textsc{{{row.action.lower()}}}",
        relation,
    ]


def _entry(entry: StackEntry | BufferEntry) -> str:
    if isinstance(entry, TreeName):
        many = entry.primes > MOST_PRIMES
        marks = f"^{{({entry.primes})}}" if many else "'" * entry.primes
        return rf"$t{marks}_{{\text{{{escape(entry.word)}}}}}$"
    return escape(str(entry))


def document(body: str) -> str:
    """A whole document around one or more pictures, cut to their size.

    A font is chosen only if the text needs one: the first of those known to have its script.
    """
    needs_fonts = _PLAIN.fullmatch(body) is None
    return "\n".join(
        [
            r"\documentclass[varwidth=\maxdimen, border=6pt]{standalone}",
            r"\usepackage{iftex}",
            r"\ifPDFTeX",
            r"  \usepackage[T1]{fontenc}",
            *([r"  \errmessage{These letters need XeLaTeX or LuaLaTeX}"] if needs_fonts else []),
            r"\else",
            r"  \usepackage{fontspec}",
            *(_font_choice(body) if needs_fonts else []),
            r"\fi",
            *_PACKAGES,
            *(_RIGHT_TO_LEFT if r"\RL{" in body else []),
            r"\begin{document}",
            body,
            r"\end{document}",
            "",
        ]
    )


_PACKAGES = (
    r"\usepackage{amsmath}",
    r"\usepackage{booktabs}",
    r"\usepackage{tikz-dependency}",
    r"\usepackage[linguistics]{forest}",
)

# XeTeX and LuaTeX each have their own way to set a word from right to left.
_RIGHT_TO_LEFT = (
    r"\ifXeTeX\TeXXeTstate=1 \providecommand{\RL}[1]{{\beginR #1\endR}}\fi",
    r"\ifLuaTeX\providecommand{\RL}[1]{\bgroup\textdir TRT #1\egroup}\fi",
)


def _font_choice(body: str) -> list[str]:
    """Commands that set the first font there is of those that have the body's letters."""
    fonts, features = next(
        (fonts, features) for letters, fonts, features in _FONTS if letters.search(body)
    )
    return [
        *(rf"  \IfFontExistsTF{{{font}}}{{\setmainfont{{{font}}}{features}}}{{%" for font in fonts),
        "  " + "}" * len(fonts),
    ]


# By the first of these that occurs; each font has Latin letters as well.
_FONTS = (
    (
        re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"),
        ("Noto Serif CJK JP", "Noto Sans CJK JP", "Hiragino Mincho ProN", "Yu Mincho", "SimSun"),
        "",
    ),
    (
        re.compile("[\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff]"),
        ("Amiri", "DejaVu Sans", "Times New Roman", "Arial"),
        "[Script=Arabic]",
    ),
    (
        re.compile("[\u0590-\u05ff]"),
        ("FreeSerif", "DejaVu Sans", "Times New Roman", "Arial"),
        "[Script=Hebrew]",
    ),
    (
        re.compile("[\u0900-\u097f]"),
        ("FreeSerif", "Noto Serif Devanagari", "Mangal", "Arial Unicode MS"),
        "[Script=Devanagari]",
    ),
    (
        re.compile(""),
        ("FreeSerif", "Noto Serif", "DejaVu Serif", "Times New Roman", "Arial Unicode MS"),
        "",
    ),
)


def escape(text: str) -> str:
    """Text as LaTeX takes it literally; right-to-left text in a command that says so."""
    text = visible(text)
    escaped = _SPECIAL.sub(_escape_match, text)
    if any(unicodedata.bidirectional(character) in ("R", "AL") for character in text):
        return rf"\RL{{{escaped}}}"
    return escaped


# Characters with a meaning of their own, those that would join to make another one (two
# hyphens make a dash, two commas a quotation mark), arrows, and the signs of what cannot be shown.
_SPECIAL = re.compile("[\\\\{}$&#^_~%<>|\"'`,←↑→↓\u2400-\u2424\ufffd]|-(?=-)")
_ESCAPES = {
    "\\": r"\textbackslash{}",
    # In the matrix of the words, an escaped ampersand separates columns.
    "&": r"\symbol{38}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "-": "-{}",
    ",": ",{}",
    "←": r"$\leftarrow$",
    "↑": r"$\uparrow$",
    "→": r"$\rightarrow$",
    "↓": r"$\downarrow$",
}


def _escape_match(match: re.Match[str]) -> str:
    character = match.group()
    if character >= "\u2400":
        code = ord(character)
        return rf"\texttt{{U+{code - 0x2400 if code < 0x2420 else code:04X}}}"
    return _ESCAPES.get(character, "\\" + character)


# What pdfLaTeX knows by itself.
_PLAIN = re.compile("[\n -~¡-¬®-ĥĨ-ķĹ-ľŁ-ňŊ-ťŨ-žȘ-ț‐–—‘’‚“”„†‡•…‰‹›€]*")


def _word(word: str) -> str:
    """Italics, as the paper sets words; upright in scripts without case, which have none."""
    has_italics = word.isascii() or word.lower() != word.upper()
    return rf"\textit{{{escape(word)}}}" if has_italics else f"{{{escape(word)}}}"


def _small(text: str) -> str:
    """Small capitals, as the paper sets tags and labels."""
    return rf"\textsc{{{escape(text.lower())}}}"


def _leaf(leaf: Leaf) -> str:
    return _word(leaf.word) if leaf.tag == NO_TAG else f"{_word(leaf.word)}/{_small(leaf.tag)}"
