"""Numbers, times, dates and sums of money of Chinese texts, in characters.

num2words does not know them. A number in front of 年 with four digits is a year, which is read
digit by digit; 2 of things is 两.
"""

import re

CHINESE = frozenset({"zh", "cmn", "yue", "hak"})

_DIGITS = "零一二三四五六七八九"
_TENS = ("", "十", "百", "千")
_GROUPS = ("", "万", "亿", "兆")
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_ALONE = r"(?<![A-Za-z0-9.:/-])"
_NO_MORE = r"(?![A-Za-z0-9-]|[.:/][0-9])"
_ISO = re.compile(
    rf"{_ALONE}([12][0-9]{{3}})[-/.](0?[1-9]|1[0-2])[-/.](0?[1-9]|[12][0-9]|3[01]){_NO_MORE}"
)
_YEAR = re.compile(r"(?<![0-9])([0-9]{4}|[0-9]{2})(?=\s*年(?!级|前|后|来|多|间|代表))")
_TIME = re.compile(_ALONE + r"([01]?[0-9]|2[0-4])[:：]([0-5][0-9])(?![0-9:])")
_SHARE = re.compile(rf"{_ALONE}(-?{_NUMBER})\s?%")
_MONEY = re.compile(rf"([¥￥$€£])\s?({_NUMBER})")
_OF_MONEY = {"¥": "元", "￥": "元", "$": "美元", "€": "欧元", "£": "英镑"}
_RANGE = re.compile(rf"{_ALONE}({_NUMBER})(?:[-~～]|\s[-~～]\s)({_NUMBER}){_NO_MORE}")
_MINUS = re.compile(r"(?<![A-Za-z0-9-])-(?=[0-9])")
_MOBILE = re.compile(r"1[0-9]{10}")
_TWO = re.compile(
    rf"{_ALONE}2(?=\s?(?:[个只位次本张条件块种家杯瓶句辆支座点天周岁名万千]|小时|分钟))"
)
_COMMAS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_SIGNS = {"℃": "摄氏度", "°C": "摄氏度", "°": "度", "㎡": "平方米"}


def chinese_number(digits: str) -> str:
    """Return a number in characters; one with a 0 in front digit by digit.

    Examples
    --------
    >>> chinese_number("123"), chinese_number("100203"), chinese_number("2.05")
    ('一百二十三', '十万零二百零三', '二点零五')
    >>> chinese_number("007"), chinese_number("-10"), chinese_number("2000")
    ('零零七', '负十', '两千')
    """
    if digits.startswith("-"):
        return "负" + chinese_number(digits[1:])
    whole, _, part = digits.partition(".")
    if part:
        return f"{chinese_number(whole)}点{_one_by_one(part)}"
    by_digits = (len(whole) > 1 and whole[0] == "0") or len(whole) > 4 * len(_GROUPS)
    if by_digits or _MOBILE.fullmatch(whole):
        return _one_by_one(whole)
    said, gap = "", False
    for n in range((len(whole) - 1) // 4, -1, -1):
        group = whole[: len(whole) - 4 * n][-4:]
        if not int(group):
            gap = bool(said)
            continue
        own = _group(group)
        said += ("零" if said and (gap or group[0] == "0") else "") + own + _GROUPS[n]
        gap = False
    return re.sub("二(?=[千万亿兆])(?<!十二)", "两", re.sub("^一十", "十", said)) or "零"


def _group(digits: str) -> str:
    """Return up to four digits in characters, without zeros in front."""
    said = ""
    for k, digit in enumerate(digits):
        unit = _TENS[len(digits) - 1 - k]
        said += "零" if digit == "0" else _DIGITS[int(digit)] + unit
    return re.sub("零+", "零", said).strip("零")


def _one_by_one(digits: str) -> str:
    return "".join(_DIGITS[int(digit)] for digit in digits)


def spell_chinese(text: str) -> str:
    """Return a text with what stands beside numbers in characters; other digits stay.

    Examples
    --------
    >>> spell_chinese("1999年5月, 10:05, 2%, 2个, ¥3")
    '一九九九年5月, 十点零五分, 百分之二, 两个, 3元'
    """

    def time(match: re.Match[str]) -> str:
        hour, minute = str(int(match[1])), match[2]
        said = f"{'两' if hour == '2' else chinese_number(hour)}点"
        if minute == "00":
            return said
        zero = "零" if minute[0] == "0" else ""
        return f"{said}{zero}{chinese_number(str(int(minute)))}分"

    for sign, word in _SIGNS.items():
        text = text.replace(sign, word)
    text = _ISO.sub(lambda m: f"{m[1]}年{int(m[2])}月{int(m[3])}日", _COMMAS.sub("", text))
    text = _YEAR.sub(lambda m: _one_by_one(m[1]), _TIME.sub(time, text))
    text = _SHARE.sub(lambda m: f"百分之{chinese_number(m[1])}", text)
    text = _MONEY.sub(lambda m: m[2] + _OF_MONEY[m[1]], text)
    return _TWO.sub("两", _MINUS.sub("负", _RANGE.sub(r"\1到\2", text)))
