"""What word processors and hurried fingers leave in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.speech.text import split_words
from align.speech.text.reading.typography import apart, plain_letters


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hello,world", "hello world"),
        ('he said:"yes","no"', "he said yes no"),
        ("the end.Then more", "the end Then more"),
        ("www.example.com Ph.D. U.S.A.", "www.example.com Ph.D U.S.A"),
        ("EU:n S:t", "EU:n S:t"),  # Finnish and Swedish write so
        ("word(s) Schüler(innen) (he)said", "words Schülerinnen he said"),
        ("he (laughs) said", "he (laughs) said"),
        ("some\u00adthing zero\u200bwidth \ufeffmark", "something zero width mark"),
        ("نمی\u200cخواهم", "نمی\u200cخواهم"),  # a joiner parts letters of one word
        ("ﬁne ﬂag Ｆｕｌｌ", "fine flag Full"),
        ("don`t it´s we’re ‘so’", "don't it's we're so"),
        ("<i>so</i> <font color='red'>it</font> is<br/>", "so it is"),
        ("[laughter] <noise> a<b", "[laughter] <noise> a<b"),
        ("the<br>kiwi<br />is, <laugh>well</laugh>, green", "the kiwi is <laugh> well green"),
        ("the&nbsp;kiwi isn&#39;t caf&eacute; A&amp;B AT&T;", "the kiwi isn't café A&B AT&T"),
        ("the kiwi[1] runs.[2][13] [4] on", "the kiwi runs [4] on"),
        ("ሰላም፡ዓለም", "ሰላም ዓለም"),
        ("<p>so</p><a href='b'>it</a> <!-- a note --> <li>is", "so it is"),
        ("the [green kiwi](https://kiwi.example/a_b) **Ann**'s", "the green kiwi Ann's"),
        ("we&#39ll Ann&amp;#39;s don′t co\u2011op ki\u200dwi", "we'll Ann's don't co-op kiwi"),
    ],
)
def test_words_come_out_as_they_were_meant(text: str, words: str) -> None:
    assert split_words(text, language="xx") == tuple(words.split())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It works.1 Others disagree,2 too.", "It works Others disagree too"),
        ("as findings4 show, others5 say and more6.", "as findings show others say and more"),
        ("It works.1 Others disagree.3", "It works one Others disagree three"),
        ("of file1, file2 and file3", "of file one file two and file three"),
        ("as findings4 show, others5", "as findings four show others five"),
        ("He said version.12", "He said version twelve"),
    ],
)
def test_numbers_of_footnotes_at_words(text: str, words: str) -> None:
    assert split_words(text) == tuple(words.split())


def test_fractions_are_read_in_english() -> None:
    assert " ".join(split_words("½ cup, 1½ or 2 ¼")) == (
        "a half cup one and a half or two and a quarter"
    )
    assert split_words("H₂O") == ("H", "two", "O")


def test_a_tag_has_no_words() -> None:
    assert split_words("<a kiwi> is <i>so") == ("<a kiwi>", "is", "so")


@given(st.text(alphabet="ab.,:;\"'()A \u00ad\u200bﬁ<i/>", max_size=30))
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    once = plain_letters(text)
    assert plain_letters(once) == once or "<" in text  # tags within tags
    assert apart(apart(once)) == apart(once)
