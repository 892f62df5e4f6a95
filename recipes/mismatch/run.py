"""How surely wrong transcripts are found: true ones are spoiled, and the matches compared.

::

    python recipes/mismatch/run.py TIMIT [--models DIR] [--folds N ...] [--german EMODB]
                                   [--german-model MODEL] [--speakers NAME ...] [--seed N]
                                   [--elsewhere MUSIC PEOPLE [--only NAME ...] [--every N]]

TIMIT is a folder of speakers with ``.wav``, ``.phn`` and ``.txt`` files, such as NLTK's sample;
EMODB one with ``.flac`` and ``.TextGrid``. See the README beside this file.
"""

import argparse
import os
import sys
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

import align
from align.features.sound.audio import read_audio
from align.speech.text import read_transcript

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rooms"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from rooms.run import conditions

FOLDS = 4
WRONG = 4  # wrong transcripts of each recording
NEAR = 16  # recordings of about the same length, one of which lends its transcript

Match = Callable[[object, Sequence[str]], float | None]
Matches = dict[str, list[float]]


def spoiled(
    words: Sequence[str], others: Sequence[Sequence[str]], rng: np.random.Generator
) -> Iterator[tuple[str, list[str]]]:
    """Yield a name of what was done, and the transcript after it; phones or words."""
    near = sorted(others, key=lambda other: abs(len(other) - len(words)))[:NEAR]
    half = max(1, len(words) // 2)
    for i in rng.permutation(len(near))[:WRONG]:
        yield "wrong", list(near[i])
    other = near[int(rng.integers(len(near)))]
    middle = len(other) // 2
    yield "half wrong", [*words[:half], *other[middle:]]
    yield "half wrong", [*other[:middle], *words[half:]]
    yield "half missing", list(words[:half])
    yield "half missing", list(words[half:])


def measure(
    matches: Matches,
    match: Match,
    recordings: Sequence[tuple[object, Sequence[str]]],
    every: Sequence[Sequence[str]],
    rng: np.random.Generator,
) -> None:
    """Add the matches of true and spoiled transcripts of recordings."""
    for audio, words in recordings:
        others = [other for other in every if list(other) != list(words)]
        for name, said in [("true", list(words)), *spoiled(words, others, rng)]:
            value = match(audio, said)
            if value is not None:
                matches[name].append(value)


def table(title: str, matches: Matches, border: float) -> str:
    """Return the figures of one set."""
    true = np.array(matches["true"])
    lines = [
        f"{title}: border {border:.2f}, {true.size} true transcripts, "
        f"{100 * (true < border).mean():.1f} % below it, median {np.median(true):.2f}, "
        f"lowest {true.min():.2f}"
    ]
    for name, values in matches.items():
        if name != "true":
            found = np.array(values)
            lines.append(
                f"  {name:16s} {found.size:5d}  area {area(true, found):.4f}  "
                f"found {100 * (found < border).mean():5.1f} %  median {np.median(found):.2f}"
            )
    return "\n".join(lines)


def area(true: npt.NDArray[np.float64], wrong: npt.NDArray[np.float64]) -> float:
    """Return how often a true transcript has a higher match than a wrong one."""
    higher = (true[:, None] > wrong).mean() + 0.5 * (true[:, None] == wrong).mean()
    return float(higher)


def noise(seconds: float, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Return white noise at 16 kHz."""
    return (0.05 * rng.normal(size=round(16000 * seconds))).astype(np.float32)


def fold_models(
    corpus: Path, folder: Path, folds: Sequence[int]
) -> Iterator[tuple[align.SpeechAligner, list[align.Example]]]:
    """Yield a model and the recordings of speakers that it has not heard."""
    examples = align.read_corpus(corpus, kind="speech")
    speakers = sorted({str(e.group) for e in examples})
    folder.mkdir(parents=True, exist_ok=True)
    for f in folds:
        held_out = speakers[f::FOLDS]
        path = folder / f"fold{f}.align"
        if not path.exists():
            train = examples.subset([s for s in speakers if s not in held_out])
            align.SpeechAligner().fit(train).save(path)
        yield align.load(path), [e for e in examples if e.group in held_out]


def phones_match(model: align.SpeechAligner) -> Match:
    """Return the match of a recording with phones."""

    def match(audio: object, phones: Sequence[str]) -> float | None:
        try:
            rate = 16000 if isinstance(audio, np.ndarray) else None
            return model.align(audio, phones, rate=rate).match
        except align.AlignError:
            return None  # they do not even fit into it

    return match


def text_match(model: align.SpeechAligner, language: str = "en") -> Match:
    """Return the match of a recording with words."""
    from align.speech.text import make_dictionary

    words_of = make_dictionary(language=language)

    def match(audio: object, words: Sequence[str]) -> float | None:
        options = {"dictionary": words_of, "language": language}
        try:
            rate = 16000 if isinstance(audio, np.ndarray) else None
            return model.align_text(audio, " ".join(words), rate=rate, **options).match
        except align.AlignError:
            return None

    return match


def swapped_words(
    model: align.SpeechAligner,
    recordings: Sequence[tuple[object, Sequence[str]]],
    vocabulary: Sequence[str],
    rng: np.random.Generator,
) -> Iterator[tuple[bool, float, int]]:
    """Yield whether a word was swapped for another, its match and its number of letters."""
    for audio, words in recordings:
        said, place = list(words), int(rng.integers(len(words)))
        old = said[place].lower()
        every = [word for word in vocabulary if word != old]
        like = sorted(every, key=lambda word: abs(len(word) - len(old)))[:NEAR]
        said[place] = like[int(rng.integers(len(like)))]
        try:
            found = model.align_text(audio, " ".join(said)).words
        except align.AlignError:
            continue
        assert found.event_match is not None
        spoken = [k for k, word in enumerate(found.labels) if word != "sil"]
        if len(spoken) == len(said):  # else a compound has become several
            for n, k in enumerate(spoken):
                yield n == place, float(found.event_match[k]), len(said[n])


def word_table(rows: Sequence[tuple[bool, float, int]]) -> str:
    """Return how well single words that were swapped are told from others."""
    lines = []
    for least in (1, 4):
        right = np.array([m for swap, m, n in rows if not swap and n >= least])
        wrong = np.array([m for swap, m, n in rows if swap and n >= least])
        found = (wrong < np.quantile(right, 1 / 200)).mean()
        lines.append(
            f"words of {least} letters or more: {right.size} right, {wrong.size} swapped, area "
            f"{area(right, wrong):.4f}, found at 1 false alarm in 200: {100 * found:.1f} %"
        )
    return "\n".join(lines)


def border_of(model: align.SpeechAligner) -> float:
    """Return the border of the model."""
    assert model.match_ is not None
    return model.match_.border


def english(options: argparse.Namespace, rng: np.random.Generator) -> None:
    """Print the figures of TIMIT."""
    phones: Matches = defaultdict(list)
    texts: Matches = defaultdict(list)
    borders = []
    words_of: list[tuple[bool, float, int]] = []
    for model, examples in fold_models(options.corpus, options.models, options.folds):
        borders.append(border_of(model))
        every = [tuple(map(str, e.events)) for e in examples]
        pairs = [(e.audio, words) for e, words in zip(examples, every, strict=True)]
        measure(phones, phones_match(model), pairs, every, rng)
        said = [tuple(text_of(str(e.audio)).split()) for e in examples]
        pairs = [(e.audio, words) for e, words in zip(examples, said, strict=True)]
        measure(texts, text_match(model), pairs, said, rng)
        vocabulary = sorted({word.strip('.,;:?!"').lower() for words in said for word in words})
        own = np.random.default_rng(options.seed)  # what follows draws the same without it
        words_of += swapped_words(model, pairs, vocabulary, own)
        for e, words in zip(examples[::4], every[::4], strict=True):
            value = phones_match(model)(noise(float(e.onsets[-1]), rng), words)
            if value is not None:
                phones["white noise"].append(value)
        for audio, seconds in foreign(options.german):
            nearest = min(examples, key=lambda e: abs(float(e.onsets[-1]) - seconds))
            value = phones_match(model)(audio, list(map(str, nearest.events)))
            if value is not None:
                phones["German"].append(value)
    shown = float(np.mean(borders))
    print(table("English, phones", phones, shown))
    print(table("English, text", texts, shown))
    print(word_table(words_of))


def text_of(audio: str) -> str:
    """Return the text of a recording of TIMIT."""
    return read_transcript(os.path.splitext(audio)[0] + ".txt")[0].text


def foreign(folder: Path | None) -> Iterator[tuple[str, float]]:
    """Yield recordings of another language, and their lengths in seconds."""
    if folder is not None:
        for e in align.read_corpus(folder, kind="speech")[::8]:
            yield str(e.audio), float(e.onsets[-1])


def german(options: argparse.Namespace, rng: np.random.Generator) -> None:
    """Print the figures of EmoDB with a model that has not heard German, or the speakers."""
    model = align.load(options.german_model)
    assert isinstance(model, align.SpeechAligner)
    examples = align.read_corpus(options.german, kind="speech")
    chosen = [e for e in examples if not options.speakers or e.group in options.speakers]
    phones = [tuple(map(str, e.events)) for e in chosen]
    texts = [tuple(str(e.text).split()) for e in chosen]
    for name, every, match, model_of in (
        ("phones", phones, phones_match(model), model.match_),
        ("text", texts, text_match(model, "de"), model.text_match_ or model.match_),
    ):
        found: Matches = defaultdict(list)
        for e, words in zip(chosen, every, strict=True):
            own = sentence_of(e)
            others = [w for x, w in zip(chosen, every, strict=True) if sentence_of(x) != own]
            measure(found, match, [(e.audio, words)], others, rng)
        sentences = {sentence_of(e): w for e, w in zip(chosen, every, strict=True)}
        for words in sorted(sentences.values()):
            value = match(noise(2.5, rng), words)
            if value is not None:
                found["white noise"].append(value)
        assert model_of is not None
        print(table(f"German, {name}, {options.german_model}", found, model_of.border))


def german_elsewhere(options: argparse.Namespace) -> None:
    """Print the figures of some recordings of EmoDB, heard in other conditions.

    Of how many a warning is given is counted, too: where a part of a text fits, the match is its.
    """
    from align.speech.text import make_dictionary

    model = align.load(options.german_model)
    assert isinstance(model, align.SpeechAligner)
    said_as = {"dictionary": make_dictionary(language="de"), "language": "de"}
    examples = align.read_corpus(options.german, kind="speech")
    of_speakers = [e for e in examples if not options.speakers or e.group in options.speakers]
    chosen = of_speakers[:: options.every]
    texts = [tuple(str(e.text).split()) for e in chosen]
    judge = model.text_match_ or model.match_
    assert judge is not None
    for name, condition in conditions(*options.elsewhere).items():
        if options.only and name not in options.only:
            continue
        found: Matches = defaultdict(list)
        warned: Matches = defaultdict(list)
        for e, words in zip(chosen, texts, strict=True):
            drawn = f"{options.seed}{name}{os.path.basename(str(e.audio))}"
            rng = np.random.default_rng(zlib.crc32(drawn.encode()))
            samples = read_audio(str(e.audio), 16000)[0]
            if condition is not None:
                samples = condition(samples.astype(float), rng).astype(np.float32)
            own = sentence_of(e)
            others = [w for x, w in zip(chosen, texts, strict=True) if sentence_of(x) != own]
            for kind, said in [("true", list(words)), *spoiled(words, others, rng)]:
                try:
                    text = model.align_text(samples, " ".join(said), rate=16000, **said_as)
                except align.AlignError:
                    continue
                if text.match is not None:
                    found[kind].append(text.match)
                    warned[kind].append(any("may not be of this" in w for w in text.warnings))
        print(table(f"German, text, {name}, {options.german_model}", found, judge.border))
        told = (f"{kind} {sum(own):.0f} of {len(own)}" for kind, own in warned.items())
        print(f"  warned of: {', '.join(told)}", flush=True)


def sentence_of(example: align.Example) -> str:
    """Return which of its ten sentences a recording of EmoDB holds."""
    return os.path.basename(str(example.audio))[2:5]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--models", type=Path, default=Path("mismatch-models"))
    parser.add_argument("--folds", type=int, nargs="*", default=list(range(FOLDS)))
    parser.add_argument("--german", type=Path)
    parser.add_argument("--german-model", default="speech-any", help="a name, or a file")
    parser.add_argument("--speakers", nargs="+", help="of EmoDB; by default all")
    parser.add_argument("--elsewhere", nargs=2, type=Path, metavar=("MUSIC", "PEOPLE"))
    parser.add_argument("--only", nargs="+", help="conditions elsewhere; by default all")
    parser.add_argument("--every", type=int, default=4, help="recording that is heard elsewhere")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.folds:
        english(options, np.random.default_rng(options.seed))
    if options.german is not None:
        if options.only is None:
            german(options, np.random.default_rng(options.seed))
        if options.elsewhere is not None:
            german_elsewhere(options)


if __name__ == "__main__":
    main()
