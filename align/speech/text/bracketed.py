"""Words in brackets that were said, where a text means something else by brackets.

``[laughter]`` is a stretch of any sound. Some transcribers put words into brackets that overlap
another speaker's or that they are unsure of, and such words would be lost without a sign. So
what stands in brackets is aligned, as words, with the sound that was found for it. Of stretches of
one to three words of TIMIT the match with what was said is 0.6 or more for 71 of 80, and with
other words and remarks for 3 of 160; of EmoDB, by ``speech-de``, for 35 of 36 and 2 of 66.
"""

from collections.abc import Callable, Iterable, Sequence

from align.errors import DataError
from align.speech.text.pronouncing.lookup import Entry
from align.speech.text.reading.normalise import bracketed
from align.speech.text.reading.remarks import REMARK
from align.speech.text.reading.utterances import Utterance
from align.speech.text.words import WordAligner

_FITS = 0.6  # match of words that were said
_SHORTEST = 0.1  # seconds


def said_in_brackets(
    aligner: WordAligner,
    spans: Iterable[tuple[str, float, float]],
    entries_in: Callable[[str], Sequence[Entry]],
) -> tuple[str, ...]:
    """Return a warning of each word in brackets whose sound is that of the words within.

    Parameters
    ----------
    aligner : WordAligner
        Of the recording.
    spans : iterable of (str, float, float)
        The words of the text, each with its start and end in seconds.
    entries_in : callable
        Returns how the words within brackets are said; none where that is not known.
    """
    told = []
    for word, start, end in spans:
        inner = word[1:-1]
        if not (bracketed(word) or word[0] == "(") or REMARK.fullmatch(inner):
            continue
        if end - start < _SHORTEST or not (entries := entries_in(inner)):
            continue
        own = WordAligner(aligner.model, aligner.recording, {e.word: e for e in entries}, False)
        try:
            pieces = own.pieces(
                own.text(Utterance(inner), [e.word for e in entries], (start, end)), None
            )
        except DataError:  # they do not fit into it
            continue
        if all((piece.whole.match or 0.0) >= _FITS for piece in pieces):
            told.append(
                f"from {start:.2f} to {end:.2f} s: {word!r} sounds like what stands in the "
                "brackets; take them off where they are around words that were said."
            )
    return tuple(told)
