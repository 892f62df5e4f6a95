"""Files of labels and tables, whose times and names would be read aloud, are no texts."""

from pathlib import Path

import pytest

from align.errors import DataError
from align.speech.text import read_transcript

_LABELS = {
    "HTK": '#!MLF!#\n"*/kiwi.lab"\n0 4000000 sil\n4000000 8000000 k\n.\n',
    "BAS": "LHD: Partitur 1.3\nREP: Muenchen\nORT: 0 quick\nMAU: 0 6399 -1 <p:>\n",
    "STM": ";; made by hand\nkiwi 1 ann 0.30 1.90 <o,f0,female> a quick brown fox\n"
    "kiwi 1 bob 2.00 3.30 <o,f0,male> jumps over\n",
    "CTM": ";; CTM\nkiwi A 0.30 0.10 a 0.98\nkiwi A 0.41 0.32 quick 0.99\n",
    "Kaldi": "ann-1 kiwi 0.3 1.9\nann-2 kiwi 2.0 3.3\n",
    "labels with times": "0 4000000 sil -12.5\n4000000 8000000 k -3\n",
    "with times": "header\n#\n0.314000 122 <SIL>; ; null\n0.600000 122 quick; k w ih k; JJ\n",
    "CoNLL-U": "# text = A fox.\n1\tA\ta\tDET\tDT\t_\t2\tdet\t_\t_\n"
    "2\tfox\tfox\tNOUN\tNN\t_\t0\troot\t_\t_\n",
    "a transcript with times": "Ann  a quick brown fox\n     TC   00:00:00.300 - 00:00:01.900\n",
    "a table": "Tier\tBegin\tEnd\tAnnotation\nAnn\t0.300\t1.900\ta fox\nBob\t2.0\t3.3\tjumps\n",
    "table": "Ann\t\t00:00:00.3\t00:00:01.9\ta fox\nBob\t\t00:00:02.0\t00:00:03.3\tjumps\n",
}


@pytest.mark.parametrize("what", _LABELS)
def test_a_file_of_labels_is_no_text(what: str, tmp_path: Path) -> None:
    path = tmp_path / "kiwi.txt"
    path.write_text(_LABELS[what])
    with pytest.raises(DataError, match=rf"kiwi.txt: is .*{what}.*, whose marks are no words"):
        read_transcript(path)


_TRS = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- made by hand --><!DOCTYPE Trans SYSTEM "trans-14.dtd">
<Trans scribe="José" audio_filename="kiwi"><Episode/></Trans>
"""


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("name", ["kiwi.trs", "kiwi.txt"])
def test_a_file_of_transcriber_is_told_as_such(tmp_path: Path, name: str, encoding: str) -> None:
    path = tmp_path / name
    for text in (_TRS, _TRS.replace("<!DOCTYPE Trans SYSTEM", "<!DOCTYPE Other SYSTEM")):
        path.write_bytes(text.encode(encoding))
        with pytest.raises(DataError, match=r"is a file of Transcriber.* import it into ELAN"):
            read_transcript(path)
    path.write_text("<transitions> are shown", encoding="utf-8")
    assert read_transcript(path)


def test_names_of_utterances_are_not_said(tmp_path: Path) -> None:
    path = tmp_path / "84-121123.trans.txt"
    path.write_text("84-121123-0000 GO DO YOU HEAR\n84-121123-0001 BUT IN LESS THAN FIVE\n")
    with pytest.raises(DataError, match=r"with a name \(84-121123-0000, 84-121123-0001\)"):
        read_transcript(path)


@pytest.mark.parametrize(
    "text",
    [
        "It was 9 15 when I came.\n9 30 was when I left.",
        "10 15 and so on",
        "Ann\t00:01\thello\nBob\t00:04\tgood morning",
        "The covid-19 year\n2020-2021 was long",
        "Ann: it is 5 6 or 7\nBob: no",
        "A sentence.",
        "Coffee is\n9:15 - 10:30",
        "1 2 buckle my shoe\n3 4 knock at the door",
        "50.7 7.1 Bonn on the Rhine\n52.5 13.4 Berlin",
        "2-3 onions\n1-2 cups of flour",
        "5-minute talk\n10-minute break",
        "09:00-10:00 coffee\n10:00-11:00 talks",
        "09:00-10:00 Coffee\n10:00-11:00 Talks",
        "9.30-10.15 coffee\n10.15-11.00 talks",
        "2024-01-05 we met\n2024-01-06 we left",
        "05-01-2024 we met\n06-01-2024 we left",
        "Ann Bell 0171 12345\nBob Wood 0172 23456",
        "Gate number 4 5 today\nGate number 6 7 tomorrow",
        "3 7 9\n2 5 1\n4 8 8",
        "3 7 9 2\n2 5 1 0",
        "Read these\n1\t2\t3\n4\t5\t6",
        "Bonn\t2:1\t0:0\nCologne\t1:3\t1:1",
        "Milk\t2\t1.20\nEggs\t12\t3.40",
    ],
)
def test_numbers_in_a_text_are_words(text: str, tmp_path: Path) -> None:
    path = tmp_path / "kiwi.txt"
    path.write_text(text)
    assert read_transcript(path)


def test_numbers_in_the_middle_are_no_samples_of_timit(tmp_path: Path) -> None:
    path = tmp_path / "kiwi.txt"
    path.write_text("Take 200 150 times.")
    assert read_transcript(path)[0].text == "Take 200 150 times."
    path.write_text("0 46797 She had your dark suit.")
    assert read_transcript(path)[0].text == "She had your dark suit."


def test_a_textgrid_saved_as_text_is_one(tmp_path: Path) -> None:
    path = tmp_path / "kiwi.txt"
    path.write_text(
        'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n1\n<exists>\n1\n'
        '"IntervalTier"\n"Ann"\n0\n1\n1\n0\n1\n"a quick fox"\n'
    )
    (said,) = read_transcript(path)
    assert (said.text, said.start, said.end) == ("a quick fox", 0.0, 1.0)
