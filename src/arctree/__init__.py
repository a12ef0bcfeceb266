"""arctree: dependency parsing as tree building.

Every arc-standard derivation of a projective dependency tree builds one lexicalised ordered
tree with contiguous yields, and the arcs are read back from that tree exactly.

    >>> import arctree
    >>> tree = arctree.DependencyTree(
    ...     words=("book", "me", "the", "morning", "flight"),
    ...     heads=(0, 1, 5, 5, 1),
    ...     labels=("root", "iobj", "det", "compound", "dobj"),
    ...     tags=("VB", "PRP", "DT", "NN", "NN"),
    ... )
    >>> ordered = arctree.from_dependency(tree)
    >>> arctree.format_tree(ordered)
    '(root (VB book) (iobj (PRP me)) (dobj (det (DT the)) (compound (NN morning)) (NN flight)))'
    >>> ordered.to_dependency() == tree
    True
    >>> [step.transition.name for step in arctree.derive(tree) if step.transition][:3]
    ['SHIFT', 'SHIFT', 'RIGHTARC']
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from arctree import notebook
from arctree.brackets import format_tree, parse_tree
from arctree.conllu import read, read_text, write
from arctree.dependency import Arc, DependencyTree
from arctree.errors import ArctreeError, CallError, DataError
from arctree.interop.nltk import from_nltk, to_nltk
from arctree.labels import LiftedLabel, parse_label, print_label
from arctree.lifting import Scheme, lift, unlift
from arctree.oracle import (
    Derivation,
    canonical_derivation,
    count_derivations,
    derivations,
    derive,
)
from arctree.ordered import Leaf, OrderedTree, from_dependency
from arctree.repair import repair
from arctree.sentence import Sentence
from arctree.transitions import (
    LEFTARC,
    RIGHTARC,
    SHIFT,
    Configuration,
    MappedConfiguration,
    Transition,
    as_trees,
)

if TYPE_CHECKING:
    from arctree.pipeline import Pipeline

__all__ = [
    "LEFTARC",
    "RIGHTARC",
    "SHIFT",
    "Arc",
    "ArctreeError",
    "CallError",
    "Configuration",
    "DataError",
    "DependencyTree",
    "Derivation",
    "Leaf",
    "LiftedLabel",
    "MappedConfiguration",
    "OrderedTree",
    "Scheme",
    "Sentence",
    "Transition",
    "as_trees",
    "canonical_derivation",
    "count_derivations",
    "derivations",
    "derive",
    "format_tree",
    "from_dependency",
    "from_nltk",
    "lift",
    "load",
    "parse_label",
    "parse_tree",
    "print_label",
    "read",
    "read_text",
    "repair",
    "to_nltk",
    "unlift",
    "write",
]


def load(model: str | Path = "en", *, device: str = "cpu", threads: int | None = 1) -> Pipeline:
    """The pipeline of a model: one that comes with arctree, by its name, or a directory.

    See :meth:`arctree.pipeline.Pipeline.load`.
    """
    from arctree.pipeline import Pipeline  # so that whoever needs the core alone pays for it alone

    notebook.install_for_documents()
    return Pipeline.load(model, device=device, threads=threads)


notebook.install()
