"""Ways to compute the same function: eager, fused, loops, spans, tiled and triton, a file for each.

names    which there are, and how one is loaded
suited   what torch's kernel is given in the place of what it is slow at
tiles    the tiles of tiled, and what a mask leaves of each
once     gradients that cannot be differentiated again, and say so
"""
