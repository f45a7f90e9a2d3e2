"""What the graph and the table of weights are made of."""
