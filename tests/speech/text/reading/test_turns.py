"""Who speaks, and when, is told from what is said."""

import re
import time

import numpy as np
import pytest
from kiwi_text import KIWI, TEXT, WORDS

from align.errors import DataError
from align.results.alignment import Alignment
from align.speech.text import Utterance, align_text, read_transcript
from align.speech.text.reading.normalise import split_words
from align.speech.text.reading.turns import read_turns
from align.speech.text.tiers import SpeakerTiers, TextAlignment
from align.speech.text.together import as_one_speaker

TWO = [("Ann", "Where are you from?"), ("Maria Lopez", "Bonn. On the Rhine.")]


@pytest.mark.parametrize(
    "text",
    [
        "Ann: Where are you from?\nMaria Lopez: Bonn.\nOn the Rhine.\nAnn: Oh!\nMaria Lopez: Yes.",
        "[00:00:04] Ann: Where are you from?\n[00:00:06] Maria Lopez: Bonn.\nOn the Rhine.",
        "00:04 Ann: Where are you from?\n\n1:06:12 - Maria Lopez: Bonn.\nOn the Rhine.",
        "Ann (00:00:04): Where are you from?\nMaria Lopez (00:00:06): Bonn.\nOn the Rhine.",
        "Ann [0:04]: Where are you from?\nMaria Lopez [0:06]:\nBonn.\nOn the Rhine.",
        "Ann  0:04\nWhere are you from?\n\nMaria Lopez  0:06\nBonn.\nOn the Rhine.\n",
        "00:00:04 Ann\nWhere are you from?\n00:00:06 Maria Lopez\nBonn.\nOn the Rhine.",
        "0:04 - 0:06 Ann\nWhere are you from?\n0:06 - 0:09 Maria Lopez\nBonn.\nOn the Rhine.",
        "Ann: Where are you from? #00:00:04-1#\nMaria Lopez: Bonn.\nOn the Rhine. #00:00:09-5#\n"
        "Ann: Oh!",
        "Ann: [00:00:04] Where are you from?\nMaria Lopez: Bonn.\n[00:07] On the Rhine.\nAnn: Oh!",
        "Ann: (00:04)\nWhere are you from?\nMaria Lopez: (00:06)\nBonn.\nOn the Rhine.",
        "[Ann] 10:00:04\nWhere are you from?\n\n[Maria Lopez] 10:00:06\nBonn.\nOn the Rhine.",
        "0:0:4.0 --> 0:0:6.120\nAnn\nWhere are you from?\n\n0:0:6.120 --> 0:0:9.0\nMaria Lopez\n"
        "Bonn.\nOn the Rhine.\n\n0:0:10.0 --> 0:0:10.5\nAnn\nOh!",
        "Ann  0:04\nWhere are you from?\nMaria Lopez  0:06\nBonn.\nOn the Rhine.\n\n"
        "Transcribed by https://otter.ai",
        "[Ann] Where are you from?\n[Maria Lopez] Bonn.\nOn the Rhine.\n[Ann] Oh!\n"
        "[Maria Lopez]: Yes.",
        "(Ann) Where are you from?\n(Maria Lopez) Bonn. On the Rhine.\n(Ann) Oh!\n"
        "(Maria Lopez) Yes.",
        "**Ann:** Where are you from?\n**Maria Lopez**: Bonn.\nOn the Rhine.\n**Ann:** Oh!",
        "Ann\tWhere are you from?\nMaria Lopez\tBonn. On the Rhine.\nAnn\tOh!\nMaria Lopez\tYes.",
        ">> Ann: Where are you from?\n>> Maria Lopez: Bonn.\nOn the Rhine.\n>> Ann: Oh!",
        "Ann: Where are you from? Maria Lopez: Bonn. On the Rhine. Ann: Oh!",
        "[0.00 - 2.15] Ann: Where are you from?\n[2.15 - 9.0] Maria Lopez: Bonn.\nOn the Rhine.",
    ],
)
def test_turns_are_read_as_programs_write_them(text: str) -> None:
    turns = [(turn.speaker, " ".join(turn.text.split())) for turn in read_turns(text)]
    # where no time stands beside the names, one of them comes again, for an "Oh!"
    assert [turn for turn in turns if turn[1] not in ("Oh!", "Yes.")] == TWO


