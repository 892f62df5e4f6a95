"""What users see of a recording and its score: times, how sure they are, mismatches and warnings.

What matches no better than a recording matches the score of another piece, and fits the score no
better than the score read backwards, is returned all the same, with a warning and little
confidence.
"""

import numpy as np

from align.features.notes.note_levels import signal_drift, signal_tuning
from align.features.sound.steady import steady_noise
from align.music.checking.backwards import OF_A_LINE, follows_score
from align.music.checking.mismatches import (
    LISTED,
    score_mismatches,
    silent_parts,
    unplayed_of,
    wrong_score,
)
from align.music.checking.missing import many_missing, missing_together, missing_voices
from align.music.checking.parts import (
    continued,
    described_part,
    known_repeats,
    out_of_order,
    passages_played,
    played_again,
)
from align.music.checking.unwritten import described_share, unwritten_share
from align.music.finding import FoundPart, sound_of
from align.music.learned import Learned
from align.music.performances.keys import described, described_drift
from align.music.placing.end_evidence import end_candidates
from align.music.placing.ends import LEAST, chosen_ends
from align.results.music import MusicAlignment
from align.types import Float64, Mismatch, PlayedPassage

_ANYWHERE = 0.4  # is right where a line fits no better than backwards: 2 of 6 were
_UNLIKE = 0.85  # of the confidence is right where the instruments are unlike those learned

_PERFORMANCE = (
    "the score seems to be a performance itself, since the notes of its chords begin one after "
    "another: its bars, its tempo and its times are those of that performance."
)


def result_of(found: FoundPart, known: Learned, audio: str | None) -> MusicAlignment:
    """Return the result of what `best_part` found.

    Where the notes end is looked for only where there is a model of it.
    """
    whole, part, placed, index = found.whole, found.part, found.placed, found.index
    duration = whole.signal.duration
    learned = alone = None
    if known.unplayed is not None and placed.unplayed is not None and placed.alone is not None:
        learned = known.unplayed(placed.unplayed)[part.row]
        alone = known.unplayed(placed.alone)[part.row]
    many = None if learned is None else many_missing(learned)
    share = _share(found)
    trust, doubt = _trust(found, known, share, many is not None)
    if trust < 1.0:
        many = None
    missing = learned if many is None else many
    if learned is not None and alone is not None and many is None and trust == 1.0:
        pitches, chord_of = whole.score.pitches[index], whole.chord_of[index]
        missing = missing_together(pitches, chord_of, learned, alone)
    chords = placed.chords - known.offset
    if index.size < len(whole.score):
        within = np.unique(whole.chord_of[index])
        chords = continued(whole.chords.onsets, within, placed.chords, duration)
    onsets = chords[whole.chord_of]
    onsets[index] = placed.notes[part.row] - known.offset
    passages = passages_played(found.passages, whole.chords.onsets, whole.score.beats)
    unplayed, mismatches = _disagreement(found, missing, chords, passages)
    confidence = np.zeros(len(whole.score))
    confidence[index] = trust * known.confidence(placed.evidence)[part.row]
    warnings = [
        described_part(passages, index, whole.score.onsets) if passages else None,
        doubt,
        *part.warnings,
        _of_key(found),
        _PERFORMANCE if whole.score.is_performance else None,
    ]
    if unplayed is not None and missing is not None and learned is not None:
        # the confidence was learned where few notes are missing
        fewer = unplayed >= LISTED
        fewer[index] |= missing > learned
        confidence[fewer] = np.minimum(confidence, 1.0 - unplayed)[fewer]
        silent, wrong = _of_missing(found, unplayed[index], trust, many=many is not None)
        warnings = [silent, *warnings, wrong]
    if trust == 1.0 and placed.match is not None and not passages:
        warnings += [_of_take(found, mismatches), described_share(share)]
    onsets = np.clip(onsets, 0.0, duration)
    ends, sure = _ends_of(found, known, onsets, trust)
    return MusicAlignment.from_score(
        whole.score,
        onsets,
        duration=duration,
        end=min(max(part.end, float(placed.chords[-1])), duration),
        confidence=confidence,
        score=found.value,
        audio=audio,
        rate=whole.signal.own_rate,
        chord_of=whole.chord_of,
        chord_onsets=chords,
        chord_score_onsets=whole.chords.onsets,
        match=placed.match,
        warnings=tuple(text for text in warnings if text),
        repeats=known_repeats(whole.score, passages),
        passages=passages,
        unplayed=unplayed,
        mismatches=mismatches if trust == 1.0 else (),
        transposition=part.shift,
        tuning=440.0 * 2.0 ** (signal_tuning(part.signal) / 12.0),
        measured_offsets=ends,
        offset_confidence=sure,
    )


