"""What is wrong with a corpus of music, before hours are spent on it.

Problems: a file that cannot be used. Warnings, for what deserves a look:

* audio without a score or true times, and the other way round; files that another one hides; of
  pieces that all lack true times, such as are to be aligned, this is said once;
* notes of the score that no piano has, which are left out;
* notes of the score that were not played, where they are more than a quarter;
* a recording that goes on long after the last note, or whose first note is late;
* true times that run against the score: a note that begins a second or more before one that the
  score has a second or more earlier;
* a tempo far from that of the score (which is no error, but a score of another piece looks so);
* notes of a score that go on after the last one played;
* sound sampled so slowly that the higher partials are missing.
"""

from collections.abc import Iterator

import numpy as np

from align.corpus.issues import Issue, Validation
from align.corpus.pieces import NO_PIECES, find_pieces
from align.corpus.reading import check_samples, problem_of, read_piece
from align.errors import AlignError, DataError
from align.progress import Progress, counted
from align.types import Float64

_UNPLAYED = 0.25
_SLOWEST, _FASTEST = 0.1, 10.0
_LATE, _TAIL = 10.0, 20.0  # seconds without notes before and after the music
_BACKWARDS = 1.0  # seconds
_LOWEST_RATE = 16000  # Hz


def validate_music(root: str, *, progress: Progress | None = None) -> Validation:
    """Return what `align.corpus.validate_corpus` returns, of a folder or manifest of pieces."""
    pieces = find_pieces(root, None)
    if not pieces:
        raise DataError(NO_PIECES, path=root)
    errors: list[Issue] = []
    warnings: list[Issue] = []
    untimed = all(piece.truth is None for piece in pieces)
    usable = 0
    for piece in counted(pieces, progress, "checking"):
        missing = [name for name in piece.missing if name != "truth" or not untimed]
        if missing:
            warnings.append(Issue(piece.path, f"has no {' and no '.join(missing)} beside it."))
        if piece.audio is None or piece.score is None:
            continue
        for other in piece.others:
            warnings.append(Issue(other, "is not used: another file of the piece goes first."))
        try:
            info, score, truth = read_piece(piece)
            check_samples(piece.audio)
        except AlignError as error:
            path, reason = problem_of(error, piece.path)
            errors.append(Issue(path, reason, "error"))
            continue
        usable += truth is not None or untimed
        if info.rate < _LOWEST_RATE:
            text = f"is sampled at {info.rate} Hz; {_LOWEST_RATE} Hz or more would be better."
            warnings.append(Issue(piece.audio, text))
        warnings.extend(Issue(piece.score, text) for text in score.warnings)
        if piece.truth is not None and truth is not None:
            onsets = truth.onsets(len(score))
            warnings.extend(
                Issue(piece.truth, text) for text in _odd(score.onsets, onsets, info.duration)
            )
    if untimed:
        text = "no piece has true times: they can be aligned, and not learned from or scored."
        warnings.append(Issue(root, text))
    return Validation(usable, tuple(errors), tuple(warnings))


def _odd(score: Float64, performed: Float64, duration: float) -> Iterator[str]:
    """Return what is strange about the true times, in seconds, of the notes of a score."""
    played = np.isfinite(performed)
    n, missing = played.size, int((~played).sum())
    if missing > _UNPLAYED * n:
        yield f"{missing} of the {n} notes of the score are not in it; is it whole?"
    x, y = score[played], performed[played]
    first, last = float(y.min()), float(y.max())
    if first > _LATE:
        yield f"the first note is played only at {first:.1f} s; check that times count from 0."
    if duration - last > _TAIL:
        yield (
            f"the last note is played at {last:.1f} s, {duration - last:.1f} s before the "
            "recording ends; check that they belong together."
        )
    latest = np.maximum.accumulate(y)
    before = np.maximum(np.searchsorted(x, x - _BACKWARDS, side="right") - 1, 0)
    wrong = np.flatnonzero((y < latest[before] - _BACKWARDS) & (x >= x[before] + _BACKWARDS))
    if wrong.size:
        k = int(wrong[0])
        yield (
            f"the note at {x[k]:.3f} s of the score is played at {y[k]:.3f} s, "
            f"{latest[before[k]] - y[k]:.1f} s before one that comes earlier in the score; "
            "correct its time."
        )
    if np.ptp(x) > 0 and last > first:
        tempo = float(np.ptp(x) / (last - first))
        if not _SLOWEST <= tempo <= _FASTEST:
            yield (
                f"the piece is played at {tempo:.2g} times the tempo of the score; is it the "
                "truth of this score?"
            )
