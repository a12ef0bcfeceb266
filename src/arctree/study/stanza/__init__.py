"""The study's systems that live in Stanza: the mapped system, in-order, and its own parser.

Settings can be read without Stanza and torch; nothing is imported here, so that they are.
"""
