"""How words are said: dictionaries, alphabets, and what fluent speech makes of them.

=================  =======================================================================
module             what
=================  =======================================================================
`dictionary`       pronunciations of words, with probabilities
`dictionary_text`  how they are written in files
`espeak`           espeak-ng, for words that no dictionary has
`espeak_signs`     what it prints, in the IPA
`arpabet`          ARPABET and the International Phonetic Alphabet, one from the other
`lookup`           the pronunciations of all words of a text, as a model spells them
`vocabulary`       words and pronunciations of the texts of one language
`realisation`      how English words are realised: choices with names
`articulation`     the same for any language, by how phones are articulated
=================  =======================================================================
"""
