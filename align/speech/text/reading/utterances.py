"""Utterances: what someone said and when, as tiers, tables and subtitles have them."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, repeat

from align.errors import DataError, NoTextError, ParameterError
from align.formats.tiers.subtitles import Cue
from align.formats.tiers.tier import PHONES, Tier
from align.speech.text.reading.turns import read_turns
from align.types import SILENCES

_RESULTS = re.compile(
    r"(?:.* - )?(?:words?|phones?)|check|(?:ort-|kan-)?mau", re.IGNORECASE | re.DOTALL
)
_NUMBERED = re.compile(r"([^\W\d]\S+?)0*(\d{1,9})")
_WHO = re.compile(r"(?:(?:^|\s)[-\u2013]\s?|^)[A-Z][A-Z0-9 .'#&-]{1,29}:\s+(?=.*[a-z])")
_PAUSE = 0.3  # seconds without a word, between utterances of a tier of words
_LONG = 60.0  # seconds; where half of the utterances are longer, times are milliseconds


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
    loose : bool
        Whether the times, both of which are then needed, only say about where: those of subtitles
        and recognisers. Words may lie outside of them, and utterances of one speaker may overlap.
    """

    text: str
    start: float | None = None
    end: float | None = None
    speaker: str = ""
    line: int | None = None
    loose: bool = False

    def __post_init__(self) -> None:
        if self.loose and (self.start is None or self.end is None):
            raise ParameterError(f"{self.text[:60]!r} is loose, so it needs a start and an end.")


