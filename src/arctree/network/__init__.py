"""The neural network of the parser, in torch: encoders below, what reads them above."""
