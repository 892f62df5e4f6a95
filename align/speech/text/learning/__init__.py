"""What an aligner learns from recordings with texts.

==============  ==========================================================================
module          what
==============  ==========================================================================
`training`      what `SpeechAligner.fit` learns from texts: `costs` of how words are said
`spoiling`      texts spoiled on purpose, to learn when a word was not said
`wrong_texts`   the match of texts, learned from right and wrong ones
`said_numbers`  texts whose numbers are read as they sound
`lacking`       a warning where texts are there and less than could be is learned of them
`untimed`       adapting to recordings of which the text alone is known
==============  ==========================================================================

It aligns texts; nothing that aligns them imports it.
"""
