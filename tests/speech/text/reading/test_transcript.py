"""Transcripts in the forms people have them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from align.errors import DataError
from align.formats.files import write_tiers
from align.formats.tiers.textgrid import format_textgrid
from align.formats.tiers.tier import Tier, Tiers
from align.speech.text import Utterance, read_transcript


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def grid(path: Path, **tiers: list[tuple[float, float, str]]) -> Path:
    text = format_textgrid(
        {
            n.replace("_", " "): ([t for *_, t in r], [r_[:2] for r_ in r])
            for n, r in tiers.items()
        },
        10.0,
    )
    return write(path, text)


@pytest.mark.parametrize("name", ["a.txt", "a.lab", "a.TXT", "a.transcript"])
def test_text_on_one_line_or_several(tmp_path: Path, name: str) -> None:
    (found,) = read_transcript(write(tmp_path / name, "The kiwi\nis green.\n"))
    assert found.text.split() == ["The", "kiwi", "is", "green."]
    assert (found.start, found.end, found.speaker) == (None, None, "")


def test_timit(tmp_path: Path) -> None:
    (found,) = read_transcript(write(tmp_path / "a.txt", "0 46797 She had 10 dogs.\n"))
    assert found.text == "She had 10 dogs."
    (found,) = read_transcript(write(tmp_path / "b.txt", "10 20 thirty\nand more"))
    assert found.text.startswith("10 20")
    timit = "0 7000 she\n6800 9000 had\n9000 9500 sil\n"  # its words may overlap
    words = write(tmp_path / "a.wrd", timit)
    assert read_transcript(words)[0].text == "she had"
    with pytest.raises(DataError, match="start end word"):
        read_transcript(write(tmp_path / "b.wrd", "0 7000\n"))


def test_audacity_labels_are_utterances(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "0.5\t1.5\tthe kiwi\n2.0\t3.0\tis green\n")
    first, second = read_transcript(path)
    assert (first.text, first.start, first.end) == ("the kiwi", 0.5, 1.5)
    assert (second.text, second.start, second.end) == ("is green", 2.0, 3.0)


def test_tiers_are_speakers(tmp_path: Path) -> None:
    path = grid(
        tmp_path / "a.TextGrid",
        Ann=[(0.0, 1.0, "hello"), (1.0, 2.0, " "), (2.0, 3.0, "you")],
        Bob=[(1.0, 2.5, "hi")],
        Ann___words=[(0.0, 1.0, "old")],
        empty=[(0.0, 1.0, "")],
    )
    path.write_text(path.read_text().replace("Ann   words", "Ann - words"))
    found = read_transcript(path)
    assert [(u.speaker, u.text, u.start, u.end) for u in found] == [
        ("Ann", "hello", 0.0, 1.0),
        ("Ann", "you", 2.0, 3.0),
        ("Bob", "hi", 1.0, 2.5),
    ]
    (only,) = read_transcript(path, tiers=["Bob"])
    assert (only.speaker, only.text) == ("", "hi")
    with pytest.raises(
        DataError, match=r"no interval tier 'Cid'; its interval tiers: 'Ann', 'Bob'"
    ):
        read_transcript(path, tiers=["Bob", "Cid"])


def test_one_tier_needs_no_name(tmp_path: Path) -> None:
    path = grid(tmp_path / "a.TextGrid", text=[(0.0, 1.0, "hello")], phones=[(0.0, 1.0, "hh")])
    (found,) = read_transcript(path)
    assert (found.speaker, found.text) == ("", "hello")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", " \n", "holds no text"),
        ("a.txt", "... ?!\n", "holds no word, only '... [?]!'; write what is said"),
        ("a.lab", "0 100 sil\n100 200 k\n", "labels with times, not text"),
        ("a.txt", "0\t1\ta b\n0.5\t2\tc d\n", "overlaps"),
    ],
)
def test_what_is_no_transcript(tmp_path: Path, name: str, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_transcript(write(tmp_path / name, content))


def test_grids_without_text(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no text"):
        read_transcript(grid(tmp_path / "a.TextGrid", Ann=[(0.0, 1.0, " ")]))
    with pytest.raises(DataError, match=r"no tier of utterances .*'phones'.* --tier"):
        read_transcript(grid(tmp_path / "b.TextGrid", phones=[(0.0, 1.0, "old")]))
    assert read_transcript(tmp_path / "b.TextGrid", tiers=["phones"])[0].text == "old"
    with pytest.raises(DataError, match="holds no text"):
        read_transcript(grid(tmp_path / "c.TextGrid", words=[(0.0, 1.0, "<p:>")]))


WORDS = [(0.0, 0.2, ""), (0.2, 0.5, "the"), (0.5, 0.9, "kiwi"), (0.9, 2.0, ""), (2.0, 2.5, "ran")]
PHONES = [(0.0, 0.5, "dh"), (0.5, 2.5, "k")]


@pytest.mark.parametrize("names", [("words", "phones"), ("ORT-MAU", "MAU"), ("Ann - words", "x")])
def test_words_of_earlier_alignments_are_a_text(tmp_path: Path, names: tuple[str, str]) -> None:
    tiers = {names[0]: WORDS} | ({names[1]: PHONES} if names[1] != "x" else {})
    path = grid(tmp_path / "a.TextGrid", **tiers)
    assert read_transcript(path) == [Utterance("the kiwi ran")]
    named = read_transcript(path, tiers=[names[0]])  # each an utterance, at its times
    assert [(u.text, u.start) for u in named] == [("the", 0.2), ("kiwi", 0.5), ("ran", 2.0)]


def test_words_of_several_speakers_are_told_apart_by_pauses(tmp_path: Path) -> None:
    tiers = {"Ann - words": WORDS, "Bob - words": [(0.0, 0.9, ""), (0.9, 1.9, "what")]}
    found = read_transcript(grid(tmp_path / "a.TextGrid", **tiers))
    assert [(u.speaker, u.text, u.start, u.end) for u in found] == [
        ("Ann", "the kiwi", 0.2, 0.9),
        ("Ann", "ran", 2.0, 2.5),
        ("Bob", "what", 0.9, 1.9),
    ]


def test_who_speaks_in_capitals_is_not_said_in_subtitles(tmp_path: Path) -> None:
    said = ["MAN #2: The kiwi ran.", "- ANN: Where?\n- BOB: There.", "NO: STOP", "over"]
    cues = [f"{n}\n00:00:0{n},000 --> 00:00:0{n},900\n{text}\n" for n, text in enumerate(said)]
    path = tmp_path / "a.srt"
    path.write_text("\n".join(cues), encoding="utf-8")
    texts = [u.text for u in read_transcript(path)]
    assert texts == ["The kiwi ran.", "Where? There.", "NO: STOP", "over"]


def test_a_text_that_was_encoded_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    twice = "Mehr Größe für alle".encode().decode("cp1252")
    for text in (twice, f"1\n00:00:00,000 --> 00:00:01,000\n{twice}\n"):  # subtitles, too
        path.write_text(text, encoding="utf-8")
        with pytest.raises(DataError, match="has 'GrÃ¶ÃŸe' where 'Größe' was meant"):
            read_transcript(path)
    path.write_text("AMANHÔ “IRMû São »CAFÉ«", encoding="utf-8")
    assert read_transcript(path)


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("schön".encode("latin-1"))
    with pytest.raises(DataError, match="is not UTF-8"):
        read_transcript(path)
    path.write_bytes("schön".encode("utf-16"))
    assert read_transcript(path)[0].text == "schön"


def write_elan(path: Path) -> None:
    """Write what a field linguist has: two speakers, translations below, numbers above."""
    elan = pytest.importorskip("pympi").Elan
    eaf = elan.Eaf(author="me")
    eaf.remove_tier("default")
    eaf.add_linguistic_type("below", constraints="Symbolic_Association", timealignable=False)
    spoken = {
        "Ann": [(200, 1400, "The kiwi")],
        "Bob": [(1500, 2500, "is green."), (3000, 3500, "")],
    }
    for name, rows in spoken.items():
        eaf.add_tier(name)
        eaf.add_tier(f"{name} translation", "below", parent=name)
        for start, end, text in rows:
            eaf.add_annotation(name, start, end, text)
            eaf.add_ref_annotation(f"{name} translation", name, start, "Der Kiwi ist")
    eaf.add_tier("number")
    eaf.add_annotation("number", 0, 2500, "001")
    path.write_text(elan.to_string(eaf), encoding="utf-8")


def test_of_an_elan_file_tiers_that_stand_alone_are_speakers(tmp_path: Path) -> None:
    write_elan(tmp_path / "a.eaf")
    found = read_transcript(tmp_path / "a.eaf")
    assert [(u.speaker, u.text, u.start, u.end) for u in found] == [
        ("Ann", "The kiwi", 0.2, 1.4),
        ("Bob", "is green.", 1.5, 2.5),
    ]
    named = read_transcript(tmp_path / "a.eaf", tiers=["Bob translation"])
    assert [u.text for u in named] == ["Der Kiwi ist", "Der Kiwi ist"]
    with pytest.raises(DataError, match=r"no interval tier 'Eve'.*'Ann translation'"):
        read_transcript(tmp_path / "a.eaf", tiers=["Eve"])


@pytest.mark.parametrize("suffix", [".eaf", ".exb", "_annot.json"])
def test_other_files_with_tiers_are_transcripts(tmp_path: Path, suffix: str) -> None:
    if suffix == ".eaf":
        pytest.importorskip("pympi")
    rows, times = ("The kiwi", "is green."), ((0.2, 1.4), (1.4, 2.5))
    said = Tier("Ann", "interval", rows, times, (), 2.5)
    words = Tier("words", "interval", ("an", "older", "result"), ((0.0, 1.0),) * 3, (), 2.5)
    words = replace(words, times=((0.0, 1.0), (1.0, 2.0), (2.0, 2.5)))
    write_tiers(tmp_path / f"a{suffix}", Tiers((said, words), 2.5, rate=16000))
    found = read_transcript(tmp_path / f"a{suffix}")
    assert [(u.text, u.speaker) for u in found] == [(row, "") for row in rows]
    np.testing.assert_allclose([(u.start, u.end) for u in found], times, atol=1e-3)


def test_descriptions_of_exmaralda_are_not_said(tmp_path: Path) -> None:
    said = Tier("Ann", "interval", ("The kiwi",), ((0.2, 1.4),), (), 2.5)
    about = Tier("nods", "interval", ("nods twice",), ((0.2, 1.4),), (), 2.5)
    path = tmp_path / "a.exb"
    write_tiers(path, Tiers((said, about), 2.5))
    text = path.read_text(encoding="utf-8")
    first, second = text.split('display-name="nods"')
    at = first.rindex("<tier")
    path.write_text(
        first[:at] + first[at:].replace('type="a"', 'type="d"') + 'display-name="nods"' + second,
        encoding="utf-8",
    )
    assert [u.text for u in read_transcript(path)] == ["The kiwi"]


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_tables_are_transcripts(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    rows = ["speaker,start,end,text", "Ann,0.25,1.5,The kiwi", "Bob,1,2.5,is green."]
    path.write_text("\n".join(rows).replace(",", "\t" if suffix == ".tsv" else ","))
    assert read_transcript(path) == [
        Utterance("The kiwi", 0.25, 1.5, "Ann", 2),
        Utterance("is green.", 1.0, 2.5, "Bob", 3),
    ]
    path.write_text("\n".join(row.partition(",")[2] for row in rows[:2]))
    assert read_transcript(path) == [Utterance("The kiwi", 0.25, 1.5, line=2)]


def test_the_table_of_whisper_counts_milliseconds(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("start\tend\ttext\n0\t1400\tThe kiwi\n1400\t2500\tis green.\n")
    assert read_transcript(path) == [
        Utterance("The kiwi", 0.0, 1.4, line=2, loose=True),
        Utterance("is green.", 1.4, 2.5, line=3, loose=True),
    ]
    path.write_text("start\tend\ttext\n0\t14\tThe kiwi\n14\t25\tis green.\n")
    assert [u.end for u in read_transcript(path)] == [14.0, 25.0]


def test_subviewer_as_youtubes_editor_saves_it(tmp_path: Path) -> None:
    path = tmp_path / "a.sbv"
    path.write_text("0:00:00.200,0:00:01.400\nThe kiwi,\nor 1,2\n\n0:00:01.400,0:00:02.500\nso\n")
    assert read_transcript(path) == [
        Utterance("The kiwi, or 1,2", 0.2, 1.4, line=1, loose=True),
        Utterance("so", 1.4, 2.5, line=5, loose=True),
    ]


@pytest.mark.parametrize(
    "content",
    [
        "1\n00:00:00,200 --> 00:00:01,400\nThe kiwi\n\n2\n00:00:01,400 --> 00:00:02,500\nso\n",
        "WEBVTT\n\n00:00.200 --> 00:01.400\nThe kiwi\n\n00:01.400 --> 00:02.500\nso\n",
        "0:00:00.200,0:00:01.400\nThe kiwi\n\n0:00:01.400,0:00:02.500\nso\n",
    ],
)
def test_subtitles_saved_as_text_are_subtitles(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(content)
    found = [(u.text, u.start, u.end, u.loose) for u in read_transcript(path)]
    assert found == [("The kiwi", 0.2, 1.4, True), ("so", 1.4, 2.5, True)]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ('<?xml version="1.0"?>\n<tt><body><p>The kiwi</p></body></tt>', "XML"),
        ("<html><p>The kiwi</p></html>", "XML or HTML"),
        ('{"events": [{"segs": [{"utf8": "The"}]}]}', "JSON"),
        ('[\n {"text": "The kiwi"}]', "JSON"),
        ("[Script Info]\nTitle: x\n", "subtitles of another kind"),
        ("{0}{25}The kiwi", "subtitles of another kind"),
        (r"{\rtf1\ansi The kiwi}", "rich text"),
    ],
)
def test_marks_that_nobody_says_are_no_text(tmp_path: Path, content: str, what: str) -> None:
    path = tmp_path / "a.xyz"
    path.write_text(content)
    with pytest.raises(DataError, match=f"is .*{what}.*, whose marks are no words"):
        read_transcript(path)


@pytest.mark.parametrize(
    "text", ['["Yes," she said]', "{laughs} well", "<laughter> well", "[12] a"]
)
def test_texts_that_begin_with_brackets_are_texts(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text)
    assert read_transcript(path)[0].text == text


FESTIVAL = '( arctic_a0001 "Author of the danger trail." )\n( arctic_a0002 "Not at \\"all\\"." )\n'
KALDI = "arctic_a0001 Not at all."
LJSPEECH = "LJ001-0001|in 1455|in fourteen fifty-five\nLJ001-0002|in being|in being\n"


@pytest.mark.parametrize(
    ("file", "content", "wanted"),
    [
        ("txt.done.data", FESTIVAL, "Author of the danger trail."),
        ("a.txt", FESTIVAL.split("\n")[0], "Author of the danger trail."),
        ("metadata.csv", LJSPEECH, "in fourteen fifty-five"),
        ("a.txt", LJSPEECH.split("\n")[0], "in fourteen fifty-five"),
    ],
)
def test_a_prompt_is_read_without_its_name(
    tmp_path: Path, file: str, content: str, wanted: str
) -> None:
    name = content.split("|")[0].split('"')[0].strip("( ")
    path = write(tmp_path / file, content)
    (found,) = read_transcript(path, recording=f"somewhere/{name}.wav")
    assert found.text == wanted


@pytest.mark.parametrize(("file", "content"), [("a.txt", FESTIVAL), ("a.csv", LJSPEECH)])
def test_prompts_of_others_are_refused(tmp_path: Path, file: str, content: str) -> None:
    path = write(tmp_path / file, content)
    with pytest.raises(DataError, match=r"holds the texts of 2 recordings \(.*\), none that of"):
        read_transcript(path, recording="kiwi.wav")
    with pytest.raises(DataError, match="none that of this one; align texts writes each"):
        read_transcript(path)


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        ("p374_353.wav|It is hot.|61\n", "It is hot."),
        ("p374_353.wav|61|It is hot.\n", "It is hot."),
        ("LJ001-0001|It is hot.|\n", "It is hot."),
    ],
)
@pytest.mark.parametrize("file", ["a.txt", "a.csv"])
def test_the_text_of_a_prompt_is_no_speaker_and_not_empty(
    tmp_path: Path, file: str, content: str, wanted: str
) -> None:
    (found,) = read_transcript(write(tmp_path / file, content))
    assert found.text == wanted


@pytest.mark.parametrize("file", ["a.txt", "a.csv"])
def test_a_prompt_of_nothing_is_refused(tmp_path: Path, file: str) -> None:
    with pytest.raises(DataError, match="holds no text"):
        read_transcript(write(tmp_path / file, "LJ001-0001|\n"))


@pytest.mark.parametrize("said", ["COVID-19|is bad", "B2|and then B3", "It is 9-5|they say"])
def test_a_word_before_a_bar_is_said(tmp_path: Path, said: str) -> None:
    (found,) = read_transcript(write(tmp_path / "a.txt", f"{said}\n"), recording="kiwi.wav")
    assert found.text == said


@pytest.mark.parametrize("file", ["a.txt", "a.csv"])
def test_one_prompt_of_another_recording_is_refused(tmp_path: Path, file: str) -> None:
    path = write(tmp_path / file, "LJ001-0001|It is hot.\n")
    with pytest.raises(
        DataError, match=r"another recording, LJ001-0001\|, not of LJ001-0002; leave"
    ):
        read_transcript(path, recording="wavs/LJ001-0002.wav")


@pytest.mark.parametrize(
    ("recording", "wanted"), [("arctic_a0001.wav", "Not at all."), ("kiwi.wav", KALDI)]
)
def test_the_name_of_the_recording_is_not_said(
    tmp_path: Path, recording: str, wanted: str
) -> None:
    (found,) = read_transcript(write(tmp_path / "a.txt", KALDI), recording=recording)
    assert found.text == wanted


def test_speech_in_parentheses_is_no_prompt(tmp_path: Path) -> None:
    said = '(laughing "oh no")'
    (found,) = read_transcript(write(tmp_path / "a.txt", f"{said}\n"))
    assert found.text == said


def test_words_with_bars_between_are_no_prompts(tmp_path: Path) -> None:
    (found,) = read_transcript(write(tmp_path / "a.txt", "yes | no | maybe\n"))
    assert found.text == "yes | no | maybe"


def test_words_of_webmaus_in_emu_lose_their_times(tmp_path: Path) -> None:
    tiers = {"bundle": [""], "ORT": ["the", "kiwi"], "MAU": ["<p:>", "k"]}
    both = [(0.0, 0.5), (0.5, 1.0)]
    grid = {name: (labels, both[: len(labels)]) for name, labels in tiers.items()}
    path = write(tmp_path / "a.TextGrid", format_textgrid(grid, 1.0))
    assert read_transcript(path) == [Utterance("the kiwi")]
    del grid["MAU"]
    path = write(tmp_path / "b.TextGrid", format_textgrid(grid, 1.0))
    assert [(u.text, u.start) for u in read_transcript(path)] == [("the", 0.0), ("kiwi", 0.5)]


def test_a_label_track_may_have_frequencies(tmp_path: Path) -> None:
    rows = "0.1\t0.4\tthe kiwi\n\\\t100.0\t8000.0\n0.5\t0.9\tsees\n\\\t100.0\t8000.0\n"
    found = read_transcript(write(tmp_path / "a.txt", rows))
    assert [(u.text, u.start) for u in found] == [("the kiwi", 0.1), ("sees", 0.5)]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("SPEAKER kiwi 1 0.1 0.5 <NA> <NA> Ann <NA> <NA>\n", "who speaks when"),
        (";; x\nLEXEME kiwi 1 0.1 0.5 the lex Ann 0.9 <NA>\n", "who speaks when"),
        ("SPKR-INFO kiwi 1 <NA> <NA> <NA> unknown Ann <NA>\n", "who speaks when"),
        (
            "kiwi 1 * * <ALT_BEGIN>\nkiwi 1 0.1 0.2 a\nkiwi 1 * * <ALT>\nkiwi 1 0.1 0.2 the\n"
            "kiwi 1 * * <ALT_END>\n",
            "words with times",
        ),
    ],
)
def test_tables_of_nist_are_no_text(tmp_path: Path, content: str, what: str) -> None:
    with pytest.raises(DataError, match=f"is a .*{what}"):
        read_transcript(write(tmp_path / "a.rttm", content))


def test_transcripts_of_the_ldc_are_refused(tmp_path: Path) -> None:
    rows = (
        "# fe_03_00001.sph\n# Transcribed at the LDC\n\n0.17 3.21 A: the kiwi\n\n3.3 4.7 B: sees\n"
    )
    with pytest.raises(DataError, match="is a file of labels with times"):
        read_transcript(write(tmp_path / "a.txt", rows))


SPHINX = "<s> not at all </s> (kiwi_001)\n<s> never </s> (kiwi_002)\n"


@pytest.mark.parametrize(
    ("content", "recording", "wanted"),
    [
        (SPHINX, "kiwi_002.wav", "never"),
        ("not at all (kiwi)", "kiwi.wav", "not at all"),
        ("not at all (kiwi)", "fox.wav", "not at all (kiwi)"),
        ("la la la (x2)\nla la (x3)", "fox.wav", "la la la (x2)\nla la (x3)"),
        ("oh no (chorus1)\noh no (chorus1)", "fox.wav", "oh no (chorus1)\noh no (chorus1)"),
    ],
)
def test_names_behind_the_text(tmp_path: Path, content: str, recording: str, wanted: str) -> None:
    (found,) = read_transcript(write(tmp_path / "a.txt", content), recording=recording)
    assert found.text == wanted
    with pytest.raises(DataError, match=r"holds the texts of 2 recordings \(kiwi_001, kiwi_002"):
        read_transcript(write(tmp_path / "b.txt", SPHINX), recording="fox.wav")


def test_a_speaker_is_said(tmp_path: Path) -> None:
    said = "SPEAKER one has 0.5 or 9 points"
    assert read_transcript(write(tmp_path / "a.txt", said))[0].text == said


@pytest.mark.parametrize("row", ['"annotations": []', '"annotation_id": 1, "transcription": "x"'])
def test_exports_of_label_studio_are_named(tmp_path: Path, row: str) -> None:
    with pytest.raises(DataError, match="is an export of Label Studio, which is not read; write"):
        read_transcript(write(tmp_path / "a.json", f"[{{{row}}}]"))


def test_names_of_utterances_are_not_what_was_said(tmp_path: Path) -> None:
    both = [(0.0, 0.5), (0.5, 1.0)]
    grid = {"ref": (["kiwi.009", "kiwi.010"], both), "tx": (["the kiwi", "sees"], both)}
    path = write(tmp_path / "a.TextGrid", format_textgrid(grid, 1.0))
    assert [u.text for u in read_transcript(path)] == ["the kiwi", "sees"]
    assert [u.text for u in read_transcript(path, tiers=["ref"])] == ["kiwi.009", "kiwi.010"]
    counted = {"ref": (["take 1", "take 2"], both)}
    path = write(tmp_path / "b.TextGrid", format_textgrid(counted, 1.0))
    assert [u.text for u in read_transcript(path)] == ["take 1", "take 2"]
    once = {"ref": (["COVID-19"], both[:1])}
    path = write(tmp_path / "c.TextGrid", format_textgrid(once, 1.0))
    assert [u.text for u in read_transcript(path)] == ["COVID-19"]


def test_below_names_of_utterances_nothing_is_guessed(tmp_path: Path) -> None:
    pytest.importorskip("pympi")
    both = ((0.0, 0.5), (0.5, 1.0))
    ref = Tier("ref@A", "interval", ("kiwi.001", "kiwi.002"), both, (), 1.0)
    tx = Tier("tx@A", "interval", ("the kiwi", "sees"), both, (), 1.0)
    remarks = Tier("remarks", "interval", ("a door",), both[:1], (), 1.0)
    write_tiers(tmp_path / "a.eaf", Tiers((ref, tx, remarks), 1.0))
    content = (tmp_path / "a.eaf").read_text()
    content = content.replace('TIER_ID="tx@A"', 'TIER_ID="tx@A" PARENT_REF="ref@A"')
    (tmp_path / "a.eaf").write_text(content)
    with pytest.raises(DataError, match=r"no tier of utterances .*'tx@A', 'remarks'\); name one"):
        read_transcript(tmp_path / "a.eaf")
    found = read_transcript(tmp_path / "a.eaf", tiers=["tx@A"])
    assert [u.text for u in found] == ["the kiwi", "sees"]


def test_marks_of_conversation_analysis_are_not_said(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text("A: so (.) he wa:s [late\nB: [=yes] <so> ((laughs)) [laughs]\n", "utf-8")
    said = [(one.speaker, one.text) for one in read_transcript(path)]
    assert said == [("A", "so he was late"), ("B", "yes so ((laughs)) [laughs]")]
    path.write_text("so (.) he was [late]", "utf-8")  # which may be a remark
    assert read_transcript(path)[0].text == "so (.) he was [late]"


def test_a_table_of_texts_is_read_for_the_recording_it_names(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("file,text\nkiwi.wav,so it is\nfox.wav,no\n", "utf-8")
    assert [one.text for one in read_transcript(path, recording="a/fox.flac")] == ["no"]
    with pytest.raises(DataError, match=r"texts of 2 recordings .*, none that of dog"):
        read_transcript(path, recording="dog.wav")
    path.write_text("id,start,end,text\n0,0.5,1.5,so it is\n", "utf-8")  # of a recogniser
    assert read_transcript(path, recording="kiwi.wav")[0].start == 0.5
