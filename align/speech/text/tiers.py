"""What comes of aligning a text: tiers of words and phones, for each speaker.

Both tiers of a speaker are contiguous, begin at 0 and end exactly with the recording; a silence is
an event of its own, called `SILENCE`. A word begins with its first phone, and its confidence is
that of this beginning.
"""

import html
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import DataError, ParameterError, plural
from align.files.names import suffix_of
from align.formats.files import write_labels, write_tiers
from align.formats.table import LABEL_FORMATS, label_format
from align.formats.tiers.json_file import write_json_tiers
from align.formats.tiers.label_table import write_csv_tiers
from align.formats.tiers.labels import Known
from align.formats.tiers.textgrid import write_textgrid_tiers
from align.formats.tiers.tier import PHONES, UTTERANCES, WORDS, Tier, Tiers, with_confidence
from align.results.alignment import Alignment
from align.results.frame import pandas
from align.speech.text.reading.utterances import Utterance
from align.types import MISPLACED, SILENCE, IntArray, Mismatch

__all__ = [
    "Mismatch",
    "SpeakerTiers",
    "TextAlignment",
    "check_speakers",
    "each_tier",
    "renamed",
]

CHECK = "check"  # the tier of mismatches
_SHOWN = 20  # mismatches in a notebook
_SEVERAL = (".textgrid", ".eaf", ".exb", ".rttm", ".vtt", ".srt", ".csv", ".tsv", ".json")


@dataclass(frozen=True, eq=False)
class SpeakerTiers:
    """Words and phones of one speaker.

    Parameters
    ----------
    words, phones : Alignment
        Of the whole recording.
    word_of_phone : np.ndarray [shape=(K,), dtype=intp]
        Place among the events of `words` that each phone belongs to; silences belong to silences.
    """

    words: Alignment
    phones: Alignment
    word_of_phone: IntArray


