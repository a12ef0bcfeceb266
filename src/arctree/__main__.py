"""``python -m arctree`` is ``arctree``."""

from arctree.cli import main

main()
