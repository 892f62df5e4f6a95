"""Chinese and Japanese: the words of a text without spaces, and how espeak-ng is asked for them.

espeak-ng reads pinyin and kana; any other character it names in English, one by one. So Chinese
characters become pinyin by pypinyin, Japanese ones kana by MeCab (fugashi, with the dictionary
unidic-lite), where these libraries are installed.

A Chinese word is a character, which is a syllable, unless spaces in the text make longer ones. A
character alone may be read in all its ways, of which the sound decides (``行`` is *xing* or
*hang*); in a longer word its neighbours say which. Japanese words are those of MeCab, or again
those between spaces.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

_HAN = "\u3005-\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3041-\u30ff\uff66-\uff9f"
_CHARACTER = re.compile(f"[{_HAN}]")
_SYLLABLES = re.compile(f"[{_HAN}]|[^{_HAN}]+")
_JAPANESE = re.compile(f"[{_HAN}{_KANA}]")
_PINYIN = re.compile(
    r"(?:(?:[bpmfdtnlgkhjqxryw]|[zcs]h?)?+[aeiouv]++(?:ng?|r)?+[1-5]?+)++", re.IGNORECASE
)
"""Without marks; nothing is tried twice, or a long word would take for ever."""

_PINYIN_VOICE = "cmn-latn-pinyin"
_MANDARIN = frozenset({"zh", "cmn"})
_CHINESE = _MANDARIN | {"yue", "hak"}
_LONGEST = 8  # characters between spaces, in a text whose spaces part words
_WAYS = {
    "は": "ワ ハ", "へ": "エ ヘ", "一": "イチ イッ ヒト", "二": "ニ フタ フツ", "三": "サン ミッ",
    "四": "ヨン シ ヨ ヨッ", "五": "ゴ イツ", "六": "ロク ロッ ムイ", "七": "ナナ シチ ナノ",
    "八": "ハチ ハッ ヨー", "九": "キュー ク ココノ", "十": "ジュー ジュッ トー",
    "百": "ヒャク ビャク ピャク",
    "日": "ニチ ヒ カ ビ", "人": "ヒト ニン ジン リ", "月": "ガツ ツキ ゲツ", "年": "ネン トシ",
    "時": "ジ トキ", "分": "フン プン ブン", "本": "ホン ボン ポン", "階": "カイ ガイ",
    "私": "ワタシ ワタクシ",
    "何": "ナニ ナン", "今日": "キョー コンニチ", "明日": "アシタ アス", "昨日": "キノー サクジツ",
    "日本": "ニホン ニッポン", "方": "ホー カタ", "家": "イエ ウチ", "中": "ナカ チュー ジュー",
    "間": "アイダ カン マ", "後": "アト ゴ ノチ", "前": "マエ ゼン", "上": "ウエ ジョー",
    "下": "シタ カ",
    "他": "ホカ タ",
}  # fmt: skip
"""Japanese words that are read by what they stand beside; alone, MeCab knows one way."""

_READINGS = 4  # of a character alone; the frequent ones come first


def word_cutter(text: str, language: str) -> Callable[[str], list[str]] | None:
    """Return what cuts a piece of a text between spaces into words.

    Parameters
    ----------
    text : str
        The whole text: its spaces part words where no piece is longer than eight characters.
    language : str
        Code of its language.

    Returns
    -------
    callable or None
        None where spaces part all words already.

    Examples
    --------
    >>> word_cutter("北风跟太阳", "zh")("北风跟太阳")
    ['北', '风', '跟', '太', '阳']
    >>> word_cutter("北风 跟 太阳", "zh") is None
    True
    """
    code = _code(language)
    pieces = [piece for piece in text.split() if _JAPANESE.search(piece)]
    spaced = len(pieces) > 1 and max(map(len, pieces)) <= _LONGEST
    if spaced or not pieces:
        return None
    if code in _CHINESE:
        return _SYLLABLES.findall
    if code == "ja" and _tagger() is not None:
        return lambda piece: _whole([word.surface for word in _tagger()(piece)])
    return None


def _whole(words: Sequence[str]) -> list[str]:
    """Return words of which none ends in the first half of a long consonant, *it* of *it-ta*."""
    whole: list[str] = []
    for word in words:
        if whole and whole[-1].endswith(("っ", "ッ")):
            whole[-1] += word
        else:
            whole.append(word)
    return whole


def is_pinyin(piece: str, language: str) -> bool:
    """Whether digits in a piece of text are the tones of pinyin, such as ``bei3feng1``."""
    toned = not piece.isalpha() and _PINYIN.fullmatch(_without_marks(piece)) is not None
    return toned and _code(language) in _MANDARIN


def espeak_spelling(word: str, language: str) -> list[tuple[str, str]]:
    """Return what espeak-ng is to be asked for a word, and in which voice: one for each reading.

    Empty where the library that reads its characters is not installed.

    Examples
    --------
    >>> espeak_spelling("nǐ", "zh"), espeak_spelling("kiwi", "de")
    ([('ni', 'cmn-latn-pinyin')], [('kiwi', 'de')])
    """
    code = _code(language)
    if code in _MANDARIN:
        if _CHARACTER.search(word):
            return [(reading, _PINYIN_VOICE) for reading in _readings(word)]
        letters = _without_marks(word)
        return [(letters, _PINYIN_VOICE) if _PINYIN.fullmatch(letters) else (word, "en")]
    if code == "ja" and word in _WAYS and (_tagger() is not None or not _CHARACTER.search(word)):
        return [(kana, "ja") for kana in _WAYS[word].split()]
    if code == "ja" and word.isascii():
        return [(word, "en")]
    if code == "ja" and _CHARACTER.search(word):
        kana = "" if _tagger() is None else "".join(map(_kana, _tagger()(word)))
        return [(kana, "ja")] if kana else []
    return [(word, language)]


def library_for(words: Sequence[str], language: str) -> str | None:
    """Return the extra of Align with the library that would read some of the words, or None."""
    code = _code(language)
    if not any(map(_CHARACTER.search, words)):
        return None
    if code in _MANDARIN and _pypinyin() is None:
        return "chinese"
    return "japanese" if code == "ja" and _tagger() is None else None


def _code(language: str) -> str:
    return language.split("-")[0].lower()


def _without_marks(pinyin: str) -> str:
    letters = unicodedata.normalize("NFD", pinyin).replace("u\u0308", "v")
    return "".join(c for c in letters if not unicodedata.combining(c))


def _readings(word: str) -> list[str]:
    """Return the pinyin of Chinese characters, without tones, which no phone has."""
    library = _pypinyin()
    if library is None:
        return []
    style = library.Style.NORMAL
    if len(word) > 1:
        return ["".join(library.lazy_pinyin(word, style=style, v_to_u=False))]
    readings = library.pinyin(word, style=style, heteronym=True)[0]
    return list(dict.fromkeys(readings))[:_READINGS]


def _kana(word: Any) -> str:
    """Return how a word of MeCab is read, in kana; itself where nobody knows."""
    return str(getattr(word.feature, "pron", None) or word.surface)


@lru_cache(maxsize=1)
def _pypinyin() -> Any:
    try:
        import pypinyin
    except ImportError:
        return None
    return pypinyin


@lru_cache(maxsize=1)
def _tagger() -> Any:
    try:
        from fugashi import Tagger

        return Tagger()
    except (ImportError, RuntimeError):  # the latter without a dictionary
        return None
