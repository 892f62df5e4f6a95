"""Where text and recording disagree: words not said, speech not written, parts, other texts.

A transcript is seldom just what was said. All that is known of this comes from paths through one
lattice: the words of the text in order, each in its variants, with a pause between two or none
(`align.speech.text.lattice`). The lattice may *depart* from the text at a cost: a pause stands for
a word that was left out, a node ``spn`` for anything that is not in the text. Then, in this order:

1. *Departing.* The best path that may depart, and the best one of the whole text. The match is
   always that of the whole text, or of all of it but a passage.
2. *Words.* Of each word: how much more the rest scores without it, how well its sounds match, and
   what a second scorer says of it. A logistic function of these numbers, learned from spoiled
   texts, is the probability that it was not said.
3. *Twice.* If second scores say that words were said twice, they are written into the text once
   more, and all begins anew; the first copy is then no part of the text.
4. *Between.* The words that were said, with anything between them: where it pays, by how much more
   it scores than the best path without it, there is speech that is not in the text.
5. *Astray.* Words that move when lengths and borders count otherwise are probably elsewhere.

Where the whole text does not fit, passages of any length are left out at one cost, and what is
left must fit well: then the recording is of a part. Of a text that is far too long for that, the
part is found before anything else, without times. What is listed and what tiers follow differ:
tiers follow what is nearly certain.

=============  ===========================================================================
module         what
=============  ===========================================================================
`departing`    1: both paths
`unspoken`     2: the evidence of words, and what it is worth
`mismatch`     2 and 4: what is listed, and when tiers follow it
`repeated`     3: words said twice, within a stretch of a recording and between two
`said`         1 to 4 in order: the path that counts
`astray`       5
`passages`     a recording of a part of the text
`excerpt`      the part of a long text that a recording has
`loud`         pauses in which something sounds
`strictness`   how strictly all of this is taken, for models of one language and of any
=============  ===========================================================================

`align.speech.text.words.WordAligner` asks for all of it. What it hands on is a `TextPart`, words
and the part of a recording they are looked for in; what comes back is a `WordPath`.
"""