@pytest.mark.parametrize(
    "text",
    [
        "A quick brown fox.",
        "Remember: the kiwi watches.",
        "The kiwi watches.\nNote: it is green.\nAnd small.",
        "He said: no.\nand then: yes.\nshe said: well.",
        "We met at 10:30\nand left at 11:15",
        "At 10:30 we met.\nAt 11:15 we left.",
        "10:30 was late.\n11:15 was later.",
        "See https://kiwi.example\nor mailto:kiwi@kiwi.example",
        "1: one\n2: two",
        ":\n:",
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    (turn,) = read_turns(text)
    assert turn == ("", text, 1, None, None)


def test_names_in_capitals_alone_and_letters_with_full_stops() -> None:
    play = "ANN\nWhere from?\n\nMARIA\nBonn.\n\nANN\nOh!\n\nMARIA\nYes."
    letters = "A. Where from?\nM. Bonn.\nA. Oh!\nM. Yes."
    for text, names in ((play, ("ANN", "MARIA")), (letters, ("A", "M"))):
        assert [turn.speaker for turn in read_turns(text)] == [*names, *names]


@pytest.mark.parametrize(
    "text",
    [
        "[Music] so\n[Applause] no\n[Music] yes\n[Applause] well",
        "OH LORD\nI sing\nOH LORD\nI sing\nOH LORD\nI sing",
        "I - yes\nI - no\nI - yes\nI - well",
        "He said: no. And so: yes.",
    ],
)
def test_what_comes_again_at_the_head_of_lines_may_be_no_name(text: str) -> None:
    assert read_turns(text) == [("", text, 1, None, None)]


def test_one_who_speaks_once_has_a_name_where_others_come_again() -> None:
    three = "A: Where from?\nB: Bonn.\nOn the Rhine.\nWaiter: Coffee?\nA: Yes.\nand so: no."
    assert [turn.speaker for turn in read_turns(three)] == ["A", "B", "Waiter", "A"]
    assert read_turns(three)[-1].text == "Yes.\nand so: no."


@pytest.mark.parametrize(
    "label",
    ["A", "I", "Ä", "S12", "SPK_01", "INT", "Interviewer", "Speaker 2", "SPEAKER_01", "Speaker B",
     "[00:04] Ann", "Ann (00:04)", "00:00:04 Ann"],
)  # fmt: skip
def test_a_name_that_is_alone_and_can_be_no_word(label: str) -> None:
    (turn,) = read_turns(f"\n{label}: Where are you from?\nNow I wonder.")
    assert turn.speaker == re.sub(r"\S*00:04\S*", "", label).strip()
    assert turn.text == "Where are you from?\nNow I wonder."


@pytest.mark.parametrize(
    "text",
    [
        "a: one",
        "NOTE: it is green.",
        "Plan B: we go.",
        "Which is it?\nA: Paris.",
        "Which is it?\nA: Paris.\nB: Rome.",
        "10:30 Ann: yes.",
    ],
)
def test_a_name_that_is_alone_and_may_be_a_word_stays(text: str) -> None:
    assert read_turns(text) == [("", text, 1, None, None)]


def test_titles_before_the_first_turn_have_no_speaker() -> None:
    turns = read_turns("Interview, May 12\n\nAnn: Well?\nBob: No.\nAnn: Oh.\n")
    assert [(turn.speaker, turn.line) for turn in turns] == [
        ("", 1),
        ("Ann", 3),
        ("Bob", 4),
        ("Ann", 5),
    ]


def test_headings_have_no_speaker_and_keep_their_words() -> None:
    turns = read_turns(
        "Participants: Ann, Bob\nDate:  May 12\nWith: Ann Lee (34) and Bob\nGuest: Hello.\n"
        "Ann: Well?\nBob: No.\n\nPart 2: The city\n\nAnn: Oh.\n"
        "[0:20] Chapter IV: Work\nBob: Yes.\nTopic: Tomorrow, Ann?\nLists: Ann, Bob"
    )
    assert [turn[:2] for turn in turns] == [
        ("", "Participants: Ann, Bob"),
        ("", "Date: May 12"),
        ("", "With: Ann Lee (34) and Bob"),
        ("Guest", "Hello."),
        ("Ann", "Well?"),
        ("Bob", "No."),
        ("", "Part 2: The city"),
        ("Ann", "Oh."),
        ("", "Chapter IV: Work"),
        ("Bob", "Yes."),
        ("Topic", "Tomorrow, Ann?"),  # whoever has the word is none of these
        ("Lists", "Ann, Bob"),
    ]


@pytest.mark.parametrize("label", ["Student 2", "Participant 2", "Subject 2", "Party 2", "Teil"])
def test_who_speaks_once_with_a_number_is_no_heading(label: str) -> None:
    turns = read_turns(f"Ann: Well?\n{label}: The city\nAnn: Oh.\nBob: Ann?")
    assert [turn.speaker for turn in turns] == ["Ann", label, "Ann", "Bob"]


def test_parts_of_a_text_that_is_read_are_no_speakers() -> None:
    again = "INT: Well?\nPart 1: Yes.\nINT: Oh.\nPart 1: No."  # two who take part
    assert [turn.speaker for turn in read_turns(again)] == ["INT", "Part 1"] * 2
    text = "Part 1: The kiwi watches.\nPart 2: The kiwi sleeps."
    assert read_turns(text) == [("", text, 1, None, None)]
    assert [turn[:2] for turn in read_turns("INT: Well?\nPart 2: The city\nand so on.")] == [
        ("INT", "Well?"),
        ("", "Part 2: The city\nand so on."),
    ]


def test_times_alone_are_left_out() -> None:
    (turn,) = read_turns("0:04\na quick\n0:07\nbrown fox")
    assert turn.text.split() == ["a", "quick", "brown", "fox"]
    (turn,) = read_turns("0:04a quick\n1:00:07brown fox")  # as copied from YouTube
    assert turn.text.split() == ["a", "quick", "brown", "fox"]
    (turn,) = read_turns("0:0:4.1 --> 0:0:7.25\na quick\n0:0:7.5 --> 0:0:9.0\nbrown fox")
    assert turn.text.split() == ["a", "quick", "brown", "fox"]
    (turn,) = read_turns("0:00:04:12 a (0:00:07) quick\n{0:09} brown 0:00:10 fox")
    assert turn.text.split() == ["a", "quick", "brown", "fox"]
    (turn,) = read_turns("[00:00:01.500] a quick [00:00:02.250 --> 00:00:03.000] brown fox")
    assert turn.text.split() == ["a", "quick", "brown", "fox"]


CHAT = (
    "@UTF8\n@Begin\n@Participants:\tCHI Target_Child, MOT Mother\n"
    "*CHI:\twant cookie . \x15100_1200\x15\n%mor:\tv|want n|cookie .\n%com:\tpoints\n\tat it\n"
    "*MOT:\tyes you\n\tdo . \x151300_2000\x15\n@End\n"
)


def test_times_in_words_below_times_are_not_said() -> None:
    text = "0:00\nhello all\n0:03\n3 seconds\nso\n1:04\n1 minute, 4 seconds\nI said\n"
    text += "1:00:00\n1 hour\nit took\n1:02:00\n3 seconds\nat least"
    (turn,) = read_turns(text)
    assert turn.text.split() == "hello all so I said it took 3 seconds at least".split()


@pytest.mark.parametrize(
    "pages", [("1", "2"), ("Page 7", "page 8"), ("- 3 -", "- 4 -"), ("3/9", "4/9")]
)
def test_numbers_of_pages_are_not_said(pages: tuple[str, str]) -> None:
    rows = [
        "the wind",
        "was there",
        "and so on",
        pages[0],
        "the sun",
        "in a cloak",
        "they",
        pages[1],
    ]
    (turn,) = read_turns("\n".join([*rows, "agreed"]))
    assert (
        turn.text.split() == "the wind was there and so on the sun in a cloak they agreed".split()
    )


@pytest.mark.parametrize(
    "text",
    [
        "one\n1\ntwo\n2\nthree",
        "wait\n7\nseconds",
        "a\n1\nb\nc\nd\n3",
        "1\na\nb\nc\nd\n2\na",
        "then\n1999\na\nb\nc\nd\n2000\na",
        "7:00\nWake up\nand on\n8:00\nWake up\nand on",
    ],
)
def test_numbers_that_may_be_said_stay(text: str) -> None:
    (turn,) = read_turns(text)
    assert turn.text == text


def test_lines_that_begin_alike_below_times_are_no_names() -> None:
    (turn,) = read_turns("0:00\nHallelujah\nla la\n0:04\nHallelujah\nso it is")
    assert turn.text.split() == "Hallelujah la la Hallelujah so it is".split()


def test_short_lines_below_times_are_no_names() -> None:
    (turn,) = read_turns("0:00\nOh\nwell then\n0:04\nGood\nyes it is")
    assert turn.text.split() == "Oh well then Good yes it is".split()


def test_chat_has_main_lines_with_times(tmp_path) -> None:
    path = tmp_path / "a.cha"
    path.write_text(CHAT)
    assert read_transcript(path) == [
        Utterance("want cookie .", 0.1, 1.2, "CHI", 4),
        Utterance("yes you do .", 1.3, 2.0, "MOT", 8),
    ]
    path.write_text(CHAT.replace("\x15100_1200\x15", ""))  # then none is of use
    assert [u.start for u in read_transcript(path)] == [None, None]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("<no dog> [/] no dog [% wet] .", "no dog no dog"),
        ("Even@c I [!] +...", "Even I"),
        ('+" peeling [: peeling] it [*] +//.', "peeling it"),
        ("+< no [x 3] &=laughs www +/.", "no no no [laughs] ***"),
        ("0is (be)cause ba:by ice+cream New_York", "because baby ice-cream New York"),
        ("&-um &~ga &*MOT:yes (1:02.5) go .", "um ga- go"),
        ("°so:° [=! whispers] “yes” ‡ [+ imit] .", "so yes"),
    ],
)
def test_chat_has_codes_that_nobody_says(line: str, said: str) -> None:
    (turn,) = read_turns(f"@Begin\n*CHI:\t{line}\n%mor:\tn|dog\n@End")
    assert " ".join(split_words(turn.text)) == said


