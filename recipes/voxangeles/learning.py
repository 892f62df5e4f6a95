"""How models of any language are learned from recordings, and from made ones beside them.

There are few recorded sentences with labels. Made ones (`made_speech.py`) are cheap, but nobody
spoke them. So only networks learn from them, mostly at first; the rest is learned from what people
said.
"""

from collections.abc import Sequence
from typing import Any

import align

EPOCHS = 20.0  # twice what is the default: there is more to be learned


def learned(
    examples: Sequence[align.Example], made: Sequence[align.Example], **params: Any
) -> align.SpeechAligner:
    """Return a model of phones in the IPA, learned from recordings and from made ones."""
    plain = align.SpeechAligner("universal", **params)
    if not made:
        return plain.fit(examples)
    network, *others = plain._make_features()
    network.epochs = EPOCHS
    network.begin_with([plain._read_example(example, str(example.audio)) for example in made])
    model = align.SpeechAligner([network, *others], **params).fit(examples)
    for one in (model, *model.elsewhere_.values()):
        one.features = "universal"  # what it is, now that all is learned
    return model
