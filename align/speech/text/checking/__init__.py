"""Where text and recording disagree: words not said, speech not written, parts, other texts.

=============  ===========================================================================
module         what
=============  ===========================================================================
`mismatch`     where, from the best path that may depart from the text
`departing`    that path, and the best one of the whole text
`unspoken`     how probable it is that a word was not said
`said`         the words that were, and what was said besides: the path that counts
`repeated`     words that were said twice
`astray`       words that are probably in the wrong place
`passages`     a recording of a part of the text
`excerpt`      the part of a long text that a recording has
`loud`         pauses in which something sounds
`strictness`   how strictly all of this is taken, for models of one language and of any
=============  ===========================================================================
"""

__all__: list[str] = []
