from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from arctree.dependency import DependencyTree
from arctree.draw import latex
from arctree.lifting import lift
from arctree.oracle import derive
from arctree.ordered import from_dependency

EVIL = DependencyTree(
    ("<script>&", "]]>", "\x00\n", "\ud800", r"\{}$&#^_~%", "[x]", "--,,''``\"|", "a,b=c", "Łódź"),
    (0, 1, 1, 1, 1, 1, 1, 1, 1),
    ("ro&ot", "\\input", "{", "}", "%", "#", "a,b", "[", "]"),
    ("_", "&", "\\\\", "$", "^", "~", "é", "_x", "/"),
)


def pictures(tree: DependencyTree) -> list[str]:
    lifted = lift(tree)
    return [
        latex.draw_arcs(tree),
        latex.draw_tree(from_dependency(lifted)),
        latex.draw_derivation(derive(lifted)),
    ]


def test_arcs_of_the_paper_s_figure_1(book: DependencyTree) -> None:
    assert latex.draw_arcs(book).splitlines() == [
        r"\begin{dependency}",
        r"  \begin{deptext}[column sep=6pt]",
        r"    \textit{book} \& \textit{me} \& \textit{the} \& \textit{morning}"
        r" \&[10pt] \textit{flight} \\",
        r"    \textsc{vb} \& \textsc{prp} \& \textsc{dt} \& \textsc{nn} \&[10pt] \textsc{nn} \\",
        r"    1 \& 2 \& 3 \& 4 \&[10pt] 5 \\",
        r"  \end{deptext}",
        r"  \deproot[edge height=12ex]{1}{\textsc{root}}",
        r"  \depedge[edge height=3ex]{1}{2}{\textsc{iobj}}",
        r"  \depedge[edge height=6ex]{5}{3}{\textsc{det}}",
        r"  \depedge[edge height=3ex]{5}{4}{\textsc{compound}}",
        r"  \depedge[edge height=9ex]{1}{5}{\textsc{dobj}}",
        r"\end{dependency}",
    ]


def test_tree_of_the_paper_s_figure_1(book: DependencyTree) -> None:
    assert latex.draw_tree(from_dependency(book)).splitlines() == [
        r"\begin{forest}",
        r"  [{\textsc{root}}",
        r"    [{\textit{book}/\textsc{vb}}]",
        r"    [{\textsc{iobj}} [{\textit{me}/\textsc{prp}}]]",
        r"    [{\textsc{dobj}}",
        r"      [{\textsc{det}} [{\textit{the}/\textsc{dt}}]]",
        r"      [{\textsc{compound}} [{\textit{morning}/\textsc{nn}}]]",
        r"      [{\textit{flight}/\textsc{nn}}]",
        r"    ]",
        r"  ]",
        r"\end{forest}",
    ]


def test_the_paper_s_table_2(book: DependencyTree) -> None:
    lines = latex.draw_derivation(derive(book)).splitlines()
    assert lines[:4] == [
        r"\begin{tabular}{c r l c c}",
        r"\toprule",
        r"Step & Stack & Buffer & Action & Relation added \\",
        r"\midrule",
    ]
    assert lines[4:-2] == [
        r"0 & [root] & [book, me, the, morning, flight] & \textsc{shift} &  \\",
        r"1 & [root, $t_{\text{book}}$] & [me, the, morning, flight] & \textsc{shift} &  \\",
        r"2 & [root, $t_{\text{book}}$, $t_{\text{me}}$] & [the, morning, flight] & "
        r"\textsc{rightarc} & book $\rightarrow$ me \\",
        r"3 & [root, $t'_{\text{book}}$] & [the, morning, flight] & \textsc{shift} &  \\",
        r"4 & [root, $t'_{\text{book}}$, $t_{\text{the}}$] & [morning, flight] & "
        r"\textsc{shift} &  \\",
        r"5 & [root, $t'_{\text{book}}$, $t_{\text{the}}$, $t_{\text{morning}}$] & [flight] & "
        r"\textsc{shift} &  \\",
        r"6 & [root, $t'_{\text{book}}$, $t_{\text{the}}$, $t_{\text{morning}}$, "
        r"$t_{\text{flight}}$] & [] & \textsc{leftarc} & flight $\rightarrow$ morning \\",
        r"7 & [root, $t'_{\text{book}}$, $t_{\text{the}}$, $t'_{\text{flight}}$] & [] & "
        r"\textsc{leftarc} & flight $\rightarrow$ the \\",
        r"8 & [root, $t'_{\text{book}}$, $t''_{\text{flight}}$] & [] & \textsc{rightarc} & "
        r"book $\rightarrow$ flight \\",
        r"9 & [root, $t''_{\text{book}}$] & [] & \textsc{rightarc} & root $\rightarrow$ book \\",
        r"10 & [root] & [] & \textsc{done} &  \\",
    ]


