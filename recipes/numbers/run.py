"""How often a number is read as it was said, of made speech.

::

    python recipes/numbers/run.py [--languages en de] [--each 50] [--seed 0]

Each sentence has one number that may be read in several ways. It is made twice, by espeak-ng or
Festival: with the usual reading, and with another that is drawn among those which Align knows.
"""

import argparse
import random
import subprocess
import tempfile
from pathlib import Path

import align
from align.speech.text import align_text
from align.speech.text.reading.normalise import Reading, read_words

FRAMES = {
    "en": ("They told us about {} in the end.", "She wrote {} on the board and left.",
           "He said {} and nothing else to me."),
    "de": ("Er hat {} gesagt und ist gegangen.", "Auf dem Zettel stand {} in roter Schrift.",
           "Sie nannte {} als erstes Beispiel."),
    "fr": ("Il a dit {} avant de partir.", "Elle a noté {} dans son cahier."),
    "es": ("Dijo {} y se fue de la casa.", "Ella anotó {} en su cuaderno."),
    "nl": ("Hij zei {} en ging toen naar huis.", "Zij schreef {} op het bord."),
    "sv": ("Han sade {} och gick sedan hem.", "Hon skrev {} på tavlan."),
}  # fmt: skip
VOICES = {
    "en": ("en-us+f3", "en-gb+m3", "en-us+m7", "festival"),
    **{language: (f"{language}+f3", f"{language}+m3") for language in ("de", "fr", "es", "nl")},
    "sv": ("sv+f3", "sv+m3"),
}
MODELS = {"en": "speech-en", "de": "speech-de"}  # others: speech-any


def number(rng: random.Random, language: str) -> str:
    """Return a number as people write them."""
    kinds = [
        lambda: str(rng.randint(70, 999)),
        lambda: str(rng.randint(1100, 2099)),
        lambda: str(rng.randint(2100, 9999)),
        lambda: str(rng.choice([100, 110, 112, 1000, 1200, 1500, 200])),
    ]
    if language == "en":
        kinds += [
            lambda: f"{rng.randint(1, 12)}:{rng.randrange(0, 60, 5):02d}",
            lambda: f"${rng.randint(1, 40)}.{rng.randint(5, 99):02d}",
            lambda: f"{rng.randint(0, 9)}.{rng.randint(1, 9)}",
            lambda: str(rng.randint(10_000, 99_999)),
        ]
    return rng.choice(kinds)()


def drawn(rng: random.Random, language: str) -> tuple[str, Reading]:
    """Return a sentence with a number that may be read in several ways."""
    while True:
        text = rng.choice(FRAMES[language]).format(number(rng, language))
        reading = read_words(text, language=language)
        if reading.several:
            return text, reading


def say(text: str, voice: str, path: Path) -> None:
    """Make speech of a text."""
    if voice == "festival":
        subprocess.run(["text2wave", "-o", str(path)], input=text.encode(), check=True)
    else:
        subprocess.run(["espeak-ng", "-v", voice, "-s", "150", "-w", str(path), text], check=True)


def run(language: str, each: int, seed: int, folder: Path) -> dict[str, tuple[int, int]]:
    """Return how often the words were right, with the number as written and as it sounds.

    For the usual readings, and for others.
    """
    rng = random.Random(f"{language} {seed}")
    model = align.load(MODELS.get(language, "speech-any"))
    right = {"usual": [0, 0], "another": [0, 0]}
    for n in range(each):
        text, reading = drawn(rng, language)
        (one,) = reading.several
        usual = reading.words[one.start : one.stop]
        for kind, way in (("usual", usual), ("another", rng.choice(one.ways))):
            said = (*reading.words[: one.start], *way, *reading.words[one.stop :])
            path = folder / f"{language}-{n}-{kind}.wav"
            say(" ".join(said), rng.choice(VOICES[language]), path)
            found = align_text(model, path, text, language=language)
            words = tuple(word for word in found.words.labels if word != "sil")
            right[kind][0] += said == reading.words
            right[kind][1] += said == words
            if said != words:
                taken = [one for _, one in found.verbalised] or "the usual one"
                print(f"  {' '.join(way)}: {taken}", flush=True)
    return {kind: (written, heard) for kind, (written, heard) in right.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--languages", nargs="+", default=list(FRAMES), choices=list(FRAMES))
    parser.add_argument("--each", type=int, default=50, help="sentences of each language")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for language in options.languages:
            found = run(language, options.each, options.seed, Path(folder))
            for kind, (written, heard) in found.items():
                shares = [f"{100 * right / options.each:3.0f} %" for right in (written, heard)]
                print(f"{language} {kind:8} as written {shares[0]}, as heard {shares[1]}")


if __name__ == "__main__":
    main()
