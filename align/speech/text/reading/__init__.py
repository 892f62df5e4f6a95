"""What is written: transcripts, who says what in them, and the words that are said.

==============  ==========================================================================
module          what
==============  ==========================================================================
`transcript`    files of what was said, by whom and when: utterances
`turns`         names of speakers and times before what they say
`normalise`     from running text to the words that are said
`signs`         what stands beside numbers, and abbreviations, in four languages
`units`         units of measure
`typography`    what word processors and hurried fingers leave in a text
`unspaced`      languages without spaces between words
==============  ==========================================================================
"""

__all__: list[str] = []
