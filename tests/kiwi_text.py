"""What the recording of the kiwi says, and a dictionary of its words."""

from importlib.resources import files

from align.speech.text import Dictionary

KIWI = str(files("align.data") / "kiwi.flac")
TEXT = "A quick brown fox jumps over the lazy dog, while a kiwi watches."
WORDS = Dictionary(
    {
        "a": ["AH0", "EY1"],
        "quick": ["K W IH1 K"],
        "brown": ["B R AW1 N"],
        "fox": ["F AA1 K S"],
        "jumps": ["JH AH1 M P S"],
        "over": ["OW1 V ER0"],
        "the": ["DH AH0", "DH IY0"],
        "lazy": ["L EY1 Z IY0"],
        "dog": ["D AO1 G"],
        "while": ["W AY1 L"],
        "kiwi": ["K IY1 W IY0"],
        "watches": ["W AA1 CH AH0 Z"],
    },
    name="small",
    language="en",
)
SAID = Dictionary(
    {
        "a": ["ah"],
        "quick": ["k w ih k"],
        "brown": ["b r aw n"],
        "fox": ["f aa k s"],
        "jumps": ["jh ah m p s"],
        "over": ["ow v er"],
        "the": ["dh ah"],
        "lazy": ["l ey z iy"],
        "dog": ["d ao g"],
        "while": ["w ay l"],
        "kiwi": ["k iy w iy"],
        "watches": ["w aa ch ah z"],
        "purple": ["p er p ah l"],
        "elephant": ["eh l ah f ah n t"],
    }
)
"""The words as they are said there, in labels of `speech-en`, and two that are not said."""
