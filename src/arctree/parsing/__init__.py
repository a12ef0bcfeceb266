"""What a trained parser needs at run time, whatever runs the network: no torch in here."""
