"""What the tests of the commands share: an outcome, and small treebanks to run on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    err: str


Arctree = Callable[..., Outcome]

BOOK = PROJECT / "examples" / "book.conllu"
BRACKETS = (
    "(root (VB book) (iobj (PRP me)) (dobj (det (DT the)) (compound (NN morning)) (NN flight)))\n"
)
# Words with spaces and brackets, a multiword token, an empty node, enhanced dependencies, and
# crossing arcs of which one head lies outside the new head's subtree.
TREEBANK = """\
# sent_id = one
1-2\tNew York(\t_\t_\t_\t_\t_\t_\t_\t_
1\tNew York\tN\tPROPN\tNNP\tNumber=Sing\t2\tnsubj\t2:nsubj\tX=1
2\t(-LRB-\tl\tPUNCT\t-LRB- x\t_\t0\troot\t0:root\t_
2.1\te\t_\t_\t_\t_\t_\t_\t2:x\t_

# sent_id = two
1\ta\t_\t_\t_\t_\t3\tobl↑x\t_\t_
2\tb\\\t_\t_\t_\t_\t4\tobj\t_\t_
3\tc\t_\t_\t_\t_\t0\troot\t_\t_
4\td\u3000d\t_\t_\t_\t_\t1\tnmod\t_\t_

"""
BAD = "# sent_id = bad\n1\tx\t_\t_\t_\t_\t5\troot\t_\t_\n\n"
