"""The study's systems that live in Stanza: the mapped system, in-order, and its own parser."""

from arctree.study.stanza.settings import StanzaSettings
from arctree.study.stanza.systems import stanza_system, train_labeller

__all__ = ["StanzaSettings", "stanza_system", "train_labeller"]
