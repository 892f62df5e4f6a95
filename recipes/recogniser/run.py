"""From what a recogniser has heard to phones, and to a list of what it probably misheard.

::

    python recipes/recogniser/run.py talk.wav talk.json -o talk.TextGrid [--check check.csv]

The transcript is Whisper's JSON, subtitles, or words with times as CTM or as a table with columns
``start``, ``end`` and ``label``. Words are joined to utterances, which end at pauses.
"""

import argparse
import csv
import io
import sys
from pathlib import Path

from align.errors import AlignError
from align.files.atomic import atomic_write
from align.formats import read_labels
from align.speech.text import TextAlignment, align_text, read_transcript
from align.speech.text.reading.utterances import Utterance

WORDS = (".ctm", ".csv", ".tsv")  # each label is a word
PAUSE = 0.3  # seconds; shorter ones do not end an utterance
UNLIKE = 0.5  # match of a word


def utterances_of_words(path: Path) -> list[Utterance]:
    """Return words with times as utterances between pauses."""
    found: list[Utterance] = []
    words = read_labels(path, silence="")
    for label, (start, end) in zip(words.labels, words.intervals.tolist(), strict=True):
        if not label:
            continue
        last = found[-1] if found else None
        if last is not None and last.end is not None and start - last.end < PAUSE:
            found[-1] = Utterance(f"{last.text} {label}", last.start, end, loose=True)
        else:
            found.append(Utterance(label, start, end, loose=True))
    return found


def table(found: TextAlignment) -> tuple[str, int]:
    """Return what should be checked, in order of time, as CSV, and how many rows it has.

    That is speech that is not in the text, words that were not said, and words that do not sound
    like what was said.
    """
    rows = [
        (one.start, one.kind, one.end, " ".join(one.words), f"{one.probability:.2f}", "")
        for one in found.mismatches
    ]
    for both in found.speakers.values():
        words = both.words
        if words.event_match is None:
            continue
        for label, match, (start, end) in zip(
            words.labels, words.event_match, words.intervals, strict=True
        ):
            if match < UNLIKE:
                rows.append((start, "unlike", end, label, "", f"{match:.2f}"))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("start", "end", "kind", "words", "probability", "match"))
    for start, kind, end, words, probability, match in sorted(rows):
        writer.writerow((f"{start:.3f}", f"{end:.3f}", kind, words, probability, match))
    return text.getvalue(), len(rows)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("audio", type=Path)
    parser.add_argument("transcript", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--check", type=Path, metavar="CSV", help="what it probably misheard")
    parser.add_argument("--model", default="speech-en")
    parser.add_argument("--language", default="en")
    given = parser.parse_args(arguments)
    try:
        of_words = given.transcript.suffix.lower() in WORDS
        read = utterances_of_words if of_words else read_transcript
        said = read(given.transcript)
        found = align_text(given.model, given.audio, said, language=given.language)
        found.write(given.output, overwrite=True)
        text, count = table(found)
        if given.check is not None:
            atomic_write(given.check, text, overwrite=True)
    except AlignError as error:
        print(error, file=sys.stderr)
        return 1
    phones = sum(len(both.phones) for both in found.speakers.values())
    print(f"{len(said)} utterances, {phones} phones, {count} places to check")
    return 0


if __name__ == "__main__":
    sys.exit(main())
