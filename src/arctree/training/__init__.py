"""Training a parser on CoNLL-U."""