def test_lines_with_numbers() -> None:
    numbered = "001 A: well\n002 B: no\n003 A: yes"
    assert [turn[:2] for turn in read_turns(numbered)] == [
        ("A", "well"),
        ("B", "no"),
        ("A", "yes"),
    ]
    assert read_turns("1. one\n\n2. two\n3. three")[0].text == "one\n\ntwo\nthree"
    for stays in ("1 kiwi\n2 kiwis", "3 kiwis\n5 kiwis\n9 kiwis", "1 a\n2 b\n3 c\nd", "1\n2\n3"):
        assert read_turns(stays)[0].text == stays


def test_marks_of_conversation_analysis_are_not_said() -> None:
    found = split_words("so::: well= =yes (0.3) .hh and x = 3 ((coughs))", language="en")
    assert found == (*"so well yes [breath] and x equals three".split(), "((coughs))")


@pytest.mark.parametrize("named", ["<v Ann>{}</v>", "<v.loud Ann>{}", "Ann: {}"])
def test_subtitles_tell_who_speaks(tmp_path, named: str) -> None:
    path = tmp_path / "a.vtt"
    other = named.replace("Ann", "Bob &amp; Co")
    path.write_text(
        f"WEBVTT\n\n00:00.000 --> 00:01.000\n{named.format('Hello.')}\n\n"
        f"00:00.500 --> 00:02.000\n{other.format('Oh.')}\n\n"
        f"00:02.000 --> 00:03.000\n{named.format('Yes.')}\n"
    )
    found = [(u.speaker, u.text, u.start) for u in read_transcript(path)]
    if "<v" in named:
        assert found == [("Ann", "Hello.", 0), ("Ann", "Yes.", 2), ("Bob & Co", "Oh.", 0.5)]
    else:
        assert [f[0] for f in found] == ["Ann", "Ann", "Bob & Co"]


