"""Results as tables of pandas, which is not needed otherwise."""

from typing import Any

from align.errors import ParameterError


def pandas() -> Any:
    """Return pandas; ParameterError where it is not installed."""
    try:
        import pandas as pd
    except ImportError:
        raise ParameterError(
            'to_frame needs pandas, which is not installed: pip install "margin-align[pandas]".'
        ) from None
    return pd


def frame_of(result: Any) -> Any:
    """Return a DataFrame of a `Timing`; see `align.results.timing.Timing.to_frame`."""
    pd = pandas()
    columns: dict[str, Any] = {"start": result.onsets}
    if result.ends_measured:
        columns["end"] = result.intervals[:, 1]
    columns["label"] = list(result.names)
    if result.pitches is not None:
        columns["pitch"] = result.pitches
        columns["score_onset"] = result.score_onsets
        columns["id"] = list(result.note_ids)
        if any(note.part for note in result.notes):
            columns["part"] = [note.part for note in result.notes]
        if result.beats is not None:
            columns["bar"], columns["beat"] = result.beats.at(result.score_onsets)
    if result.confidence is not None:
        columns["confidence"] = result.confidence
    intervals = getattr(result, "onset_intervals", None)
    if intervals is not None:
        columns["onset_low"], columns["onset_high"] = intervals.T
    frame = pd.DataFrame(columns)
    frame.attrs.update(audio=result.audio, duration=result.duration)
    return frame
