"""Whether a folder of recordings and transcripts can be aligned, before hours are spent on it."""

import os
from collections.abc import Collection, Sequence

from align.corpus.check_speech import hidden_files
from align.corpus.issues import Issue, Validation, odd_formats
from align.corpus.pairs import find_pairs
from align.corpus.reading import check_samples, header, problem_of
from align.errors import AlignError, DataError
from align.formats.tiers.labels import OVERRUN
from align.progress import Progress, counted
from align.speech.text.pronouncing.vocabulary import Vocabulary
from align.speech.text.reading.transcript import TRANSCRIPT_SUFFIXES, read_transcript
from align.speech.text.reading.utterances import Utterance

_OF_TIMIT = ".wrd"  # says the same as the text it lies beside
_FAST = 25.0  # phones in a second; nobody speaks so fast for long
_SLOW = 0.5  # words in a second of the whole recording, below which something may be missing
_LONG = 20.0  # seconds; of shorter recordings the rate says nothing


def validate_transcripts(
    folder_or_manifest: str | os.PathLike[str],
    vocabulary: Vocabulary,
    *,
    known: Collection[str] | None = None,
    suffixes: Sequence[str] = TRANSCRIPT_SUFFIXES,
    tiers: Collection[str] = (),
    optional: bool = False,
    progress: Progress | None = None,
) -> Validation:
    """Return what is wrong with recordings and their transcripts.

    Parameters
    ----------
    folder_or_manifest : path
        A tree of folders, or a manifest; see `align.corpus.pairs`.
    vocabulary : Vocabulary
        Pronunciations; words that espeak-ng is asked for are warnings.
    known : collection of str, optional
        The labels of the model; a word that cannot be said with them is a problem.
    suffixes : sequence of str
        Of transcripts, in lower case, in order of preference.
    tiers : collection of str
        Of transcripts with tiers: those to read, see `align.speech.text.read_transcript`.
    optional : bool
        Say nothing of recordings without a transcript.
    progress : callable, optional
        Called with a stage, how much of it is done, and how much there is.

    Returns
    -------
    Validation
        Problems: recordings or transcripts that cannot be read, words out of vocabulary (all of
        a file in one problem), phones the model does not know, utterances beyond the end of the
        recording, texts that cannot fit into it. Warnings: recordings without a transcript and
        transcripts without a recording, words that espeak-ng guessed, texts that seem to be of
        another language, sampling rates and channels unlike most, long recordings with hardly a
        word.

    Raises
    ------
    DataError
        If there is no such folder or manifest, or nothing in it.
    """
    root = os.fspath(folder_or_manifest)
    pairs = find_pairs(root, None, tuple(suffixes))
    if not pairs:
        raise DataError("holds neither audio nor transcripts.", path=root)
    errors: list[Issue] = []
    warnings: list[Issue] = []
    formats: dict[str, tuple[int, int]] = {}
    for pair in counted(pairs, progress, "checking transcripts"):
        if pair.audio is None or pair.labels is None:
            if pair.audio is None or not optional:
                missing = "audio" if pair.audio is None else "transcript"
                warnings.append(Issue(pair.path, f"has no {missing} of its name beside it."))
            continue
        hidden = hidden_files(pair)
        warnings += [issue for issue in hidden if not issue.path.lower().endswith(_OF_TIMIT)]
        try:
            about = header(pair.audio)
            if not optional:  # else the samples are checked with the labels
                check_samples(pair.audio)
            said = read_transcript(pair.labels, tiers=tiers, recording=pair.audio)
            warnings += _check(said, pair.labels, about.duration, vocabulary, known)
        except AlignError as error:
            path, reason = problem_of(error, pair.labels)
            errors.append(Issue(path, reason, "error"))
            continue
        formats[pair.audio] = (about.rate, about.channels)
    warnings += odd_formats(formats)
    return Validation(len(formats), tuple(errors), tuple(warnings))


def _check(
    said: Sequence[Utterance],
    path: str,
    duration: float,
    vocabulary: Vocabulary,
    known: Collection[str] | None,
) -> list[Issue]:
    """Check one transcript against its recording and the vocabulary; return warnings."""
    words: list[str] = []
    for utterance in said:
        last = utterance.start if utterance.loose else utterance.end
        if last is not None and last > duration + OVERRUN:
            raise DataError(
                f"the utterance that ends at {utterance.end:.3f} s lies beyond the end of the "
                f"recording ({duration:.3f} s); check that they belong together.",
                path=path,
                line=utterance.line,
            )
        said_here = vocabulary.words(utterance.text)
        words += [word for word in said_here if not vocabulary.any_sound(word)]
    if not words:
        raise DataError("holds no word.", path=path)
    entries = vocabulary.entries(words, known, path)
    phones = sum(min(len(way.phones) for way in entries[word].ways) for word in words)
    if phones > _FAST * duration:
        raise DataError(
            f"{len(words)} words ({phones} phones) do not fit into {duration:.1f} s of audio; "
            "check that they belong together.",
            path=path,
        )
    warnings, dictionary = [], vocabulary.dictionary
    guessed = [word for word in dict.fromkeys(words) if entries[word].source == "espeak"]
    if foreign := vocabulary.seems_foreign(words, entries):
        warnings.append(Issue(path, foreign))
    elif guessed and len(
        vocabulary.dictionary
    ):  # without one, all words are meant to be espeak-ng's
        shown = ", ".join(guessed[:20]) + (" ..." if len(guessed) > 20 else "")
        warnings.append(Issue(path, f"not in {dictionary.name}, guessed by espeak-ng: {shown}."))
    if duration > _LONG and len(words) < _SLOW * duration and all(u.end is None for u in said):
        warnings.append(
            Issue(path, f"has {len(words)} words for {duration:.1f} s; is all that is said in it?")
        )
    return warnings
