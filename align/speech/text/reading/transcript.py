"""Transcripts: what was said in a recording, by whom, and, where it is known, when.

=================== ==========================================================================
``.txt``, ``.cha``  the text; TIMIT's two sample numbers in front are left out. Names of speakers
                    and times in front of lines are told from words
                    (`align.speech.text.reading.turns`).
                    An Audacity label track (start, end and text, with tabs) gives utterances
                    with times
``.lab``            the text, on one line or several
``.docx``           the same in a document of Word (`align.formats.office`)
``.vtt``, ``.srt``  subtitles, each an utterance with its times, and its speaker where named
``.json``           segments of a recogniser with their times, such as Whisper's
``.wrd``            TIMIT's words, whose times are not used
``.TextGrid``       each interval tier is a speaker, each interval with text an utterance; tiers
                    called words, word, phones, phone, check, ``<speaker> - words``, MAU and so
                    on, which earlier alignments have left, are not read. Where there are no
                    others, the words of tiers of words are; their times are not used where one
                    person speaks, and else where somebody pauses
=================== ==========================================================================
"""

import os
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import repeat

from align.corpus.texts import SAMPLE_NUMBERS
from align.errors import DataError
from align.files.text import read_lines, read_text
from align.formats.files import read_labels
from align.formats.office import read_document
from align.formats.recognised import read_segments
from align.formats.subtitles import Cue, read_cues
from align.formats.textgrid import read_grid
from align.formats.tiers import Tier
from align.speech.text.reading.turns import read_turns
from align.types import SILENCES

__all__ = [
    "DOCUMENT_SUFFIXES",
    "TRANSCRIPT_SUFFIXES",
    "Utterance",
    "read_transcript",
    "spoken_text",
]

TRANSCRIPT_SUFFIXES = (
    ".txt",
    ".lab",
    ".textgrid",
    ".vtt",
    ".srt",
    ".json",
    ".cha",
    ".docx",
    ".wrd",
)
"""Suffixes of transcripts, in lower case, in order of preference."""

DOCUMENT_SUFFIXES = (".doc", ".odt", ".rtf", ".pdf", ".pages", ".html", ".xlsx")
"""Of files with text that is more than text, and that nothing here reads."""

_RESULTS = re.compile(
    r"(?:.* - )?(?:words?|phones?)|check|(?:ort-|kan-)?mau", re.IGNORECASE | re.DOTALL
)
_PAUSE = 0.3  # seconds without a word, between utterances of a tier of words


@dataclass(frozen=True)
class Utterance:
    """Something someone said.

    Parameters
    ----------
    text : str
        As it is written.
    start, end : float, optional
        When, in seconds; None for the start and the end of the recording.
    speaker : str
        Who; empty where it is not said.
    line : int, optional
        Line of the transcript, for messages.
    """

    text: str
    start: float | None = None
    end: float | None = None
    speaker: str = ""
    line: int | None = None


def read_transcript(
    path: str | os.PathLike[str],
    *,
    tiers: Collection[str] = (),
    encoding: str | None = None,
) -> list[Utterance]:
    """Read what was said in a recording.

    Parameters
    ----------
    path : path
        A ``.txt``, ``.lab``, ``.wrd``, ``.vtt``, ``.srt``, ``.json`` or ``.TextGrid`` file;
        anything else is read as text.
    tiers : collection of str
        Tiers of a TextGrid to read; by default all interval tiers that are no results.
    encoding : str, optional
        By default UTF-8 or UTF-16, whichever the file is.

    Returns
    -------
    list of Utterance
        At least one; those of a speaker in order of time and not overlapping. The speaker is
        named where a TextGrid has several tiers to read, a recogniser told several apart, or
        names stand before what is said.

    Raises
    ------
    DataError
        If there is no text, a tier is missing, or utterances of a speaker overlap.
    """
    name = os.fspath(path)
    suffix = os.path.splitext(name)[1].lower()
    if suffix in DOCUMENT_SUFFIXES and os.path.exists(name):
        raise DataError("is no plain text; save what is said in it as .txt.", path=name)
    if suffix == ".textgrid":
        found = _from_tiers(read_grid(path, encoding), tiers, name)
    elif suffix == ".json":
        segments = read_segments(path, encoding)
        found = _by_speaker([Utterance(s.text, s.start, s.end, s.speaker) for s in segments], name)
    elif suffix in (".vtt", ".srt"):
        found = _by_speaker(_from_cues(read_cues(path, encoding, web=suffix == ".vtt")), name)
    elif suffix == ".wrd":
        rows = [(n, row.split(maxsplit=2)) for n, row in read_lines(path, encoding)]
        for number, cells in rows:
            if len(cells) < 3:
                raise DataError("is not `start end word` here.", path=name, line=number)
        found = [Utterance(" ".join(cells[2] for _, cells in rows))]
    else:
        text = (read_document(path) if suffix == ".docx" else read_text(path, encoding)).strip()
        lines = [line for line in text.split("\n") if line.strip()]
        if lines and all(map(_is_label, lines)):
            labels = read_labels(path, silence="", encoding=encoding, format="audacity")
            found = _checked(
                [
                    Utterance(label, float(start), float(end), line=line)
                    for label, (start, end), line in zip(
                        labels.labels, labels.intervals, labels.lines, strict=True
                    )
                    if label
                ],
                name,
            )
        elif lines and all(map(_is_timed, lines)):
            raise DataError(
                "holds labels with times, not text; if they are phones, give the file as phones.",
                path=name,
            )
        else:
            found = spoken_text(SAMPLE_NUMBERS.sub("", text, count=1), name)
    if not any(utterance.text.strip() for utterance in found):
        raise DataError("holds no text; write what is said in the recording.", path=name)
    return found