def test_a_hostile_text_takes_no_time() -> None:
    begin = time.process_time()
    for text in (" " * 200_000, "a " * 100_000 + ":", "0:00 " * 50_000, "[0:00" * 50_000):
        read_turns(text)
    assert time.process_time() - begin < 2.0


def test_a_conversation_is_aligned_as_one_text_and_told_by_speaker() -> None:
    words = TEXT.rstrip(".").split()
    cut = (4, 9)
    turns = [words[: cut[0]], words[cut[0] : cut[1]], words[cut[1] :]]
    said = [
        Utterance(" ".join(own), speaker=who)
        for own, who in zip(turns, ("Ann", "Bob", "Ann"), strict=True)
    ]
    whole = align_text("speech-en", KIWI, TEXT, dictionary=WORDS)
    found = align_text("speech-en", KIWI, said, dictionary=WORDS)
    assert list(found.speakers) == ["Ann", "Bob"]
    assert found.match == pytest.approx(whole.match)

    def spoken(tier):
        rows = zip(tier.labels, tier.intervals.tolist(), strict=True)
        return [(label, start, end) for label, (start, end) in rows if label != "sil"]

    for tier in ("words", "phones"):
        own = [row for s in found.speakers.values() for row in spoken(getattr(s, tier))]
        assert sorted(own, key=lambda row: row[1]) == spoken(getattr(whole, tier))
    bob = spoken(found.speakers["Bob"].words)
    assert [label for label, *_ in bob] == [w.strip(",") for w in turns[1]]
    assert [(u.speaker, u.text) for u in found.utterances] == [(u.speaker, u.text) for u in said]
    assert (found.utterances[1].start, found.utterances[1].end) == (bob[0][1], bob[-1][2])
    for speaker in found.speakers.values():
        labels = speaker.words.labels
        assert all(w == "sil" or labels[p] == w for p, w in enumerate(labels))
        of_word = [labels[p] for p in speaker.word_of_phone]
        pairs = zip(of_word, speaker.phones.labels, strict=True)
        assert all((word == "sil") == (phone == "sil") for word, phone in pairs)


