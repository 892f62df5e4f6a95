"""How words may be said: dictionary, rules, espeak-ng."""

import ast
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from align.errors import DataError, ParameterError
from align.speech.text import Dictionary, espeak_available, espeak_phones, look_up, look_up_all
from align.speech.text.pronouncing import vocabulary
from align.speech.text.pronouncing.dictionary import CMUDICT
from align.speech.text.pronouncing.espeak import _ask_phonemizer, espeak_ways
from align.speech.text.pronouncing.lookup import out_of_vocabulary
from align.speech.text.pronouncing.vocabulary import Vocabulary

ENGLISH = Dictionary(
    {
        "aunt": ["AE1 N T", "AA1 N T"],
        "dog": ["D AO1 G"],
        "dogs": ["D AO1 G Z"],
        "church": ["CH ER1 CH"],
        "talking": ["T AO1 K IH0 NG"],
        "naive": ["N AA0 IY1 V"],
        "b.": ["B IY1"],
        "c.": ["S IY1"],
    },
    name="small",
    language="en",
)
KNOWN = {"ae", "n", "t", "s", "aa", "d", "ao", "g", "z", "ch", "er", "ih", "k", "iy", "v", "b"}


@pytest.fixture
def fake_espeak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in the place of espeak-ng that writes down what it is given."""
    if os.name == "nt":
        pytest.skip("a script is no program there")
    program = tmp_path / "espeak-ng"
    monkeypatch.setattr("align.speech.text.pronouncing.espeak._program", lambda: str(program))
    return program


def install(program: Path, body: str) -> None:
    program.write_text(f"#!{sys.executable}\nimport sys\n{body}\n", encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("dog", ["D AO1 G"]),
        ("DOG's", ["D AO1 G Z"]),
        ("aunt's", ["AE1 N T S", "AA1 N T S"]),
        ("church's", ["CH ER1 CH IH0 Z"]),
        ("dogs'", ["D AO1 G Z"]),
        ("talkin'", ["T AO1 K IH0 N"]),
        ("naïve", ["N AA0 IY1 V"]),
        ("BC", ["B IY1 S IY1"]),
        ("B.C", ["B IY1 S IY1"]),
    ],
)
def test_dictionary_and_rules(word: str, expected: list[str]) -> None:
    found = look_up(word, ENGLISH, guess=False)
    assert found is not None
    assert [" ".join(way.phones) for way in found.ways] == expected
    assert found.source == ("dictionary" if word == "dog" else "rule")


def test_the_rules_are_those_of_english() -> None:
    german = Dictionary({"aunt": ["a"], "naive": ["n a"]}, language="de")
    assert look_up("aunt's", german, guess=False) is None
    assert look_up("naïve", german, guess=False) is None
    assert look_up("bc", ENGLISH, guess=False) is None  # not in capitals


def test_entries_are_spelled_for_the_model() -> None:
    found = look_up_all(["dog", "aunt", "dog"], ENGLISH, KNOWN, guess=False)
    assert [way.phones for way in found["aunt"].ways] == [("ae", "n", "t"), ("aa", "n", "t")]
    assert list(found) == ["dog", "aunt"]


def test_variants_that_are_spelled_alike_are_one() -> None:
    words = Dictionary({"the": ["DH AH0", "DH AH1", "DH IY0"]})
    found = look_up_all(["the"], words, {"dh", "ah", "iy"}, guess=False)
    assert [way.phones for way in found["the"].ways] == [("dh", "ah"), ("dh", "iy")]


def test_a_variant_the_model_cannot_say_is_left_out_and_a_word_is_an_error() -> None:
    words = Dictionary({"loch": ["l aa k", "l aa ǃ"], "bach": ["b aa ǃ"]}, name="odd")
    found = look_up_all(["loch"], words, {"l", "aa", "k", "b"}, guess=False)
    assert [way.phones for way in found["loch"].ways] == [("l", "aa", "k")]
    with pytest.raises(DataError, match=r"odd says 'bach' as b aa ǃ, .* no phone 'ǃ'") as caught:
        look_up_all(["bach"], words, {"l", "aa", "k", "b"}, guess=False, path="x.wav")
    assert caught.value.path == "x.wav"


def test_words_that_cmudict_lacks_go_into_a_dictionary_of_ones_own() -> None:
    said = out_of_vocabulary(["qqq"], Dictionary({}, name=CMUDICT), guess=False, language="en")
    assert said.endswith("yours (--dictionary my.dict --dictionary cmudict).")


def test_all_missing_words_are_named_with_the_nearest() -> None:
    with pytest.raises(DataError) as caught:
        look_up_all(["dog", "dogss", "qqq", "[noise]"], ENGLISH, KNOWN, guess=False, path="a.wav")
    assert str(caught.value) == (
        "a.wav: no pronunciation of 'dogss' (did you mean 'dogs'?), 'qqq', '[noise]' in small; "
        "correct or add them there."
    )
    many = [f"q{n}q" for n in range(30)]
    with pytest.raises(DataError, match=r"'q19q', and 10 more words in small"):
        look_up_all(many, ENGLISH, KNOWN, guess=False)


def test_without_espeak_the_message_says_that_it_would_help(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("align.speech.text.pronouncing.espeak._program", lambda: None)
    monkeypatch.setattr("align.speech.text.pronouncing.espeak.find_spec", lambda name: None)
    assert not espeak_available()
    assert espeak_phones("kiwi") is None
    with pytest.raises(DataError, match="or install espeak-ng, which guesses"):
        look_up_all(["qqq"], ENGLISH, KNOWN)
    with pytest.raises(DataError, match=r"add it there\.$"):
        look_up_all(["[noise]"], ENGLISH, KNOWN)


def test_espeak_is_asked_for_what_is_missing(fake_espeak: Path) -> None:
    install(fake_espeak, "sys.stdout.buffer.write('d_ˈɔː_ɡ_ə\\n'.encode())")
    found = look_up_all(["dog", "-v; rm $(x)"], ENGLISH, KNOWN | {"ax"})
    assert found["dog"].source == "dictionary"
    assert found["-v; rm $(x)"].source == "espeak"
    assert found["-v; rm $(x)"].ways[0].phones == ("d", "ao", "g", "ax")
    assert look_up("[noise]", ENGLISH) is None


def test_a_word_that_took_too_long_is_asked_again(
    fake_espeak: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(fake_espeak, "sys.stdout.buffer.write('k_iː_w_iː\\n'.encode())")
    run = subprocess.run

    def too_long(*args: object, **options: object) -> None:
        raise subprocess.TimeoutExpired("espeak-ng", 10.0)

    monkeypatch.setattr(subprocess, "run", too_long)
    assert espeak_phones("kiwifruit") is None
    monkeypatch.setattr(subprocess, "run", run)
    assert espeak_phones("kiwifruit") == ("k", "iː", "w", "iː")


def test_a_text_of_another_language_is_told_by_its_words(fake_espeak: Path) -> None:
    """Four of six German words are none of a large English dictionary; of names two may be."""
    install(fake_espeak, "sys.stdout.buffer.write('d_ˈɔː_ɡ_ə\\n'.encode())")
    large = Dictionary({f"w{n}x": ["D AO1 G"] for n in range(50_000)} | {"der": ["D ER"]})

    def warning(text: str) -> str | None:
        known = Vocabulary(large)
        return known.seems_foreign(text.split(), known.entries(text.split(), KNOWN | {"ax"}))

    german = warning("der Lappen liegt auf der Eisschrank")
    assert german is not None
    assert german.startswith("4 of 6 words are not in the dictionary: ")
    assert warning("w1x Lappen w2x liegt") is None
    assert warning(" ".join(["Lappen liegt auf", *(f"w{n}x" for n in range(10))])) is None
    few = Vocabulary(Dictionary({"der": ["D ER"]}))
    entries = few.entries(["Lappen", "liegt", "auf"], KNOWN | {"ax"})
    assert few.seems_foreign(["Lappen", "liegt", "auf"], entries) is None


def test_a_known_text_does_not_read_all_of_a_large_dictionary() -> None:
    class Large(Dictionary):
        def __len__(self) -> int:
            raise AssertionError("all of it is read")

    large = Vocabulary(Large({"dog": ["D AO1 G"]}))
    assert large.seems_foreign(["dog"], large.entries(["dog"], KNOWN)) is None


def test_the_word_reaches_espeak_as_one_argument(fake_espeak: Path) -> None:
    log = fake_espeak.with_name("log")
    install(fake_espeak, f"open({str(log)!r}, 'w').write(repr(sys.argv[1:])); print('a')")
    assert espeak_phones("--stdin 'x'\n\0; ls", "de") == ("a",)
    arguments = log.read_text()
    assert arguments == repr(["-q", "--ipa", "--sep=_", "-v", "de", "--", "--stdin 'x'; ls"])


def test_espeak_that_hangs_or_fails_is_given_up(
    fake_espeak: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(fake_espeak, "import time; time.sleep(30)")
    monkeypatch.setattr("align.speech.text.pronouncing.espeak._SECONDS", 0.2)
    assert espeak_phones("one") is None
    install(fake_espeak, "sys.exit(3)")
    monkeypatch.setattr("align.speech.text.pronouncing.espeak._SECONDS", 10.0)
    assert espeak_phones("two") is None
    install(fake_espeak, "sys.exit('Error: The specified espeak-ng voice does not exist.')")
    with pytest.raises(ParameterError, match="language='xx': espeak-ng has no such voice; give"):
        espeak_phones("three", "xx")
    assert espeak_phones("w" * 1000) is None


def test_letters_of_another_alphabet_are_not_named_one_by_one(fake_espeak: Path) -> None:
    """espeak-ng says "Cyrillic pe, Cyrillic u ..." for what it cannot read."""
    named = "s_ɪ_ɹ_ɪ_l_ɪ_k_p_eː"
    install(fake_espeak, f"sys.stdout.buffer.write('{named}_{named}'.encode())")
    assert espeak_phones("Пу", "de") is None
    assert espeak_phones("pu", "de") is not None  # WWW has many phones, too
    install(fake_espeak, "sys.stdout.buffer.write('p_u'.encode())")
    assert espeak_phones("Πο", "el") == ("p", "u")
    assert espeak_phones("Πι", "en") is None  # no English word is written so
    message = r"espeak-ng cannot read 'Πι' in the language 'en'; write it as it sounds"
    with pytest.raises(DataError, match=message):
        look_up_all(["Πι"], Dictionary({}, name="espeak-ng"), KNOWN)


def test_signs_without_a_letter_are_no_phones(fake_espeak: Path) -> None:
    install(fake_espeak, "sys.stdout.buffer.write('ʲ_ˈe_q_1_ʌ+_t[_ʔ_5'.encode())")
    assert espeak_phones("எந்று", "ta") == ("e", "q", "ʌ", "t", "ʔ")


def test_phonemizer_is_asked_where_there_is_no_espeak(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packages in their place, one of which answers with what it was given."""
    log = tmp_path / "log"
    package, loader = tmp_path / "phonemizer", tmp_path / "espeakng_loader"
    for folder in (package, loader):
        folder.mkdir()
        (folder / "__init__.py").touch()
    (loader / "libespeak-ng.so").touch()
    (package / "main.py").write_text(
        "import os, sys\n"
        "def main():\n"
        "    word = sys.stdin.read()\n"
        f"    open({str(log)!r}, 'w').write(repr((sys.argv[1:], word, dict(os.environ))))\n"
        "    if 'xx' in sys.argv:\n"
        "        sys.exit('fatal error: language \"xx\" is not supported by the espeak backend')\n"
        "    sys.stdout.buffer.write('ʃ_ˈø_n_ \\n'.encode())\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("PHONEMIZER_ESPEAK_LIBRARY", raising=False)
    monkeypatch.setattr("align.speech.text.pronouncing.espeak._program", lambda: None)
    _ask_phonemizer.cache_clear()
    assert espeak_available()
    assert espeak_phones("-l schön\n", "de") == ("ʃ", "ø", "n")
    arguments, word, environment = ast.literal_eval(log.read_text())
    assert word == "-l schön"
    assert arguments[arguments.index("-l") + 1] == "de"
    assert environment["PHONEMIZER_ESPEAK_LIBRARY"] == str(loader / "libespeak-ng.so")
    assert environment["ESPEAK_DATA_PATH"] == str(loader / "espeak-ng-data")
    with pytest.raises(ParameterError, match="language='xx': espeak-ng has no such voice; give"):
        espeak_phones("schön", "xx")
    _ask_phonemizer.cache_clear()


@pytest.mark.skipif(not espeak_available(), reason="needs espeak-ng")
def test_espeak_itself() -> None:
    found = look_up_all(["zzyzx"], ENGLISH, KNOWN | {"k"})
    assert found["zzyzx"].source == "espeak"
    assert found["zzyzx"].ways[0].phones[:2] == ("z", "iy")
    assert espeak_phones("schön", "de") == ("ʃ", "øː", "n")


def test_burmese_and_thai_are_not_read(fake_espeak: Path) -> None:
    install(fake_espeak, "print('m_r_n')")
    assert espeak_phones("မြန်မာ", "my") is espeak_phones("วันนี้", "th") is None
    assert espeak_phones("mrn", "en") == ("m", "r", "n")


def test_arabic_without_its_vowels_has_them_where_they_are_heard(fake_espeak: Path) -> None:
    install(fake_espeak, "print('k_t_b')")
    words = ("كتب", "كَتَبَ")
    found = look_up_all(
        words, Dictionary({}, name="espeak-ng", language="ar"), set("ktb"), language="ar"
    )
    assert [found[word].unwritten for word in words] == [("a", "i", "u"), ()]


def test_a_character_of_many_sounds_is_read(
    fake_espeak: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is asked is kana, of which each is a syllable: six phones of 心 are no name of it."""
    monkeypatch.setattr(
        "align.speech.text.pronouncing.espeak.espeak_spelling", lambda *_: [("ココロ", "ja")]
    )
    install(fake_espeak, "sys.stdout.buffer.write('k_o_k_o_ɽ_o'.encode())")
    assert espeak_phones("心", "ja") == tuple("kokoɽo")


@pytest.mark.skipif(not espeak_available(), reason="espeak-ng is not installed")
@pytest.mark.parametrize(
    ("language", "word", "ways"),
    [
        ("fr", "y", ["i", "iɡʁɛk"]),
        ("fr", "les", ["le", "lez"]),
        ("fr", "amis", ["ami"]),
        ("pt", "à", ["aː", "ɐɡɹavi"]),
        ("nl", "een", ["eːn", "ən"]),
        ("es", "dos", ["dos", "ðos"]),
        ("el", "ο", ["o"]),
        ("ru", "к", ["k", "ɡ", "kɑ"]),
        ("cs", "s", ["s", "z", "es"]),
    ],
)
def test_words_are_said_as_within_a_sentence(language: str, word: str, ways: list[str]) -> None:
    """espeak-ng names a letter that stands alone, and says no linking consonant before nothing."""
    assert ["".join(way) for way in espeak_ways(word, language)] == ways


def test_english_words_in_another_language_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"word{letter}" for letter in "abcdefghij"]
    monkeypatch.setattr(vocabulary, "cmudict", lambda: Dictionary({w: ["W"] for w in words}))
    espeak = Vocabulary(Dictionary({}, name="espeak-ng", language="de"), "de")
    assert "all English ones" in (espeak.seems_foreign(words, {}) or "")
    assert espeak.seems_foreign([*words[1:], "Lappen"], {}) is None
    assert espeak.seems_foreign(words[1:], {}) is None
