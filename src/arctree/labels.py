r"""Labels, and the one way to print them.

A plain label is a string. A label that lifting has marked is a :class:`LiftedLabel`, a
value with its parts. Both have one printed form, and :func:`parse_label` reads it back::

    printed := base                     a plain label
             | base '↑'                 lifted; the head is found by following ↓   (path)
             | base '↑' hint            lifted from a head that bears label hint    (head, exact)
             | base '↑' hint '↑' rank   the same: the rank-th such word, from 2 on  (exact)
             | any of these '↓'         on the path of a lift       (path, head+path)

``base`` and ``hint`` are escaped, so an original label may contain anything, the markers
included. The escape serves words and tags in brackets as well (:mod:`arctree.brackets`):

    ===========  =========================================================
    printed      stands for
    ===========  =========================================================
    ``-LRB-``    ``(``    (as in the Penn Treebank)
    ``-RRB-``    ``)``
    ``\-``       the hyphen of ``-LRB`` or ``-RRB`` written so in the text
    ``\_``       a space
    ``\u{HEX}``  any other white-space character, by its code point
    ``\u{5c}``   a backslash
    ``\↑ \↓``    the lifting markers, written so in the text
    ===========  =========================================================

Everything else stands for itself. No printed text ends in a backslash, which some readers
would take for an escape of the bracket after it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from arctree.errors import DataError

LIFTED = "↑"
ON_PATH = "↓"


@dataclass(frozen=True, slots=True)
class LiftedLabel:
    """A label with what lifting noted on it.

    ``lifted`` says that the word's arc was lifted; ``hint`` is the label of its true head
    where the scheme tells it, and ``rank`` says which of the words with that label it is,
    in the order of :func:`arctree.lifting.candidates`. ``on_path`` says that some arc
    was lifted across this one.
    """

    base: str
    lifted: bool = True
    hint: str | None = None
    rank: int = 1
    on_path: bool = False

    def __post_init__(self) -> None:
        if not self.base or self.hint == "":
            raise DataError("an empty label")
        if not (self.lifted or self.on_path):
            raise DataError(f"the label {self.base} bears no mark: it is a plain string")
        if (self.hint is not None and not self.lifted) or self.rank < 1:
            raise DataError(f"the marks on the label {self.base} contradict each other")
        if self.rank > 1 and self.hint is None:
            raise DataError(f"the label {self.base} has a rank without a hint")

    def __str__(self) -> str:
        printed = escape(self.base)
        if self.lifted:
            printed += LIFTED + escape(self.hint or "")
            if self.rank > 1:
                printed += f"{LIFTED}{self.rank}"
        return printed + ON_PATH if self.on_path else printed


Label = str | LiftedLabel


def base_label(label: Label) -> str:
    """The label without the marks of lifting."""
    return label if isinstance(label, str) else label.base


def split_mark(label: Label) -> tuple[str, str]:
    """The plain label, and the printed mark on it, empty if there is none."""
    base = base_label(label)
    return base, print_label(label).removeprefix(escape(base))


def with_mark(base: str, mark: str) -> Label:
    """The plain label with a printed mark on it; the inverse of :func:`split_mark`."""
    return parse_label(escape(base) + mark)


@lru_cache(maxsize=4096)
def print_label(label: Label) -> str:
    """The printed form of a label; :func:`parse_label` is the inverse."""
    return escape(label) if isinstance(label, str) else str(label)


@lru_cache(maxsize=4096)
def parse_label(printed: str) -> Label:
    """The label that a printed form stands for; :func:`print_label` is the inverse."""
    match = _PRINTED.fullmatch(printed)
    if match is None:
        raise DataError(
            f"the label {printed!r} is not the printed form of a label",
            "it reads label, label↑, label↑hint or label↑hint↑rank, then ↓ if on a path; "
            "write a literal ↑ or ↓ as \\↑ or \\↓",
        )
    base, lifted, hint, rank, on_path = match.groups()
    if lifted is None and on_path is None:
        return unescape(base)
    return LiftedLabel(
        unescape(base),
        lifted=lifted is not None,
        hint=unescape(hint) if hint else None,
        rank=int(rank) if rank else 1,
        on_path=on_path is not None,
    )


_ATOM = r"(?:[^\\↑↓]|\\.)"
_PRINTED = re.compile(
    rf"({_ATOM}+)(?:(↑)(?:({_ATOM}+)(?:↑([2-9]|[1-9][0-9]{{1,8}}))?)?)?(↓)?", re.DOTALL
)


def escape(text: str) -> str:
    """The text with everything that brackets or marks could misread escaped."""
    return text if _ESCAPED.search(text) is None else _ESCAPED.sub(_escape_match, text)


def unescape(printed: str) -> str:
    """The text that :func:`escape` printed."""
    if "-" not in printed and "\\" not in printed:
        return printed
    return _UNESCAPED.sub(_unescape_match, printed)


# White space is what str.isspace() says: \s and the separators U+001C to U+001F.
_ESCAPED = re.compile(r"[()\\↑↓\s\x1c-\x1f]|-(?=[LR]RB)")
_UNESCAPED = re.compile(r"-[LR]RB-|\\u\{([0-9a-f]{1,6})\}|\\(.)", re.DOTALL)


def _escape_match(match: re.Match[str]) -> str:
    character = match.group()
    if character == "(":
        return "-LRB-"
    if character == ")":
        return "-RRB-"
    if character == " ":
        return "\\_"
    if character == "\\" or character.isspace():
        return f"\\u{{{ord(character):x}}}"
    return "\\" + character


def _unescape_match(match: re.Match[str]) -> str:
    code, character = match.groups()
    if code is not None:
        point = int(code, 16)
        if point > 0x10FFFF or 0xD800 <= point <= 0xDFFF:
            raise DataError(f"\\u{{{code}}} is no character", "write a Unicode scalar value")
        return chr(point)
    if character is not None:
        return " " if character == "_" else str(character)
    return "(" if match.group() == "-LRB-" else ")"
