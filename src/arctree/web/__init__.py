"""The explorer: a derivation watched as it builds the tree, in the browser."""
