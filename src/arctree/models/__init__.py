"""Models that come with arctree, each in a directory of its own."""
