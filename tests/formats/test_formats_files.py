"""TIMIT, HTK, CSV, Audacity, CTM and JSON: what is read, what is written, what is refused."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align import formats
from align.errors import DataError, ParameterError
from align.formats import read_labels, write_labels
from align.formats.files import read_tiers, write_tiers
from align.results.alignment import Alignment

# Format, suffix, and the largest rounding error of a time in seconds.
FORMATS = [
    ("textgrid", ".TextGrid", 0.0),
    ("phn", ".phn", 0.5 / 16000),
    ("lab", ".lab", 0.5e-7),
    ("csv", ".csv", 0.5e-6),
    ("tsv", ".tsv", 0.5e-6),
    ("audacity", ".txt", 0.5e-6),
    ("ctm", ".ctm", 0.5e-6),
    ("json", ".json", 0.0),
]
WORDS = ("phn", "lab", "ctm")  # formats whose labels are words


def save(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


@pytest.fixture
def alignment():
    return Alignment(
        ["sil", "k", "iː", "ŋ"],
        [0.0, 0.140625, 0.2, 0.5],
        duration=1.0,
        end=0.75,
        confidence=[1.0, 0.5, 0.25, 0.125],
        score=3.5,
        audio="some/kiwi fruit.wav",
        rate=16000,
    )


def test_phn(tmp_path):
    text = "0 2250 h#\r\n2250 2924 iy\n\n2924  4177\tw\n"
    labels = read_labels(save(tmp_path / "A.PHN", text))
    assert labels.labels == ("h#", "iy", "w")
    assert labels.onsets.tolist() == [0, 2250 / 16000, 2924 / 16000]
    assert labels.lines == (1, 2, 4)
    assert read_labels(tmp_path / "A.PHN", rate=8000).end == 4177 / 8000


def test_wrd(tmp_path):
    labels = read_labels(save(tmp_path / "a.wrd", "2250 6040 he\n6040 9000 can't\n"))
    assert labels.labels == ("he", "can't")


def test_pauses_are_no_words_of_a_wrd_file(tmp_path):
    words = "0 800 sil\n800 2250 he\n2250 3000 sil\n3000 9000 can't\n"
    path = save(tmp_path / "a.wrd", words)
    tiers = read_tiers(path)
    assert tiers.tiers[0].labels == ("sil", "he", "sil", "can't")
    write_tiers(tmp_path / "b.wrd", tiers)
    assert (tmp_path / "b.wrd").read_text() == "800 2250 he\n3000 9000 can't\n"


def test_timit_sample(timit_sample):
    paths = sorted(timit_sample.glob("*/*.phn"))
    assert len(paths) == 96
    found = [read_labels(path) for path in paths]
    assert sum(len(labels) - 1 for labels in found) == 3602


def test_lab(tmp_path):
    text = '0 1406250 sil -3.5 x\n1406250 1827500 "iy"\n'
    labels = read_labels(save(tmp_path / "a.lab", text))
    assert labels.labels == ("sil", "iy")
    assert labels.intervals.tolist() == [[0, 0.140625], [0.140625, 0.18275]]


@pytest.mark.parametrize(
    "text",
    [
        "start,end,label\n0,0.5,a\n0.5,1,b\n",
        "Label;extra;XMIN;xmax\na;1;0;0.5\nb;2;0.5;1\n",
        "start;end;label;note\r\n0;0,5;a;1,5 or 2,5\r\n0,5;1;b;\r\n",  # as Excel writes in Germany
        "0;0,5;a\n0,5;1,0;b\n",
        "onset,label\n0,a\n0.5,b\n",
        "onset\tphone\n0\ta\n0.5\tb\n",
        "0,0.5,a\n0.5,1.0,b\n",
        "0,a\n0.5,b\n",
        '\ufeff"start","end","label"\r\n\r\n"0","5e-1","a"\r\n0.5,1,b,ignored\r\n',
    ],
)
def test_csv(tmp_path, text):
    labels = read_labels(save(tmp_path / "a.csv", text), duration=1.0)
    assert labels.labels == ("a", "b")
    assert labels.intervals.tolist() == [[0, 0.5], [0.5, 1]]


def test_a_label_with_a_comma_stays_beside_decimal_commas(tmp_path):
    labels = read_labels(save(tmp_path / "a.csv", "start;end;label\n0;0,5;1,2\n0,5;1;b\n"))
    assert labels.labels == ("1,2", "b")


def test_csv_label_with_separator_and_line_end(tmp_path):
    labels = read_labels(save(tmp_path / "a.csv", 'start,end,label\n0,1,"a,\nb"\n1,2,c\n'))
    assert labels.labels == ("a,\nb", "c")
    assert labels.lines == (3, 4)


def test_audacity(tmp_path):
    text = "0.0\t0.5\ta b\n\\\t100\t2000\n0.5\t1.0\t\n1.0\t2.0\n"
    labels = read_labels(save(tmp_path / "a.txt", text))
    assert labels.labels == ("a b", "sil", "sil")


def test_audacity_points_are_onsets(tmp_path):
    path = save(tmp_path / "a.txt", "0\t0\ta\n0.5\t0.5\tb\n")
    assert read_labels(path, duration=0.75).intervals.tolist() == [[0, 0.5], [0.5, 0.75]]
    with pytest.raises(DataError, match="gives no ends, so the length of the recording must be"):
        read_labels(path)


def test_ctm(tmp_path):
    text = ";; comment\nkiwi 1 0.0 0.5 a 0.9\nkiwi 1 0.5 0.25 b\n"
    labels = read_labels(save(tmp_path / "a.ctm", text))
    assert labels.intervals.tolist() == [[0, 0.5], [0.5, 0.75]]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.phn", "", "has no labels"),
        ("a.phn", "0 2250\n", "line 1: '0 2250' is not `start end label`"),
        ("a.phn", "0 10 a\n10 2x b\n", "line 2: the end is '2x', must be a whole number of samp"),
        ("a.phn", "0 0.5 a\n", "the end is '0.5', must be a whole number of samples"),
        ("a.phn", "0 " + "9" * 400 + " a\n", "must be a whole number of samples"),
        ("a.phn", "0 nan a\n", "the end is 'nan'"),
        ("a.phn", "-5 10 a\n", "before the recording"),
        ("a.lab", "she had\n", "line 1: 'she had' is not `start end label`; .* words alone"),
        ("a.lab", "0.0 0.5 a\n", "must be a whole number of 100 ns; times in seconds belong in"),
        ("a.lab", "#!MLF!#\n", "is a master label file; split it"),
        ("a.csv", "", "is empty; give at least one label"),
        ("a.csv", "start,end,label\n", "has no labels"),
        ("a.csv", "time,name\n0,a\n", r"no column 'start' \(columns: time, name\)"),
        ("a.csv", "start,end\n0,1\n", r"no column 'label' \(columns: start, end\)"),
        ("a.csv", "start,end,label\n0,1\n", "line 2: has 2 columns here but needs 3"),
        ("a.csv", "start,end,label\n0,x,a\n", "line 2: the end is 'x', which is not a number"),
        ("a.csv", "start,end,label\n0,,a\n", "line 2: the end is '', which is not a number"),
        ("a.csv", "start,end,label\nnan,1,a\n", "the start is 'nan'; every time must be a finite"),
        ("a.csv", "start,end,label\n0,1_0,a\n", "the end is '1_0', which is not a number"),
        ("a.csv", "start,end,label\n0,1e999,a\n", "must be finite"),
        ("a.csv", 'start,end,label\n0,1,"a\n', "line 2: is not a table: unexpected end of data"),
        ("a.csv", "onset,label\n0,a\n", "gives no ends"),
        ("a.txt", "0 46797 She had your dark suit\n", "is not an Audacity label; tabs must"),
        ("a.txt", "0\tx\ta\n", "the end is 'x'"),
        ("a.ctm", "k 1 0 1\n", "is not `recording channel start length label`"),
        ("a.ctm", "k 1 0 1 a\nm 1 1 1 b\n", "line 2: holds recording 'k 1' and 'm 1'"),
        ("a.json", "{", "line 1: is not JSON"),
        ("a.json", "[]", 'is not an alignment: it has no list "events"'),
        ("a.json", '{"events": 3}', 'it has no list "events"'),
        ("a.json", '{"events": [3]}', 'event 1 has no text "label"'),
        ("a.json", '{"events": [{"label": "a"}]}', '"start" of event 1 is None, must be a num'),
        (
            "a.json",
            '{"events": [{"label": "a", "start": 0, "end": NaN}]}',
            '"end" of event 1 is nan, must be a number',
        ),
        ("a.json", "[" * 100_000, "is not usable JSON"),
        ("a.json", '{"events": []}', "has no labels"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, name, text, message):
    with pytest.raises(DataError, match=message) as caught:
        read_labels(save(tmp_path / name, text))
    assert caught.value.path == str(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,a\n0.5,b\n0.2,c\n", "line 3: 'c' starts at 0.2 s, before 'b' at 0.5 s"),
        ("0,a\n0.5,b\n0.5,c\n", "line 3: 'c' starts at 0.5 s but overlaps 'b'"),
        ("0,a\n1.5,b\n", "line 2: 'b' .* lies beyond the end of the recording"),
    ],
)
def test_onsets_alone_are_checked_too(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read_labels(save(tmp_path / "a.csv", text), duration=1.0)


def test_encoding(tmp_path):
    path = tmp_path / "a.csv"
    save(path, "start,end,label\n0,1,a\n1,2,é\n", "latin-1")
    with pytest.raises(DataError, match="line 3: is not UTF-8 or UTF-16 text; save it again as"):
        read_labels(path)
    assert read_labels(path, encoding="latin-1").labels == ("a", "é")
    with pytest.raises(DataError, match="is not ascii text"):
        read_labels(path, encoding="ascii")
    with pytest.raises(ParameterError, match="encoding='latin-99' is not known"):
        read_labels(path, encoding="latin-99")
    save(path, "start,end,label\n0,1,é\n", "utf-16")
    assert read_labels(path).labels == ("é",)


def test_unusable_paths(tmp_path):
    with pytest.raises(DataError, match=r"no.phn: does not exist; check the name"):
        read_labels(tmp_path / "no.phn")
    (tmp_path / "folder.phn").mkdir()
    with pytest.raises(DataError, match="is a folder, not a file"):
        read_labels(tmp_path / "folder.phn")
    (tmp_path / "b.phn").write_bytes(b"0 1\x00\x00 a b c d e f g\n")
    with pytest.raises(DataError, match="line 1: is not a text file"):
        read_labels(tmp_path / "b.phn")
    (tmp_path / "b.phn").write_bytes(b"%PDF-1.4\n%\xe2\xe3\n")
    with pytest.raises(DataError, match="is a PDF document, not text; give"):
        read_labels(tmp_path / "b.phn", encoding="cp1252")
    with pytest.raises(ParameterError, match=r"the suffix '.xyz' is no label format; use one of"):
        read_labels(tmp_path / "a.xyz")
    with pytest.raises(ParameterError, match="format='exmaralda', must be one of textgrid"):
        read_labels(tmp_path / "a.phn", format="exmaralda")


@pytest.mark.parametrize("rate", [0, -1, float("nan"), float("inf")])
def test_rate_must_be_positive(tmp_path, rate):
    with pytest.raises(ParameterError, match=r"rate=.*, must be a positive"):
        read_labels(save(tmp_path / "a.phn", "0 1 a\n"), rate=rate)


def test_golden_texts(alignment):
    from align.formats.tiers.audacity import format_audacity
    from align.formats.tiers.ctm import format_ctm
    from align.formats.tiers.htk import format_lab
    from align.formats.tiers.json_file import format_json
    from align.formats.tiers.label_table import format_csv
    from align.formats.tiers.timit import format_phn

    assert format_phn(alignment) == "0 2250 sil\n2250 3200 k\n3200 8000 iː\n8000 12000 ŋ\n"
    assert format_phn(alignment, rate=8000).startswith("0 1125 sil\n")
    assert format_lab(alignment).splitlines()[1] == "1406250 2000000 k"
    assert format_csv(alignment).splitlines()[:3] == [
        "start,end,label,confidence",
        "0.000000,0.140625,sil,1.0000",
        "0.140625,0.200000,k,0.5000",
    ]
    assert format_audacity(alignment).splitlines()[1] == "0.140625\t0.200000\tk"
    assert format_ctm(alignment).splitlines()[1] == "kiwi_fruit 1 0.140625 0.059375 k 0.5000"
    assert format_ctm(alignment, recording="x y").startswith("x_y 1 ")
    content = json.loads(format_json(alignment))
    assert content["duration"] == 1.0
    assert content["rate"] == 16000
    assert content["score"] == 3.5
    assert content["audio"] == "some/kiwi fruit.wav"
    assert content["events"][1] == {
        "label": "k",
        "start": 0.140625,
        "end": 0.2,
        "confidence": 0.5,
    }


def test_without_confidence(alignment):
    from align.formats.tiers.ctm import format_ctm
    from align.formats.tiers.json_file import format_json
    from align.formats.tiers.label_table import format_csv

    bare = Alignment(["a"], [0.0], duration=1.0)
    assert format_csv(bare) == "start,end,label\n0.000000,1.000000,a\n"
    assert format_ctm(bare) == "audio 1 0.000000 1.000000 a\n"
    assert json.loads(format_json(bare))["events"] == [{"label": "a", "start": 0.0, "end": 1.0}]


LABEL = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp")),
    min_size=1,
    max_size=5,
)
SPACED = st.lists(LABEL, min_size=1, max_size=3).map(" ".join)


@st.composite
def timed(draw, words):
    k = draw(st.integers(1, 6))
    labels = draw(st.lists(LABEL if words else SPACED, min_size=k, max_size=k))
    times = np.concatenate(
        ([0.0], np.cumsum(draw(st.lists(st.floats(0.001, 1.0), min_size=k, max_size=k))))
    )
    lead = draw(st.sampled_from([0.0, 0.2]))
    return Alignment(labels, times[:-1] + lead, duration=times[-1] + lead)


@pytest.mark.parametrize(("kind", "suffix", "error"), FORMATS)
@given(data=st.data())
def test_round_trip(tmp_path_factory, kind, suffix, error, data):
    alignment = data.draw(timed(kind in WORDS))
    path = tmp_path_factory.mktemp("labels") / f"x{suffix}"
    write_labels(path, alignment)
    back = read_labels(path)
    lead = int(kind == "textgrid" and alignment.onsets[0] > 0)
    expected = alignment.labels
    if kind == "lab":  # HTK quotes labels; a label that is itself quoted loses its quotes
        expected = tuple(x[1:-1] if len(x) > 2 and x[0] == x[-1] == '"' else x for x in expected)
    assert back.labels[lead:] == expected
    # CTM stores start and length, which round separately.
    allowed = 2 * error + 1e-12
    np.testing.assert_allclose(back.intervals[lead:], alignment.intervals, rtol=0, atol=allowed)


@pytest.mark.parametrize(("kind", "suffix", "error"), FORMATS)
def test_format_by_name_and_by_suffix(tmp_path, alignment, kind, suffix, error):
    write_labels(tmp_path / f"a{suffix}", alignment)
    write_labels(tmp_path / "a.other", alignment, kind)
    assert (tmp_path / "a.other").read_bytes() == (tmp_path / f"a{suffix}").read_bytes()
    assert read_labels(tmp_path / "a.other", format=kind).labels[:4] == alignment.labels


@pytest.mark.parametrize("name", ["textgrid", "phn", "lab", "csv", "audacity", "ctm", "json"])
def test_each_writer_is_public(tmp_path, alignment, name):
    write = getattr(formats, f"write_{name}")
    read = getattr(formats, f"read_{name}")
    write(tmp_path / "a", alignment)
    assert read(tmp_path / "a").labels[:4] == alignment.labels
    with pytest.raises(DataError, match="exists; choose another name or allow overwriting"):
        write(tmp_path / "a", alignment)
    write(tmp_path / "a", alignment, overwrite=True)


@pytest.mark.parametrize("suffix", [".phn", ".lab", ".ctm"])
@pytest.mark.parametrize("label", ["a b", "", "a\tb"])
def test_labels_a_format_cannot_hold(tmp_path, suffix, label):
    with pytest.raises(DataError, match=r"cannot be written to a .*separated by spaces"):
        write_labels(tmp_path / f"a{suffix}", Alignment([label], [0.0], duration=1.0))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("label", ["a\tb", "a\nb"])
def test_labels_audacity_cannot_hold(tmp_path, label):
    with pytest.raises(DataError, match="which knows no tabs or line ends"):
        write_labels(tmp_path / "a.txt", Alignment([label], [0.0], duration=1.0))


def test_labels_too_short_for_the_format(tmp_path):
    short = Alignment(["a", "b"], [0.0, 1e-5], duration=1.0)
    with pytest.raises(DataError, match=r"'a' is too short for a .phn file, .* 6.25e-05 s"):
        write_labels(tmp_path / "a.phn", short)


def test_every_exported_name_exists():
    assert len(formats.__all__) == len(set(formats.__all__))
    for name in formats.__all__:
        assert hasattr(formats, name)


def test_hundredths_of_ctm_are_rounded_one_by_one(tmp_path):
    rows = "kiwi 1 0.17 0.10 a\nkiwi 1 0.26 0.24 quick\nkiwi 1 0.51 0.2 fox\nkiwi 1 0.8 0.1 ran\n"
    (tmp_path / "a.ctm").write_text(rows)
    found = read_labels(tmp_path / "a.ctm")
    assert found.labels == ("a", "quick", "fox", "sil", "ran")
    np.testing.assert_allclose(found.intervals[:, 0], [0.17, 0.26, 0.51, 0.71, 0.8])
    (tmp_path / "b.ctm").write_text("kiwi 1 0.170 0.100 a\nkiwi 1 0.260 0.240 quick\n")
    with pytest.raises(DataError, match=r"'quick' starts at 0.26 s but overlaps 'a'"):
        read_labels(tmp_path / "b.ctm")
