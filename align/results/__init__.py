"""What an alignment is: events, when each begins, and how sure that is.

`timing`      what all results have in common, and what everything that shows them reads
`alignment`   labels, one after the other
`music`       notes of a score, which may begin together
`chords`      notes that the score begins together
`time_map`    from the score to the recording and back, and the tempo
`writing`     the files that results are written to
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