def spoken_text(text: str, name: str) -> list[Utterance]:
    """Return what a text without labels says, turn by turn where it is a conversation.

    `name` is what messages call it.
    """
    turns = read_turns(text)
    found = [Utterance(t.text, t.start, t.end, t.speaker, t.line) for t in turns]
    return found if found[0].start is None else _by_speaker(found, name)


def _is_label(row: str) -> bool:
    """Whether a line is ``start<TAB>end<TAB>text`` in seconds."""
    return _times(row.split("\t"), 3)


def _is_timed(row: str) -> bool:
    """Whether a line is ``start end label``."""
    cells = row.split()
    return len(cells) == 3 and _times(cells, 3)


def _times(cells: list[str], least: int) -> bool:
    try:
        return len(cells) >= least and 0 <= float(cells[0]) <= float(cells[1])
    except ValueError:
        return False


def _from_tiers(tiers: list[Tier], wanted: Collection[str], name: str) -> list[Utterance]:
    intervals = [tier for tier in tiers if tier.kind == "interval"]
    have = ", ".join(repr(tier.name) for tier in intervals) or "none"
    missing = sorted(set(wanted) - {tier.name for tier in intervals})
    if missing:
        raise DataError(
            f"has no interval tier {missing[0]!r}; its interval tiers: {have}.", path=name
        )
    chosen = [
        tier
        for tier in intervals
        if (tier.name in wanted if wanted else not _RESULTS.fullmatch(tier.name.strip()))
    ]
    chosen = chosen or [tier for tier in intervals if tier.is_words()]
    if not chosen:
        raise DataError(
            f"has no tier of utterances (interval tiers: {have}); name one with --tier.", path=name
        )
    filled = [tier for tier in chosen if any(label.strip() for label in tier.labels)]
    if not filled:
        raise DataError("holds no text; write what is said into its intervals.", path=name)
    found = []
    for tier in filled:
        speaker = tier.name.strip() if len(chosen) > 1 else ""
        if tier.is_words() and not wanted:
            speaker = re.sub(r" - words?$", "", speaker, flags=re.IGNORECASE)
            found += _from_words(tier, speaker, name)
            continue
        found += _checked(
            [
                Utterance(label.strip(), start, end, speaker, line)
                for label, (start, end), line in zip(
                    tier.labels, tier.times, tier.lines or repeat(None), strict=False
                )
                if label.strip()
            ],
            name,
        )
    names = [tier.name.strip() for tier in filled]
    if len(set(names)) < len(names):
        raise DataError("several tiers have the same name; rename one.", path=name)
    return found


def _from_words(tier: Tier, speaker: str, name: str) -> list[Utterance]:
    """Return what a tier of words says: of one speaker of several, from pause to pause."""
    said = [
        (label.strip(), *times)
        for label, times in zip(tier.labels, tier.times, strict=True)
        if label.strip() not in SILENCES
    ]
    if not speaker:
        return [Utterance(" ".join(label for label, *_ in said))]
    runs: list[list[tuple[str, float, float]]] = []
    for word in said:
        if runs and word[1] - runs[-1][-1][2] < _PAUSE:
            runs[-1].append(word)
        else:
            runs.append([word])
    found = [
        Utterance(" ".join(label for label, *_ in run), run[0][1], run[-1][2], speaker)
        for run in runs
    ]
    return _checked(found, name)


def _from_cues(cues: list[Cue]) -> list[Utterance]:
    """Return subtitles with text; where none has a speaker, names in front of them may tell."""
    cues = [cue for cue in cues if cue.text]
    named = any(cue.speaker for cue in cues)
    turns = [] if named else read_turns("\n".join(cue.text.replace("\n", " ") for cue in cues))
    said = {turn.line: turn for turn in turns if turn.speaker}
    found, speaker = [], ""
    for n, cue in enumerate(cues, start=1):
        text = cue.text
        if n in said:  # those without a name go on with the last one
            speaker, text = said[n].speaker, said[n].text
        found.append(Utterance(text, cue.start, cue.end, cue.speaker or speaker, cue.line))
    return found


def _by_speaker(utterances: list[Utterance], name: str) -> list[Utterance]:
    """Return utterances speaker by speaker; one speaker needs no name."""
    speakers = dict.fromkeys(utterance.speaker for utterance in utterances)
    if len(speakers) == 1:
        utterances = [replace(utterance, speaker="") for utterance in utterances]
        speakers = {"": None}
    found = []
    for speaker in speakers:
        own = [utterance for utterance in utterances if utterance.speaker == speaker]
        found += own if own[0].start is None else _checked(own, name)
    return found


def _checked(utterances: list[Utterance], name: str) -> list[Utterance]:
    at = 0.0
    for utterance in utterances:
        assert utterance.start is not None
        assert utterance.end is not None
        if not (at - 1e-6 <= utterance.start < utterance.end):
            raise DataError(
                f"the utterance at {utterance.start:g} s begins before the one in front of it "
                "ends, or has no length; correct its times.",
                path=name,
                line=utterance.line,
            )
        at = utterance.end
    return utterances
