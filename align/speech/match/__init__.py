"""How well phones and recording fit each other: the match, from 0 to 1.

The score of an alignment says little by itself: it is low for noisy speech with the right phones,
and high for clear speech with some wrong ones. It is compared here with the best that any phones
would score (`align.features.phones.phone_loop`). For each event that is no silence:

* the log ratio: its log probability per frame, less that of the best sequence of any phones;
* its log probability per frame;
* the score of the transition into it;
* the score of its length, less that of its most usual length.

Of a recording come their means, which lean a little towards what is usual where events are few,
and the log ratio of all frames and of the worst stretches of 0.6 s, silences included: where half
a sentence is missing, speech passes for silence. Two more numbers are of what a transcript does
not have: for how long speech passes for silence, and changes of sound inside of phones; and two
are scores of a second acoustic model (`align.speech.second_scores`), times the root of the number
of sounds. Two
logistic functions of these ten are fitted to transcripts of the training corpus, one to wrong
ones and one to half wrong ones, since what shows that nothing of a transcript was said is not what
shows that a part of it was not; the lower one is the match. It is low, too, where the network is
far less sure of the best phones than it ever was in training: no speech.

Where all phones score low, in a language that the network was not trained on and with
pronunciations that nobody checked, these say little by themselves. There it counts, too, by
how much the text beats the mean of other orders of the same phones (`align.speech.orders`), for
each phone and divided by the root of their number: a wrong text is no better than they are, in any
language. In rooms and noise a right text beats them by less, so how sure the network is of the
best phones counts as well: the less, the less is asked of the rest. Such a match is learned from
pieces of recordings, too, so how few phones there are counts.

The logistic functions are made flatter, so that right transcripts mostly lie at 0.95 and do not
all end up at 1.00. A match is not the probability of being right.

References
----------
Witt and Young, "Phone-level pronunciation scoring and assessment for interactive language
learning", Speech Communication 30, 2000.
"""

from align.speech.match.defaults import DEFAULTS, in_room
from align.speech.match.evidence import Evidence, evidence_of
from align.speech.match.fitting import fitted_match
from align.speech.match.model import MatchModel

__all__ = ["DEFAULTS", "Evidence", "MatchModel", "evidence_of", "fitted_match", "in_room"]