def test_words_that_were_not_said_belong_to_who_should_have_said_them() -> None:
    said = [
        Utterance("A quick brown fox", speaker="Ann"),
        Utterance("jumps over purple elephants the lazy dog while a kiwi watches", speaker="Bob"),
    ]
    found = align_text("speech-en", KIWI, said, language="en")
    assert found.mismatches
    assert {m.speaker for m in found.mismatches} == {"Bob"}


def test_one_speaker_throughout_keeps_the_name() -> None:
    found = align_text(
        "speech-en",
        KIWI,
        [Utterance(part, speaker="Ann") for part in TEXT.rstrip(".").split(", ")],
        dictionary=WORDS,
    )
    assert list(found.speakers) == ["Ann"]
    assert "Ann - words" in found.tiers()


def test_speakers_become_one_where_they_do_not_speak_at_once() -> None:
    words = TEXT.rstrip(".").split()
    said = [
        Utterance(" ".join(words[:4]), speaker="Ann"),
        Utterance(" ".join(words[4:9]), speaker="Bob"),
        Utterance(" ".join(words[9:]), speaker="Ann"),
    ]
    whole = align_text("speech-en", KIWI, TEXT, dictionary=WORDS)
    one = as_one_speaker(align_text("speech-en", KIWI, said, dictionary=WORDS))
    for tier in ("words", "phones"):
        found, expected = getattr(one, tier), getattr(whole, tier)
        assert found.labels == expected.labels
        assert found.onsets.tolist() == expected.onsets.tolist()
        assert found.confidence.tolist() == expected.confidence.tolist()
        assert found.onset_intervals.tolist() == expected.onset_intervals.tolist()
    assert one.speakers[""].word_of_phone.tolist() == whole.speakers[""].word_of_phone.tolist()
    assert one.match == whole.match


def test_two_who_speak_at_once_have_no_common_tier() -> None:
    def tiers(start: float) -> SpeakerTiers:
        times = [0.0, start, start + 0.4]
        alignment = Alignment(["sil", "oh", "sil"], times, 2.0, audio="talk.wav")
        return SpeakerTiers(alignment, alignment, np.array([0, 1, 2]))

    with pytest.raises(DataError, match=r"talk\.wav.*at once at 0\.700 s"):
        as_one_speaker(TextAlignment({"Ann": tiers(0.5), "Bob": tiers(0.7)}))


LYRICS = """[ti:The kiwi]
[ar: Ann]
[length:00:30.00]
[offset:+500]

[00:04.20]A kiwi walks
[00:08.90][00:21.35]la la
[00:12.00]<00:12.00>it <00:12.40>sleeps
so deep
[00:25.00]
"""


@pytest.mark.parametrize("name", ["kiwi.lrc", "kiwi.txt"])
def test_headers_of_lyrics_are_not_sung_and_a_refrain_twice(tmp_path, name: str) -> None:
    (tmp_path / name).write_text(LYRICS)
    (found,) = read_transcript(tmp_path / name)
    assert found.text.split() == "A kiwi walks la la it sleeps so deep la la".split()
    assert (found.speaker, found.start) == ("", None)
    (tmp_path / name).write_text(LYRICS.replace("[00:21.35]", ""))
    (found,) = read_transcript(tmp_path / name)
    assert found.text.split() == "A kiwi walks la la it sleeps so deep".split()


def test_what_only_looks_like_lyrics_stays() -> None:
    assert read_turns("[by: hand]\nso it was")[0].text == "[by: hand]\nso it was"
    assert read_turns("[00:01]it\n[00:02]was [al: x] so")[0].text.endswith("was [al: x] so")
