r"""Lemmas as edit scripts: what to do to a form so that its lemma comes out.

A classifier over lemmas knows only those it has seen. One over scripts has a few hundred
classes, and lemmatises words that nobody has seen: *walked* → *walk* and *Talked* → *talk* are
the same script. A script is either relative or absolute::

    script := casing edit '|' edit    change the case, then the beginning, then the end
            | '=' lemma               write exactly this
    casing := 'l'                     to lower case
            | 'k'                     keep as it is
            | 'c'                     first letter upper case, the rest lower
    edit   := count                   remove so many characters
            | count '+' text          and put this text in their place

In the text of the first edit ``\`` and ``|`` have a ``\`` before them; the rest stands as it is.
Some scripts, as :func:`script_of` prints them:

    ========  ========  ==========
    form      lemma     script
    ========  ========  ==========
    walked    walk      ``l0|2``
    Studies   study     ``l0|3+y``
    London    London    ``k0|0``
    IRAQ      Iraq      ``c0|0``
    gemacht   machen    ``l2|1+en``
    went      go        ``=go``
    ========  ========  ==========

What stays of the form is the longest piece that it shares with the lemma; the casing is the one
that lets the longest piece stay, the first of equals in the order above. A piece that begins
both is a stem. Any other has to make up half of the lemma, or sharing it is chance, and the
script is absolute: *are* → *be* shares an *e*, and that is half; *better* → *good* shares
nothing. The lemma ``_``, none, is always written absolutely.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import SequenceMatcher
from functools import lru_cache

from arctree.errors import DataError

NO_LEMMA = "_"


@lru_cache(maxsize=1 << 16)
def script_of(form: str, lemma: str) -> str:
    """The script that makes this lemma of this form; :func:`apply_script` is the inverse."""
    if lemma == NO_LEMMA:
        return _ABSOLUTE + lemma
    casing, cased, start, lemma_start, size = "", "", 0, 0, 0
    for candidate, change in _CASINGS.items():
        if size == len(lemma):
            break
        changed = change(form)
        match = SequenceMatcher(None, changed, lemma, autojunk=False).find_longest_match()
        if match.size > size:
            casing, cased, (start, lemma_start, size) = candidate, changed, match
    is_stem = start == lemma_start == 0
    if not size or (not is_stem and 2 * size < len(lemma)):
        return _ABSOLUTE + lemma
    beginning = _edit(start, re.sub(r"[\\|]", r"\\\g<0>", lemma[:lemma_start]))
    end = _edit(len(cased) - start - size, lemma[lemma_start + size :])
    return f"{casing}{beginning}|{end}"


def apply_script(script: str, form: str) -> str:
    """The lemma that the script makes of the form.

    Any script can be applied to any form: one that would leave nothing of a form only changes
    its case. A text that is no script is a :class:`DataError`.
    """
    if script.startswith(_ABSOLUTE):
        return script.removeprefix(_ABSOLUTE)
    casing, start, prefix, end, suffix = _parsed(script)
    cased = _CASINGS[casing](form)
    if start + end >= len(cased):
        return cased
    return prefix + cased[start : len(cased) - end] + suffix


_ABSOLUTE = "="
_CASINGS: Mapping[str, Callable[[str], str]] = {"l": str.lower, "k": str, "c": str.capitalize}
_COUNT = r"(0|[1-9][0-9]{0,8})"
_RELATIVE = re.compile(
    rf"([lkc]){_COUNT}(?:\+((?:[^\\|]|\\[\\|])+))?\|{_COUNT}(?:\+(.+))?", re.DOTALL
)


def _edit(count: int, text: str) -> str:
    return f"{count}+{text}" if text else str(count)


@lru_cache(maxsize=1 << 14)
def _parsed(script: str) -> tuple[str, int, str, int, str]:
    match = _RELATIVE.fullmatch(script)
    if match is None:
        raise DataError(
            f"{script!r} is no script for a lemma",
            "it reads =lemma, or a casing (l, k or c) and two edits, such as l0|3+y",
        )
    casing, start, prefix, end, suffix = match.groups(default="")
    return casing, int(start), re.sub(r"\\(.)", r"\1", prefix), int(end), suffix
