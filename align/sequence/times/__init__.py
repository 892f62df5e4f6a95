"""From the best path to times in seconds, and how sure they are.

`placement` is all of it in one object: `refine` finds times between frames, and `sureness` says
how often they are right, `spread` between which others they lie. `correction` is a last, small
move that is learned in training, `habits` one learned from corrections. Imports no other folder.
"""
