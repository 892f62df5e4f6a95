"""Chinese and Japanese texts: their words, and how espeak-ng is asked for them."""

import os
import time
from types import SimpleNamespace

import pytest

from align.errors import DataError
from align.speech.text import espeak_available, look_up_all, split_words
from align.speech.text.pronouncing.lookup import look_up, make_dictionary
from align.speech.text.reading.unspaced import espeak_spelling, is_pinyin, library_for, word_cutter

PINYIN = "cmn-latn-pinyin"


@pytest.fixture
def pypinyin() -> None:
    if not os.environ.get("CI"):  # there the extra test brings it
        pytest.importorskip("pypinyin", reason="reads Chinese characters")


@pytest.fixture
def mecab(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tagger in the place of MeCab, whose dictionary is large, that knows one sentence."""
    words = [("北風", "キタカゼ"), ("は", "ワ"), ("Align", None), ("。", None)]

    def tag(text: str) -> list[SimpleNamespace]:
        return [
            SimpleNamespace(surface=surface, feature=SimpleNamespace(pron=said))
            for surface, said in words
            if surface in text
        ]

    monkeypatch.setattr("align.speech.text.reading.unspaced._tagger", lambda: tag)


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("align.speech.text.reading.unspaced._pypinyin", lambda: None)
    monkeypatch.setattr("align.speech.text.reading.unspaced._tagger", lambda: None)


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("zh", "北风,跟太阳。", "北 风 跟 太 阳"),
        ("zh-TW", "北風 跟 太陽", "北風 跟 太陽"),  # spaces part words
        (
            "zh",
            "北风跟太阳正在那儿争论 谁的本事大",
            "北 风 跟 太 阳 正 在 那 儿 争 论 谁 的 本 事 大",
        ),
        ("cmn", "用Python写", "用 Python 写"),
        ("zh", "ni3 hao3 bei3feng1 nǐ lǜ", "ni3 hao3 bei3feng1 nǐ lǜ"),
        ("yue", "北風同太陽", "北 風 同 太 陽"),
        ("de", "北风跟太阳", "北风跟太阳"),
    ],
)
def test_chinese_is_cut_at_characters(language: str, text: str, words: str) -> None:
    assert split_words(text, language=language) == tuple(words.split())


def test_japanese_is_cut_into_words_and_read_in_kana(mecab: None) -> None:
    assert split_words("北風はAlign。", language="ja") == ("北風", "は", "Align")
    assert espeak_spelling("北風", "ja") == [("キタカゼ", "ja")]
    assert espeak_spelling("北風は", "ja") == [("キタカゼワ", "ja")]  # by the user's spaces
    assert espeak_spelling("カゼ", "ja") == [("カゼ", "ja")]


def test_japanese_words_are_read_by_what_they_stand_beside(mecab: None) -> None:
    """A particle is not said as its letter, and Latin words are not spelled out."""
    assert espeak_spelling("は", "ja") == [("ワ", "ja"), ("ハ", "ja")]
    assert ("ボン", "ja") in espeak_spelling("本", "ja")
    assert espeak_spelling("Windows", "ja") == [("Windows", "en")]


def test_japanese_words_do_not_end_within_a_long_consonant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = [SimpleNamespace(surface=part) for part in ("言っ", "た", "っ", "て")]
    monkeypatch.setattr("align.speech.text.reading.unspaced._tagger", lambda: lambda text: said)
    assert split_words("言ったって", language="ja") == ("言った", "って")


def test_a_character_alone_has_all_its_readings(pypinyin: None) -> None:
    readings = [reading for reading, voice in espeak_spelling("行", "zh") if voice == PINYIN]
    assert {"xing", "hang"} <= set(readings)
    assert espeak_spelling("银行", "zh") == [("yinhang", PINYIN)]
    assert espeak_spelling("绿", "zh")[0] == ("lv", PINYIN)


def test_pinyin_is_asked_in_its_own_voice_and_other_latin_words_in_english() -> None:
    assert espeak_spelling("Lǚ", "zh") == [("Lv", PINYIN)]
    assert espeak_spelling("bei3feng1", "cmn") == [("bei3feng1", PINYIN)]
    assert espeak_spelling("Python", "zh") == [("Python", "en")]
    assert espeak_spelling("bei3", "de") == [("bei3", "de")]
    assert is_pinyin("nü3er2", "zh")
    assert not is_pinyin("bei", "zh")  # no digits, so nothing to keep from being read out
    assert not is_pinyin("nü3er2", "de")


def test_long_words_are_no_riddle() -> None:
    begin = time.process_time()
    assert not is_pinyin("a" * 50_000 + "1!", "zh")
    assert not is_pinyin("ang" * 20_000 + "1!", "zh")
    assert time.process_time() - begin < 1


def test_without_the_library_the_message_names_it(no_library: None) -> None:
    if not espeak_available():
        pytest.skip("espeak-ng is not installed")
    for language, extra in (("zh", "chinese"), ("ja", "japanese")):
        assert library_for(["北"], language) == extra
        dictionary = make_dictionary(None, language)
        with pytest.raises(DataError, match=rf"margin-align\[{extra}\].*a dictionary that has it"):
            look_up_all(["北"], dictionary, {"b"}, language=language)
    assert word_cutter("北風は太陽", "ja") is None


def test_espeak_reads_chinese_by_its_pinyin(pypinyin: None) -> None:
    if not espeak_available():
        pytest.skip("espeak-ng is not installed")
    found = look_up("北", make_dictionary(None, "zh"), language="zh")
    assert found is not None
    assert [phone.rstrip("0123456789ɜ") for phone in found.ways[0].phones][:1] == ["p"]
    assert len(found.ways[0].phones) <= 3
