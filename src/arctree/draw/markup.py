"""SVG elements as text.

A picture is a list of elements. :func:`document` makes a stand-alone file of it: it has a
title and a description for those who do not see it, carries its own style, follows the
reader's light or dark scheme, and needs no script, no font file and no network.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape as escape_markup

from arctree.draw.width import isolated, visible

# Sizes that the style below sets and that text is measured with.
WORD_SIZE = 16
SMALL_SIZE = 12


def document(
    elements: Iterable[str], *, width: int, height: int, title: str, description: str
) -> str:
    """A stand-alone SVG file."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="arctree" role="img" width="{width}" '
            f'height="{height}" viewBox="0 0 {width} {height}">',
            f"<title>{escape(title)}</title>",
            f"<desc>{escape(description)}</desc>",
            f"<style>{_STYLE}</style>",
            f'<rect class="paper" width="{width}" height="{height}"/>',
            *elements,
            "</svg>",
        ]
    )


def escape(text: str) -> str:
    """Text that can stand in an element or an attribute, whatever it holds."""
    return escape_markup(visible(text))


def text(x: float, y: float, content: str, kind: str) -> str:
    """A piece of text; its kind is a class of the style."""
    return f'<text class="{kind}" x="{_number(x)}" y="{_number(y)}">{escape(content)}</text>'


def line_of_text(x: float, y: float, pieces: Iterable[str], kind: str) -> str:
    """Pieces of text one after the other, left to right whichever way each of them runs."""
    content = "\N{EN SPACE}".join(escape_markup(isolated(piece)) for piece in pieces)
    return f'<text class="{kind}" x="{_number(x)}" y="{_number(y)}">{content}</text>'


def named_tree(x: float, y: float, letter: str, word: str) -> str:
    """The name of a tree, such as t' with its word as a subscript."""
    name = f'<tspan class="italic">{escape(letter)}</tspan>'
    subscript = f'<tspan class="small" dy="3">{escape(word)}</tspan>'
    return f'<text x="{_number(x)}" y="{_number(y - 1)}">{name}{subscript}</text>'


def path(kind: str, *steps: str | float) -> str:
    """A path, given as commands and coordinates."""
    data = " ".join(step if isinstance(step, str) else _number(step) for step in steps)
    return f'<path class="{kind}" d="{data}"/>'


def rectangle(x: float, y: float, width: float, height: float, kind: str, radius: int = 0) -> str:
    """A rectangle, with rounded corners if a radius is given."""
    place = f'x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" height="{_number(height)}"'
    corners = f' rx="{radius}"' if radius else ""
    return f'<rect class="{kind}" {place}{corners}/>'


def group(elements: Iterable[str], *, tooltip: str) -> str:
    """Elements that belong together, and what to say of them."""
    return f"<g><title>{escape(tooltip)}</title>{''.join(elements)}</g>"


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


# Colours are written out, since not every viewer knows variables.
_STYLE = (
    f"""
.arctree {{ max-width: 100%; height: auto;
  font: {WORD_SIZE}px "Helvetica Neue", Helvetica, Arial, "Noto Sans", sans-serif; }}
.arctree text {{ fill: #1f2430; text-anchor: middle; }}
.arctree .small {{ font-size: {SMALL_SIZE}px; }}
.arctree .start {{ text-anchor: start; }}
.arctree .end {{ text-anchor: end; }}
"""
    """\
.arctree .tag, .arctree .faint { fill: #7a8294; }
.arctree .label { fill: #2f5fa8; }
.arctree .crossing-label { fill: #b3470e; }
.arctree .heading { fill: #7a8294; letter-spacing: .02em; }
.arctree .italic { font-style: italic; }
.arctree .strong { font-weight: 600; }
.arctree .paper, .arctree .back { fill: #fff; }
.arctree .arc, .arctree .branch { fill: none; stroke: #8a94a8; stroke-width: 1.4; }
.arctree .anchor { fill: none; stroke: #2f5fa8; stroke-width: 2; }
.arctree .crossing { fill: none; stroke: #d9702c; stroke-width: 1.6; stroke-dasharray: 5 3; }
.arctree .head { fill: #8a94a8; }
.arctree .crossing-head { fill: #d9702c; }
.arctree .guide { fill: none; stroke: #c3cad8; stroke-width: 1; stroke-dasharray: 1 3; }
.arctree .rule { stroke: #1f2430; stroke-width: 1.4; }
.arctree .hairline { stroke: #e6e9ef; stroke-width: 1; }
.arctree .chip { fill: #e9f0fb; }
.arctree .root-chip { fill: #eceef2; }
.arctree .SHIFT { fill: #7a8294; }
.arctree .LEFTARC { fill: #12805c; }
.arctree .RIGHTARC { fill: #7a3fb0; }
.arctree .DONE { fill: #1f2430; }
.arctree g:hover .arc, .arctree g:hover .crossing { stroke-width: 2.6; }
@media (prefers-color-scheme: dark) {
.arctree text, .arctree .DONE { fill: #e8eaf0; }
.arctree .tag, .arctree .faint, .arctree .heading, .arctree .SHIFT { fill: #959db0; }
.arctree .label { fill: #8ab4f8; }
.arctree .crossing-label { fill: #f6a96c; }
.arctree .paper, .arctree .back { fill: #16181d; }
.arctree .arc, .arctree .branch { stroke: #6f788c; }
.arctree .anchor { stroke: #8ab4f8; }
.arctree .crossing { stroke: #f0904a; }
.arctree .head { fill: #6f788c; }
.arctree .crossing-head { fill: #f0904a; }
.arctree .guide { stroke: #4a5163; }
.arctree .rule { stroke: #c8ccd6; }
.arctree .hairline { stroke: #2a2e38; }
.arctree .chip { fill: #22304a; }
.arctree .root-chip { fill: #2a2e38; }
.arctree .LEFTARC { fill: #5fd0a5; }
.arctree .RIGHTARC { fill: #c79bf0; }
}
"""
)