def test_arcs_that_are_not_projective_are_dashed() -> None:
    tree = DependencyTree(("a", "b", "c", "d"), (3, 4, 0, 1), ("p", "q", "root", "s"))
    assert latex.draw_arcs(tree).count("dashed") == 2
    assert r"\textsc{s$\uparrow$p}" in latex.draw_arcs(lift(tree))


def test_specials_are_escaped() -> None:
    assert latex.escape(r"50% of $x_1 & {y} ~ #2^\n") == (
        r"50\% of \$x\_1 \symbol{38} \{y\} \textasciitilde{} \#2\textasciicircum{}"
        r"\textbackslash{}n"
    )
    assert latex.escape("a--b ,,c") == "a-{}-b ,{},{}c"
    assert latex.escape("\x00\ud800") == r"\texttt{U+0000}\texttt{U+FFFD}"
    assert latex.escape("شخص") == r"\RL{شخص}"


def test_a_sentence_that_runs_right_to_left_is_mirrored() -> None:
    tree = DependencyTree(("الحد", "5000", "دولار"), (3, 3, 0), ("nsubj", "nummod", "root"))
    arcs, ordered, _ = pictures(tree)
    assert r"3 \&[10pt] 2 \& 1 \\" in arcs
    assert arcs.index("دولار") < arcs.index("الحد")
    assert r"\depedge[edge height=6ex]{1}{3}{\textsc{nsubj}}" in arcs
    assert "reversed=true" in ordered


def test_a_font_is_chosen_only_if_one_is_needed(book: DependencyTree) -> None:
    assert "setmainfont" not in latex.document(pictures(book)[0])
    japanese = DependencyTree(("増え", "た"), (0, 1), ("root", "aux"))
    greek = DependencyTree(("εἶπε", "ὡς"), (0, 1), ("root", "mark"))
    assert "CJK" in latex.document(pictures(japanese)[0])
    assert "Noto Serif}" in latex.document(pictures(greek)[0])


def compiled(program: str, source: str, folder: Path) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    (folder / "picture.tex").write_text(source, encoding="utf-8")
    result = subprocess.run(
        [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "picture.tex"],
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    missing = [package for package in PACKAGES if f"File `{package}' not found" in result.stdout]
    if missing:
        pytest.skip(f"{missing[0]} is not installed")
    assert result.returncode == 0, result.stdout[-2000:]
    assert (folder / "picture.pdf").stat().st_size > 1000


PACKAGES = ("standalone.cls", "varwidth.sty", "tikz-dependency.sty", "forest.sty", "booktabs.sty")


@pytest.mark.parametrize("program", ["pdflatex", "xelatex"])
def test_latin_pictures_compile(program: str, book: DependencyTree, tmp_path: Path) -> None:
    crossing = DependencyTree(("Käse", "Łódź", "ça", "–"), (3, 4, 0, 1), ("p", "q", "root", "s"))
    bodies = [*pictures(book), *pictures(crossing), *pictures(EVIL)]
    compiled(program, latex.document("\n\n".join(bodies)), tmp_path)


@pytest.mark.parametrize(
    "words",
    [("増え", "た", "。"), ("الحد", "5000", "دولار"), ("εἶπε", "ἡ", "Πυθίη"), ("я", "е", "ế")],
)
def test_pictures_in_other_scripts_compile(words: tuple[str, ...], tmp_path: Path) -> None:
    tree = DependencyTree(words, (0, 1, 1), ("root", "aux", "名詞"))
    compiled("xelatex", latex.document("\n\n".join(pictures(tree))), tmp_path)


def test_ten_thousand_words_are_drawn() -> None:
    size = 10_000
    tree = DependencyTree(("word",) * size, tuple(range(size)), ("x",) * size)
    for picture in pictures(tree):
        assert picture.count("word") >= size
