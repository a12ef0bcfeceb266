"""The drawing room: one layout, several pens.

:mod:`arctree.draw.layout` places arcs and nodes, :mod:`arctree.draw.table` fills the rows of
a derivation, :mod:`arctree.draw.width` knows how wide text is. The pens
:mod:`arctree.draw.text`, :mod:`arctree.draw.svg` and :mod:`arctree.draw.latex` each have
``draw_arcs``, ``draw_tree`` and ``draw_derivation``, which return a string. A pen is imported
when it is needed.
"""