def _of_key(found: FoundPart) -> str | None:
    """Return a warning where the recording is in another key, or its pitch drifts."""
    if found.placed.match is None:
        return None
    shift, signal = found.part.shift, found.part.signal
    known, drift = described(shift, signal_tuning(signal)), signal_drift(signal)
    if drift is None:
        return known
    drifts = described_drift(shift, drift)  # which alone may come to a semitone on average
    return drifts if known is None or abs(shift) < 2 else f"{known[:-1]}; {drifts}"


def _of_missing(
    found: FoundPart, unplayed: Float64, trust: float, *, many: bool
) -> tuple[str | None, str | None]:
    """Return warnings of parts that are silent, and of notes that are missing, maybe `many`.

    `unplayed` [shape=(P,)] is how probably each note of the part was not played.
    """
    score, index = found.whole.score, found.index
    silent = missing = None
    if score.parts and trust >= _UNLIKE:
        silent = silent_parts([score.parts[k] for k in index], unplayed)
    if trust == 1.0 and not (silent and many):
        missing = (
            missing_voices(score.pitches[index], found.whole.chord_of[index], unplayed)
            if many
            else wrong_score(unplayed, whole=index.size == len(score))
        )
    return silent, missing


def _of_take(found: FoundPart, mismatches: tuple[Mismatch, ...]) -> str | None:
    """Return a warning where a recording holds a second take."""
    return played_again(
        found.part, [(m.start, m.end) for m in mismatches if m.kind == "unwritten"]
    )


def _share(found: FoundPart) -> float:
    """Return which share of what begins in a recording is not in its score; 0 for passages."""
    if found.passages:
        return 0.0
    part, placed = found.part, found.placed
    ends = np.interp(part.notes.ends, part.chords.onsets, placed.chords)
    return unwritten_share(part.signal, part.notes.pitches, placed.notes, ends)


def _trust(
    found: FoundPart, known: Learned, share: float, missing: bool
) -> tuple[float, str | None]:
    """Return what share of the confidence is left where the match is poor, and a warning.

    `missing` says that the match is poor since many notes were not played; `share` is that of what
    is not in the score, among which one line may be found anywhere.
    """
    match = found.placed.match
    if match is None or known.match_range is None:
        return 1.0, None
    if not known.is_poor(match):
        more = described_share(share)
        if more is None or follows_score(found.part, OF_A_LINE):
            return 1.0, None
        return _ANYWHERE, (
            f"{more[:-1]}. It fits that hardly better than the score read backwards, and may lie "
            "elsewhere: check these times."
        )
    (low, _), border = known.match_range, known.border
    assert border is not None
    measured = f"(match {match:.2f}, border {border:.2f})"
    if not follows_score(found.part):
        (steady,) = steady_noise(found.whole.signal) or ("",)
        return max(match - low, 0.0) / (border - low), steady or (
            "the recording does not seem to be of this score, or is very unlike what the "
            f"model was trained on {measured}: do not rely on these times."
        )
    if missing:
        return 1.0, None
    return _UNLIKE, (
        "the recording follows the score, but its instruments are unlike those that the "
        f"model was trained on {measured}: times may be less exact."
    )


def _ends_of(
    found: FoundPart, known: Learned, onsets: Float64, trust: float
) -> tuple[Float64 | None, Float64 | None]:
    """Return when each note of the whole score ends in the sound, NaN where unknown, and how sure.

    `onsets` [shape=(N,)] are those of the result.
    """
    if known.ends is None:
        return None, None
    part, placed = found.part, found.placed
    made = end_candidates(part, placed.notes - known.offset, placed.chords - known.offset)
    times, probability = chosen_ends(made, known.ends, len(part.notes))
    ends, sure = np.full(onsets.size, np.nan), np.zeros(onsets.size)
    ends[found.index] = np.minimum(times[part.row], found.whole.signal.duration)
    sure[found.index] = trust * probability[part.row]
    return np.where((sure < LEAST) | (ends <= onsets), np.nan, ends), sure


def _disagreement(
    found: FoundPart,
    played: Float64 | None,
    chords: Float64,
    passages: tuple[PlayedPassage, ...],
) -> tuple[Float64 | None, tuple[Mismatch, ...]]:
    """Return how probably each note was not played, and the mismatches.

    `played` [shape=(P,)] is that of the notes in passages; `chords` [shape=(G,)] are in seconds.
    """
    whole = found.whole
    if played is None:
        return None, ()
    unplayed = unplayed_of(played, found.index, len(whole.score))
    swapped = out_of_order(passages, found.index, whole.score.onsets)
    unplayed[swapped] = 0.0  # they are played elsewhere
    mismatches = score_mismatches(
        whole.score,
        unplayed,
        np.union1d(found.index, swapped),
        whole.chord_of,
        chords,
        whole.chords.onsets,
        passages,
        sound_of(whole),
    )
    return unplayed, mismatches
