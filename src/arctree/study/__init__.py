"""The paper's study on any treebank: systems that learn T(D), trained and compared."""