def of_tiers(tiers: Sequence[Tier], wanted: Collection[str], name: str) -> list[Utterance]:
    """Return what the tiers of these names hold; by default all that are spoken and no results."""
    intervals = [tier for tier in tiers if tier.kind == "interval"]
    have = ", ".join(repr(tier.name) for tier in intervals) or "none"
    missing = sorted(set(wanted) - {tier.name for tier in intervals})
    if missing:
        raise DataError(
            f"has no interval tier {missing[0]!r}; its interval tiers: {have}.", path=name
        )
    ort = [] if wanted else [tier for tier in intervals if _is_ort(tier, tiers)]
    chosen = [
        tier
        for tier in intervals
        if (tier.name in wanted if wanted else _may_be_spoken(tier) and tier not in ort)
    ]
    if ort and not any(label.strip() for tier in chosen for label in tier.labels):
        chosen = ort
    if not wanted and not all(tier.spoken for tier in intervals):
        if any(_are_names(tier.labels) for tier in intervals if tier.spoken):
            chosen = []  # what was said depends on its names, and so do its translations
    chosen = chosen or [tier for tier in intervals if tier.is_words()]
    for tier in chosen:
        tier.whole(name, "" if wanted else ", or name the tiers of what was said (--tier)")
    if not chosen:
        raise DataError(
            f"has no tier of utterances (interval tiers: {have}); name one with --tier.", path=name
        )
    filled = [tier for tier in chosen if any(label.strip() for label in tier.labels)]
    if not filled:
        raise NoTextError("holds no text; write what is said into its intervals.", path=name)
    found = []
    for tier in filled:
        speaker = tier.name.strip() if len(chosen) > 1 else ""
        if tier in ort:
            found += _from_words(tier, "", name)
            continue
        if tier.is_words() and not wanted:
            speaker = re.sub(r" - words?$", "", speaker, flags=re.IGNORECASE)
            found += _from_words(tier, speaker, name)
            continue
        found += checked(
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


def _is_ort(tier: Tier, tiers: Sequence[Tier]) -> bool:
    """Whether a tier has the words of WebMAUS as EMU has them, beside its phones."""
    beside = any(each.name.strip().upper() == "MAU" for each in tiers)
    return beside and tier.name.strip().upper() == "ORT"


def _may_be_spoken(tier: Tier) -> bool:
    """Whether what a tier holds may be what was said: no result, translation or numbering."""
    if _RESULTS.fullmatch(tier.name.strip()) or not tier.spoken:
        return False
    filled = [label for label in tier.labels if label.strip()]
    letters = any(char.isalpha() for label in filled for char in label)
    return not filled or (letters and not _are_names(filled))


def _are_names(labels: Sequence[str]) -> bool:
    """Whether labels are names of utterances that are numbered: kiwi.001, kiwi.002.

    Examples
    --------
    >>> _are_names(["kiwi.001", "kiwi.002"]), _are_names(["take 1"]), _are_names(["COVID-19"])
    (True, False, False)
    """
    found = [_NUMBERED.fullmatch(label.strip()) for label in labels if label.strip()]
    names = [(match[1], int(match[2])) for match in found if match is not None]
    if not names or len(names) < len(found) or len({stem for stem, _ in names}) > 1:
        return False
    rising = all(one < other for (_, one), (_, other) in pairwise(names))
    return rising and (len(names) > 1 or names[0][1] > 99 or "00" in labels[0])


def of_table(tiers: Sequence[Tier], name: str) -> list[Utterance]:
    """Return the rows of a table with the columns start, end and text, and maybe speaker.

    Whisper's tables count milliseconds, and its times are loose.
    """
    lengths = [end - start for tier in tiers for start, end in tier.times]
    whole = all(time.is_integer() for tier in tiers for both in tier.times for time in both)
    milliseconds = whole and sorted(lengths)[len(lengths) // 2] > _LONG
    per_second = 1000.0 if milliseconds else 1.0
    found = [
        Utterance(
            label.strip(), start / per_second, end / per_second, speaker, line, loose=milliseconds
        )
        for tier in tiers
        for speaker in [tier.name.removesuffix(PHONES).removesuffix(" - ")]
        for label, (start, end), line in zip(tier.labels, tier.times, tier.lines, strict=True)
        if label.strip()
    ]
    return by_speaker(found, name)


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
    return checked(found, name)


def of_cues(cues: list[Cue]) -> list[Utterance]:
    """Return subtitles with text; where none has a speaker, names in front of them may say.

    ``MAN:`` in capitals in front of one that has small letters is not said, even once.
    """
    cues = [cue for cue in cues if cue.text]
    named = any(cue.speaker for cue in cues)
    turns = [] if named else read_turns("\n".join(cue.text.replace("\n", " ") for cue in cues))
    said = {turn.line: turn for turn in turns if turn.speaker}
    found, speaker = [], ""
    for n, cue in enumerate(cues, start=1):
        text = cue.text
        if n in said:  # those without a name go on with the last one
            speaker, text = said[n].speaker, said[n].text
        elif not (named or said):
            text = _WHO.sub(" ", text).strip()
        who = cue.speaker or speaker
        found.append(Utterance(text, cue.start, cue.end, who, cue.line, loose=True))
    return found


def by_speaker(utterances: list[Utterance], name: str) -> list[Utterance]:
    """Return utterances speaker by speaker; one speaker needs no name."""
    speakers = dict.fromkeys(utterance.speaker for utterance in utterances)
    if len(speakers) == 1:
        utterances = [replace(utterance, speaker="") for utterance in utterances]
        speakers = {"": None}
    found = []
    for speaker in speakers:
        own = [utterance for utterance in utterances if utterance.speaker == speaker]
        found += own if own[0].start is None else checked(own, name)
    return found


def checked(utterances: list[Utterance], name: str) -> list[Utterance]:
    """Return the utterances of a speaker; DataError, naming the line, where times are wrong."""
    at = 0.0
    for utterance in utterances:
        assert utterance.start is not None
        assert utterance.end is not None
        if utterance.loose:
            if utterance.end < utterance.start:
                raise DataError(
                    f"the utterance at {utterance.start:g} s ends before it begins; correct its "
                    "times.",
                    path=name,
                    line=utterance.line,
                )
            continue
        if not (at - 1e-6 <= utterance.start < utterance.end):
            raise DataError(
                f"the utterance at {utterance.start:g} s begins before the one in front of it "
                "ends, or has no length; correct its times.",
                path=name,
                line=utterance.line,
            )
        at = utterance.end
    return utterances
