"""The stand-alone page: derivations to watch in one file, with no network.

The page holds the modules of ``<arctree-derivation>`` as one script and the explorations as
data. Its Content-Security-Policy allows that script and its style by their hashes and nothing
else, so a page can be kept, mailed and opened anywhere. No word can leave its place: in the
data, everything that means something to HTML is escaped, and the script puts text where text
goes.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable

from arctree.draw.width import visible
from arctree.json_form import Json
from arctree.web.bundle import bundle


def stand_alone(explorations: Sequence[Json], *, title: str, actions: str | None = None) -> str:
    """One HTML file in which the sentences of these explorations can be watched.

    The first one is shown with its canonical derivation, unless ``actions`` are given: the
    letters of another, as in an exploration's ``transitions``.
    """
    script, style = _script_and_style()
    return _PAGE.format(
        policy=_policy(script, style),
        title=escape(visible(title)),
        style=style,
        data=_as_data({"explorations": list(explorations), "actions": actions}),
        script=script,
    )


def static_folder() -> Traversable:
    """Where the modules of ``<arctree-derivation>`` lie, for a page of one's own."""
    return files("arctree.web") / "static"


@cache
def _script_and_style() -> tuple[str, str]:
    folder = static_folder()
    style = "".join((folder / name).read_text("utf-8") for name in ("app.css", "page.css"))
    return bundle(folder, "page.js"), style


def _policy(script: str, style: str) -> str:
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode("utf-8")).digest()).decode("ascii")


def _as_data(value: Json) -> str:
    """JSON that can stand in a script element, whatever its words hold."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


# What HTML or an older JavaScript would take for its own, and what UTF-8 cannot hold.
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="arctree">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header class="masthead" id="masthead"><h1>{title}</h1></header>
<main id="explorer" aria-label="The derivation">
<div class="line toolbar">
<nav class="line sentences" id="sentences" aria-label="Sentences" hidden>
<button id="previous-sentence" type="button" aria-label="Previous sentence">‹</button>
<label class="unseen" for="sentence-choice">Sentence</label>
<select id="sentence-choice"></select>
<button id="next-sentence" type="button" aria-label="Next sentence">›</button>
</nav>
<span class="line tools">
<button id="copy-link" type="button">Copy link</button>
<button id="take-away-open" type="button">Take it away</button>
</span>
</div>
<arctree-derivation></arctree-derivation>
<p class="toast" id="toast" role="status"></p>
</main>
<dialog class="take-away" id="take-away" aria-labelledby="take-away-heading">
<div class="line dialog-head">
<h2 id="take-away-heading">Take it away</h2>
<button id="take-away-close" type="button" aria-label="Close">✕</button>
</div>
<arctree-export id="export"></arctree-export>
</dialog>
<noscript><p class="fault">This page runs a script of its own to show derivations.</p></noscript>
<script type="application/json" id="explorations">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""
