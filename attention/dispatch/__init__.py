"""What computes a call, and what it is given.

direct           the usual call, to torch's kernel or by a route that was kept; others go on:
call             the arguments by which it is found how to compute
choice           which backend, where none is named
saving           where it is sooner to skip what a mask leaves out
sight            what a mask leaves in sight
named            what a backend that is named refuses
dense            a mask as the tensor that a backend needs
plans, kernels   what spans, onednn and triton need, which skip what a mask leaves out
onednn           where products of oneDNN are sooner
route            the backend and what it is given, kept for the next call like it
"""
