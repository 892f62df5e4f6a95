"""What is written: transcripts, who says what in them, and the words that are said.

==============  ==========================================================================
module          what
==============  ==========================================================================
`transcript`    files of what was said, by whom and when: utterances
`turns`         names of speakers and times before what they say
`jefferson`     conversation analysis; `remarks`, such as (laughs)
`chat`          CHAT, of child language; `lyrics`, with times; `pages`, written for the eye
`utterances`    what someone said and when; `plain`: whether a text is what somebody says
`normalise`     from running text to the words that are said
`signs`         what stands beside numbers, and abbreviations, in four languages
`english`       and `german`: what their numbers have beside them
`numerals`      digits and Roman numerals; `telephones`; `currencies`
`agreement`     with what is counted; `around`: what is said around it, deux heures et demie
`ranks`         ordinals, dates and years of eight more languages; `chinese`, its numbers
`units`         units of measure; `ratios`, fractions; `dates`; `addresses` of pages and mail
`otherwise`     in which other ways a number may be read; `english_ways`; `clocks`, and a time
`others`        other readings of units and dates, which go with the text until they are words
`typography`    what word processors and hurried fingers leave in a text
`unspaced`      languages without spaces between words
`abjads`        vowels that Arabic and Hebrew do not write
==============  ==========================================================================
"""
