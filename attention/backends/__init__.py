"""Ways to compute one function: eager, fused, loops, onednn, spans, tiled and triton, a file each.

names    which there are, and how one is loaded
sdpa     torch's own function, given what it can take
clean    whether what it made shows that nothing absent was heard
suited   what torch's kernel is given in the place of what it is slow at
tiles    the tiles of tiled, and what a mask leaves of each
threads  Python's threads, for onednn
once     gradients that cannot be differentiated again, and say so
"""