@dataclass(frozen=True, eq=False, repr=False)
class TextAlignment:
    """When each word and phone of a text was said.

    Parameters
    ----------
    speakers : mapping of str to SpeakerTiers
        By name; the name is empty where there is one speaker who has none.
    guessed : sequence of str
        Words that no dictionary has, whose pronunciation espeak-ng guessed.
    mismatches : sequence of Mismatch
        Where text and recording disagree, in order.
    utterances : sequence of Utterance
        What was said between times that the transcript gives. Files with tiers have one of them
        for each speaker, called as the speaker, or ``utterances``.
    verbalised : sequence of (str, str)
        Numbers that were said otherwise than is usual: the usual reading, and that which was
        said, whose words the tiers have.

    Examples
    --------
    >>> words = Alignment(["sil", "key"], [0.0, 0.1], duration=0.5)
    >>> phones = Alignment(["sil", "k", "iy"], [0.0, 0.1, 0.2], duration=0.5)
    >>> found = TextAlignment({"": SpeakerTiers(words, phones, np.array([0, 1, 1]))})
    >>> found
    <TextAlignment of 1 word and 2 phones in 0.500 s: key>
    >>> found.words.intervals[1]
    array([0.1, 0.5])
    """

    speakers: Mapping[str, SpeakerTiers]
    guessed: Sequence[str] = ()
    mismatches: Sequence[Mismatch] = ()
    utterances: Sequence[Utterance] = ()
    verbalised: Sequence[tuple[str, str]] = ()

    def _only(self) -> SpeakerTiers:
        if len(self.speakers) != 1:
            names = ", ".join(map(repr, self.speakers))
            raise ParameterError(f"there are several speakers; choose one of .speakers: {names}.")
        return next(iter(self.speakers.values()))

    @property
    def words(self) -> Alignment:
        """The words of the only speaker, silences included."""
        return self._only().words

    @property
    def phones(self) -> Alignment:
        """The phones of the only speaker, silences included."""
        return self._only().phones

    @property
    def match(self) -> float | None:
        """How well text and recording fit, in [0, 1]: of several speakers, the lowest.

        How well each word fits is ``words.event_match``.
        """
        known = [t.phones.match for t in self.speakers.values() if t.phones.match is not None]
        return min(known, default=None)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know, one sentence each."""
        every = [text for tiers in self.speakers.values() for text in tiers.phones.warnings]
        return tuple(dict.fromkeys(every))

    @property
    def duration(self) -> float:
        """Length of the recording in seconds."""
        return next(iter(self.speakers.values())).words.duration

    def __repr__(self) -> str:
        text = [w for t in self.speakers.values() for w in t.words.labels if w != SILENCE]
        phones = [p for t in self.speakers.values() for p in t.phones.labels if p != SILENCE]
        shown = " ".join(text[:12]) + (" ..." if len(text) > 12 else "")
        return (
            f"<TextAlignment of {plural(len(text), 'word')} and {plural(len(phones), 'phone')} "
            f"in {self.duration:.3f} s: {shown}>"
        )

    def _repr_html_(self) -> str:
        """Return tables for notebooks, and where text and recording disagree."""
        found = "".join(f"<p>{html.escape(str(m))}</p>" for m in self.mismatches[:_SHOWN])
        if len(self.mismatches) > _SHOWN:
            found += f"<p>... and {len(self.mismatches) - _SHOWN} more</p>"
        return found + "".join(
            (f"<h4>{html.escape(name)}</h4>" if name else "")
            + f"{tiers.words._repr_html_()}<details><summary>phones</summary>"
            + f"{tiers.phones._repr_html_()}</details>"
            for name, tiers in self.speakers.items()
        )

    def to_frame(self) -> Any:
        """Return a table of pandas, a row for each phone, silences included.

        Returns
        -------
        pandas.DataFrame
            The columns of `Alignment.to_frame`, and ``word``, ``word_number`` (from 0, in the
            order of the words of a speaker) and ``speaker``; of a silence the word is empty and
            its number -1. A row for each word is ``words.to_frame()``.

        Raises
        ------
        ParameterError
            If pandas is not installed.
        """
        frames = [_frame(name, tiers) for name, tiers in self.speakers.items()]
        whole = pandas().concat(frames, ignore_index=True)
        whole.attrs.update(frames[0].attrs)
        return whole

    def plot(self, ax: Any = None) -> Any:
        """Draw words and phones below the recording's waveform and spectrogram.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ParameterError
            If matplotlib is not installed.
        """
        from align.show.plot import plot_alignment

        phones, others = each_tier(self, lambda tier: renamed(tier, "")).in_picture()
        return plot_alignment(phones, ax, others=others)

    def in_picture(self) -> tuple[Alignment, dict[str, Alignment]]:
        """Return the phones of who says most, and the tiers that stand above them, by name."""
        *others, most = sorted(self.speakers, key=lambda name: len(self.speakers[name].phones))
        above: dict[str, Alignment] = {}
        for name in others:
            both = self.speakers[name]
            above |= {f"{name} - {WORDS}": both.words, f"{name} - {PHONES}": both.phones}
        above[f"{most} - {WORDS}" if others else WORDS] = self.speakers[most].words
        return self.speakers[most].phones, above

    def tiers(self, silence: str = "") -> dict[str, tuple[tuple[str, ...], npt.NDArray[Any]]]:
        """Return the tiers as a TextGrid has them: ``words``, ``phones``, of each speaker.

        Parameters
        ----------
        silence : str
            What silences are called.

        Returns
        -------
        dict of str to (labels, intervals)
            Labels and [shape=(K, 2)] their starts and ends in seconds. Where speakers have names
            the tiers are called ``<speaker> - words`` and ``<speaker> - phones``.
        """
        return {
            tier.name: (tier.labels, np.array(tier.times).reshape(-1, 2))
            for tier in self._document(silence)
        }

    def _document(self, silence: str) -> Tiers:
        """Return all tiers with what is known of them, as the writers of files want them."""
        alignments = [
            (f"{name} - {tier}" if name else tier, renamed(alignment, silence))
            for name, both in self.speakers.items()
            for tier, alignment in ((WORDS, both.words), (PHONES, both.phones))
        ]
        one = alignments[0][1]
        tiers = tuple(Tier.of_labels(alignment, name) for name, alignment in alignments)
        tiers += tuple(self._said(name) for name in self.speakers if self._timed(name))
        if self.mismatches:
            tiers += (self._check(),)
        return Tiers(tiers, one.duration, audio=one.audio, rate=one.rate)

    def _timed(self, speaker: str) -> list[tuple[float, float, str]]:
        """Return start, end and text of the utterances of a speaker that have times."""
        return sorted(
            (u.start, u.end, u.text)
            for u in self.utterances
            if u.speaker == speaker and u.start is not None and u.end is not None
        )

    def _said(self, speaker: str) -> Tier:
        """Return the utterances of a speaker as a tier."""
        rows = self._timed(speaker)
        times = tuple((start, min(end, self.duration)) for start, end, _ in rows)
        labels = tuple(text for *_, text in rows)
        return Tier(speaker or UTTERANCES, "interval", labels, times, (), self.duration)

    def _check(self) -> Tier:
        """Return the mismatches as a tier: the short ones whole, so that none is lost.

        Of one that overlaps others the longest part counts that is free. Words that are misplaced
        come last.
        """
        shown: list[Mismatch] = []
        for m in sorted(self.mismatches, key=lambda m: (m.kind == MISPLACED, m.end - m.start)):
            start, end = _longest_free(m, shown)
            if end > start:
                shown.append(replace(m, start=start, end=end))
        shown.sort(key=lambda m: m.start)
        return Tier(
            CHECK,
            "interval",
            tuple(m.label for m in shown),
            tuple((m.start, m.end) for m in shown),
            (),
            self.duration,
            Known(np.array([m.probability for m in shown])),
        )

    def to_textgrid(
        self,
        path: str | os.PathLike[str],
        *,
        silence: str = "",
        confidence: bool = False,
        overwrite: bool = False,
    ) -> None:
        """Write a Praat TextGrid, with the tiers that `tiers` gives.

        Parameters
        ----------
        path : path
            The output.
        silence : str
            Label of silences.
        confidence : bool
            Add tiers of points that say how sure the onset of each phone is.
        overwrite : bool
            Replace a file that exists.
        """
        tiers = self._document(silence)
        tiers = with_confidence(tiers) if confidence else tiers
        write_textgrid_tiers(path, tiers, overwrite=overwrite)

    def to_csv(
        self, path: str | os.PathLike[str], *, silence: str = SILENCE, overwrite: bool = False
    ) -> None:
        """Write a table of phones, each with its word and speaker; words are numbered.

        Parameters
        ----------
        path : path
            The output; tabs separate the columns of a ``.tsv``.
        silence : str
            Label of silences.
        overwrite : bool
            Replace a file that exists.
        """
        tab = suffix_of(path) == ".tsv"
        separator = "\t" if tab else ","
        write_csv_tiers(path, self._document(silence), separator=separator, overwrite=overwrite)

    def to_json(
        self, path: str | os.PathLike[str], *, silence: str = SILENCE, overwrite: bool = False
    ) -> None:
        """Write JSON: the phones as `Alignment.to_json` does, with a list ``words`` beside them.

        Several speakers are the values of one object, ``speakers``.

        Parameters
        ----------
        path : path
            The output.
        silence : str
            Label of silences.
        overwrite : bool
            Replace a file that exists.
        """
        write_json_tiers(path, self._document(silence), named=True, overwrite=overwrite)

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        silence: str | None = None,
        confidence: bool = False,
        overwrite: bool = False,
    ) -> None:
        """Write in the format the suffix says.

        Parameters
        ----------
        path : path
            A ``.TextGrid``, ``.eaf``, ``.exb``, ``_annot.json``, ``.csv``, ``.tsv`` or ``.json``
            file holds words and phones; ``.rttm`` says when each speaks; ``.vtt`` and ``.srt``
            hold the words of each; ``.wrd`` the words, the other formats of labels the phones.
        silence : str, optional
            Label of silences: by default ``""`` in TextGrids and files of ELAN, EXMARaLDA and EMU,
            ``sil`` elsewhere.
        confidence : bool
            Of a TextGrid: add tiers of points that say how sure the onset of each phone is.
        overwrite : bool
            Replace a file that exists.

        Raises
        ------
        DataError
            If the file exists or cannot be written, or its format holds one speaker only.
        ParameterError
            If the suffix is no format.
        """
        form = label_format(path)
        if form.write_tiers is None:
            check_speakers(path, len(self.speakers))
            shown = self.words if form.tier == WORDS else renamed(self.phones, silence or SILENCE)
            write_labels(path, shown, overwrite=overwrite)
        elif form.name == "textgrid":
            self.to_textgrid(
                path, silence=silence or "", confidence=confidence, overwrite=overwrite
            )
        elif form.name in ("csv", "tsv", "json"):
            named = SILENCE if silence is None else silence
            write = self.to_json if form.name == "json" else self.to_csv
            write(path, silence=named, overwrite=overwrite)
        else:
            of_speakers = form.holds in ("turns", "voices")  # which have no silences
            document = self._document("" if of_speakers else silence or "")
            write_tiers(path, document, overwrite=overwrite)


def _longest_free(wanted: Mismatch, taken: Sequence[Mismatch]) -> tuple[float, float]:
    """Return from when to when the longest part of a mismatch is that overlaps no other."""
    inside = [m for m in taken if m.end > wanted.start and m.start < wanted.end]
    inside.sort(key=lambda m: m.start)
    begins = [wanted.start, *(m.end for m in inside)]
    ends = [*(m.start for m in inside), wanted.end]
    return max(zip(begins, ends, strict=True), key=lambda span: span[1] - span[0])


def _frame(speaker: str, tiers: SpeakerTiers) -> Any:
    """Return the phones of a speaker as a table, with the word of each."""
    frame = tiers.phones.to_frame()
    silent = np.array([label == SILENCE for label in tiers.words.labels])
    number = np.where(silent, -1, np.cumsum(~silent) - 1)[tiers.word_of_phone]
    words = [tiers.words.labels[k] for k in tiers.word_of_phone]
    frame["word"] = ["" if n < 0 else word for n, word in zip(number, words, strict=True)]
    frame["word_number"] = number
    frame["speaker"] = speaker
    return frame


def check_speakers(path: str | os.PathLike[str], count: int) -> None:
    """Raise DataError where the format of a file of labels cannot hold so many speakers."""
    suffix = suffix_of(path)
    if count > 1 and suffix in LABEL_FORMATS and suffix not in _SEVERAL:
        raise DataError(
            f"a {suffix} file holds one speaker; use {', '.join(_SEVERAL)}.", path=os.fspath(path)
        )


def renamed(alignment: Alignment, silence: str) -> Alignment:
    """Return an alignment whose silences have another label."""
    if silence == SILENCE or SILENCE not in alignment.labels:
        return alignment
    labels = [silence if label == SILENCE else label for label in alignment.labels]
    return replace(alignment, events=labels)


def each_tier(found: TextAlignment, change: Callable[[Alignment], Alignment]) -> TextAlignment:
    """Return what was found with every tier of words and phones changed."""
    speakers = {
        name: replace(both, words=change(both.words), phones=change(both.phones))
        for name, both in found.speakers.items()
    }
    return replace(found, speakers=speakers)
