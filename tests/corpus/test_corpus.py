"""Reading and checking corpora."""

import os

import numpy as np
import pytest
import soundfile

from align.corpus.pairs import find_beside, find_pairs
from align.corpus.reading import Corpus, read_corpus
from align.corpus.validation import validate_corpus
from align.errors import DataError, ParameterError
from align.formats import write_labels
from align.formats.tiers.textgrid import format_textgrid
from align.results.alignment import Alignment
from align.types import SILENCES, Example

SECONDS = 0.5


def sound(path, rate=16000, channels=1, seconds=SECONDS, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    shape = (int(rate * seconds), channels)
    noise = np.random.default_rng(0).uniform(-0.1, 0.1, shape)
    soundfile.write(path, noise, rate, **options)
    return path


def phn(path, text="0 3200 h#\n3200 4800 k\n4800 8000 h#\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def timit(tmp_path):
    """A tree as TIMIT's: two dialects, three speakers, upper case."""
    for speaker in ("DR1/FAAA0", "DR1/MBBB0", "DR2/FCCC0"):
        for name in ("SX1", "SA1"):
            sound(tmp_path / speaker / f"{name}.WAV", format="NIST")
            phn(tmp_path / speaker / f"{name}.PHN")
            (tmp_path / speaker / f"{name}.TXT").write_text("0 8000 Kiwi.")
            (tmp_path / speaker / f"{name}.WRD").write_text("3200 4800 kiwi\n")
    return tmp_path


def test_timit_tree(timit):
    corpus = read_corpus(timit)
    assert isinstance(corpus, Corpus)
    assert len(corpus) == 6
    assert corpus.problems == []
    assert corpus.unpaired == []
    assert corpus.groups == ["DR1/FAAA0", "DR1/MBBB0", "DR2/FCCC0"]
    first = corpus[0]
    assert isinstance(first, Example)
    assert first.audio == str(timit / "DR1" / "FAAA0" / "SA1.WAV")
    assert first.name == first.audio
    assert first.events == ("h#", "k", "h#")
    assert first.onsets.tolist() == [0, 0.2, 0.3]
    assert first.end is None
    assert first.group == "DR1/FAAA0"
    assert [e.audio for e in corpus] == sorted(e.audio for e in corpus)
    assert {e.text for e in corpus} == {"Kiwi."}  # without TIMIT's sample numbers


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("a.txt", "The kiwi.\n", "The kiwi."),
        ("a.txt", "0 8000 The kiwi.", "The kiwi."),
        ("a.wrd", "0 10 the\n10 20 kiwi\n20 30 sil\n", "the kiwi"),
        ("a.txt", "", None),
        ("a.txt", "caf\xe9", None),  # no UTF-8: labels are read all the same
        ("b.txt", "Another.", None),
    ],
)
def test_text_beside(tmp_path, name, content, text):
    sound(tmp_path / "a.wav")
    phn(tmp_path / "a.phn")
    (tmp_path / name).write_bytes(content.encode("latin-1"))
    assert read_corpus(tmp_path)[0].text == text


def test_text_of_the_tier_of_words(tmp_path):
    sound(tmp_path / "a.wav")
    times = np.array([[0.0, 0.2], [0.2, 0.5]])
    tiers = {"words": (("", "kiwi"), times), "phones": (("", "k"), times)}
    (tmp_path / "a.TextGrid").write_text(format_textgrid(tiers, SECONDS))
    (tmp_path / "a.txt").write_text("Another.")
    assert read_corpus(tmp_path)[0].text == "kiwi"


WEBMAUS = {"ORT-MAU": ("", "kiwi"), "KAN-MAU": ("", "k i"), "MAU": ("<p:>", "k")}
MFA = {"Ann - words": ("", "kiwi"), "Ann - phones": ("", "k")}


def write_tiers(path, named):
    times = np.array([[0.0, 0.2], [0.2, 0.5]])
    path.write_text(
        format_textgrid({name: (labels, times) for name, labels in named.items()}, SECONDS)
    )


@pytest.mark.parametrize("tiers", [WEBMAUS, MFA])
def test_tiers_as_other_aligners_name_them(tmp_path, tiers):
    sound(tmp_path / "a.wav")
    write_tiers(tmp_path / "a.TextGrid", tiers)
    [found] = read_corpus(tmp_path)
    assert found.events[1] == "k"
    assert found.events[0] in SILENCES
    assert found.text == "kiwi"
    assert not validate_corpus(tmp_path).problems


def test_a_tier_by_its_name(tmp_path):
    sound(tmp_path / "a.wav")
    write_tiers(tmp_path / "a.TextGrid", {"broad": ("", "k"), "narrow": ("", "kh")})
    with pytest.raises(DataError, match=r"name the one to read \(--tier\)"):
        read_corpus(tmp_path)
    assert read_corpus(tmp_path, tier="narrow")[0].events == ("sil", "kh")
    assert validate_corpus(tmp_path).problems
    assert not validate_corpus(tmp_path, tier="broad").problems


def test_subsets(timit):
    corpus = read_corpus(timit)
    part = corpus.subset(corpus.groups[0::2])
    assert part.groups == ["DR1/FAAA0", "DR2/FCCC0"]
    assert len(part) == 4
    assert isinstance(corpus[1:3], Corpus)
    assert list(corpus[1:3]) == [corpus[1], corpus[2]]
    with pytest.raises(ParameterError, match="no group 'DR9'; there are DR1/FAAA0, DR1/MBBB0"):
        corpus.subset(["DR9"])
    with pytest.raises(ParameterError, match="must be a collection of names"):
        corpus.subset("DR1/FAAA0")
    assert repr(corpus) == "<Corpus: recordings=6, groups=3, problems=0>"


def test_groups(timit):
    name = str(timit / "DR1" / "FAAA0" / "SA1.WAV")
    assert read_corpus(timit, groups=None)[0].group is None
    assert read_corpus(timit, groups="file")[0].group == name
    assert read_corpus(timit, groups=lambda path: path[-7:-4])[0].group == "SA1"
    assert read_corpus(timit / "DR1" / "FAAA0")[0].group == "FAAA0"
    with pytest.raises(ParameterError, match="groups='speaker', must be 'folder', 'file', None"):
        read_corpus(timit, groups="speaker")


@pytest.mark.parametrize("suffix", [".phn", ".TextGrid", ".lab", ".csv"])
def test_every_label_format(tmp_path, suffix):
    sound(tmp_path / "a.flac")
    alignment = Alignment(["sil", "k"], [0.0, 0.25], duration=SECONDS, end=0.4)
    write_labels(tmp_path / f"A{suffix.upper()}", alignment)
    (example,) = read_corpus(tmp_path)
    assert example.events[:2] == ("sil", "k")
    assert example.onsets[:2].tolist() == [0.0, 0.25]
    if suffix == ".TextGrid":  # the time after the last event is a silence of its own
        assert example.events[2:] == ("sil",)
        assert example.end is None
    else:
        assert example.end == pytest.approx(0.4)


def test_preference_of_labels_and_audio(tmp_path):
    sound(tmp_path / "a.wav")
    sound(tmp_path / "a.flac")
    phn(tmp_path / "a.phn")
    (tmp_path / "a.lab").write_text("0 5000000 lab\n")
    (tmp_path / "a.csv").write_text("start,end,label\n0,0.5,csv\n")
    (example,) = read_corpus(tmp_path)
    assert example.audio.endswith("a.wav")
    assert example.events[0] == "h#"
    (tmp_path / "a.phn").unlink()
    assert read_corpus(tmp_path)[0].events == ("lab",)
    (tmp_path / "a.lab").unlink()
    assert read_corpus(tmp_path)[0].events == ("csv",)


def test_phn_counts_samples_of_the_recording(tmp_path):
    sound(tmp_path / "a.wav", rate=8000)
    phn(tmp_path / "a.phn", "0 2000 a\n2000 4000 b\n")
    assert read_corpus(tmp_path)[0].onsets.tolist() == [0, 0.25]


def test_end(tmp_path):
    sound(tmp_path / "a.wav")
    for last, end in ((8000, None), (7930, None), (7900, 7900 / 16000), (8700, None)):
        phn(tmp_path / "a.phn", f"0 3200 a\n3200 {last} b\n")
        assert read_corpus(tmp_path)[0].end == end


def test_problems_never_stop_the_rest(tmp_path):
    sound(tmp_path / "good.wav")
    phn(tmp_path / "good.phn")
    sound(tmp_path / "overlap.wav")
    phn(tmp_path / "overlap.phn", "0 4000 a\n3000 8000 b\n")
    sound(tmp_path / "long.wav")
    phn(tmp_path / "long.phn", "0 4000 a\n4000 16000 b\n")
    (tmp_path / "noise.wav").write_bytes(b"this is not audio")
    phn(tmp_path / "noise.phn")
    (tmp_path / "empty.wav").write_bytes(b"")
    phn(tmp_path / "empty.phn")
    sound(tmp_path / "tiers.wav")
    (tmp_path / "tiers.TextGrid").write_text("not a grid")
    sound(tmp_path / "alone.wav")
    phn(tmp_path / "orphan.phn")
    corpus = read_corpus(tmp_path)
    assert [example.name for example in corpus] == [str(tmp_path / "good.wav")]
    assert corpus.unpaired == [str(tmp_path / "alone.wav")]
    problems = {path[len(str(tmp_path)) + 1 :]: why for path, why in corpus.problems}
    assert sorted(problems) == [
        "empty.wav",
        "long.phn",
        "noise.wav",
        "overlap.phn",
        "tiers.TextGrid",
    ]
    assert problems["overlap.phn"].startswith("line 2: 'b' starts at 0.1875 s but overlaps 'a'")
    assert "lies beyond the end of the recording (0.5 s)" in problems["long.phn"]
    assert "is not a TextGrid" in problems["tiers.TextGrid"]
    assert "empty" in problems["empty.wav"]


def test_hidden_files_and_loops_are_left_alone(tmp_path):
    sound(tmp_path / "s" / "a.wav")
    phn(tmp_path / "s" / "a.phn")
    sound(tmp_path / ".cache" / "a.wav")
    phn(tmp_path / ".cache" / "a.phn")
    (tmp_path / "s" / "._a.wav").write_bytes(b"x")
    phn(tmp_path / "s" / "._a.phn")
    (tmp_path / "s" / "loop").symlink_to(tmp_path)
    assert len(read_corpus(tmp_path)) == 1


def test_linked_folders_are_followed(tmp_path):
    sound(tmp_path / "real" / "a.wav")
    phn(tmp_path / "real" / "a.phn")
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "s1").symlink_to(tmp_path / "real")
    assert read_corpus(tmp_path / "corpus").groups == ["s1"]


def test_manifest(tmp_path):
    sound(tmp_path / "audio" / "a.wav")
    sound(tmp_path / "audio" / "b.wav")
    phn(tmp_path / "labels" / "x.phn")
    phn(tmp_path / "labels" / "y.phn")
    manifest = tmp_path / "list.csv"
    manifest.write_text(
        "Audio,Labels,Group\naudio/b.wav,labels/x.phn,me\naudio/a.wav,labels/y.phn,\n"
        "\naudio/c.wav,labels/y.phn\n"
    )
    corpus = read_corpus(manifest)
    assert [example.group for example in corpus] == ["me", "audio"]
    assert [example.audio for example in corpus] == [
        str(tmp_path / "audio" / "b.wav"),
        str(tmp_path / "audio" / "a.wav"),
    ]
    ((path, _),) = corpus.problems
    assert path == str(tmp_path / "audio" / "c.wav")


def test_a_manifest_may_have_semicolons(tmp_path):
    """As spreadsheets of many countries write them, with names that hold commas."""
    sound(tmp_path / "a, b.wav")
    phn(tmp_path / "x.phn")
    manifest = tmp_path / "list.csv"
    manifest.write_text("audio;labels;group\na, b.wav;x.phn;me\n")
    (example,) = read_corpus(manifest)
    assert (example.audio, example.group) == (str(tmp_path / "a, b.wav"), "me")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("audio,truth\n", "line 1: is neither a folder nor a manifest: .* no column 'labels'"),
        ("", "no column 'audio'"),
        ("audio,labels\na.wav\n", "line 2: needs both audio and labels; fill them in"),
        ("a" * 200_000, "line 1: is not a table: field larger than"),
        ("audio,labels\n" + "a" * 200_000, "line 2: is not a table: field larger than"),
        ("audio,labels\n", "holds no recordings with labels"),
    ],
)
def test_manifests_that_cannot_be_read(tmp_path, text, message):
    (tmp_path / "list.csv").write_text(text)
    with pytest.raises(DataError, match=message):
        read_corpus(tmp_path / "list.csv")


def test_nothing_to_read(tmp_path):
    with pytest.raises(DataError, match="does not exist; check the name"):
        read_corpus(tmp_path / "no")
    with pytest.raises(DataError, match="holds no recordings with labels"):
        read_corpus(tmp_path)
    sound(tmp_path / "a.wav")
    with pytest.raises(DataError, match="is one recording, must be a folder of them"):
        read_corpus(tmp_path / "a.wav")
    (tmp_path / "a.mid").write_bytes(b"MThd")
    with pytest.raises(DataError, match="is one score, must be a folder of pieces"):
        read_corpus(tmp_path / "a.mid", kind="music")
    with pytest.raises(
        DataError, match=r"no recording \(of 1\) has a label file of its name \(.phn"
    ):
        read_corpus(tmp_path)
    phn(tmp_path / "a.phn", "")
    with pytest.raises(DataError, match=r"be used \(problems: 1\), .* has no labels"):
        read_corpus(tmp_path)
    with pytest.raises(ParameterError, match="kind='dance', must be 'speech'"):
        read_corpus(tmp_path, kind="dance")


def test_the_other_kind_is_told(tmp_path):
    (tmp_path / "speech").mkdir()
    sound(tmp_path / "speech" / "a.wav")
    phn(tmp_path / "speech" / "a.phn", "0 100 ah\n")
    with pytest.raises(DataError, match=r"no pieces.* It holds labels: for speech, take a model"):
        read_corpus(tmp_path / "speech", kind="music")
    (tmp_path / "music").mkdir()
    sound(tmp_path / "music" / "audio.wav")
    (tmp_path / "music" / "score.mid").write_bytes(b"MThd")
    with pytest.raises(DataError, match=r"has a label file .* It holds scores: for pieces of mus"):
        read_corpus(tmp_path / "music")


def test_real_corpora(timit_sample, shared_data):
    corpus = read_corpus(timit_sample)
    assert (len(corpus), len(corpus.groups), corpus.problems) == (96, 12, [])
    assert sum(len(example.events) - 1 for example in corpus) == 3602
    voxangeles = read_corpus(shared_data / "speech" / "voxangeles")
    assert (len(voxangeles), len(voxangeles.groups)) == (1324, 37)
    assert voxangeles.problems == []


def messages(issues):
    return [issue.message for issue in issues]


def test_validation_of_a_sound_corpus(timit):
    found = validate_corpus(timit)
    assert (found.recordings, found.problems, found.warnings) == (6, (), ())
    assert str(found) == "6 usable recordings, 0 problems, 0 warnings"


def test_validation_names_what_is_wrong(tmp_path):
    for name in ("a", "b", "c"):
        sound(tmp_path / f"{name}.wav")
        phn(tmp_path / f"{name}.phn")
    sound(tmp_path / "rate.wav", rate=8000, channels=2)
    phn(tmp_path / "rate.phn", "0 1600 h#\n1600 4000 k\n")
    sound(tmp_path / "alone.wav")
    phn(tmp_path / "orphan.phn")
    sound(tmp_path / "a.flac")
    sound(tmp_path / "long.wav", seconds=4)
    phn(tmp_path / "long.phn", "0 30 k\n30 20000 iy\n20000 20800 h#\n20800 22000 h#\n")
    sound(tmp_path / "bad.wav")
    phn(tmp_path / "bad.phn", "0 8000 k\n4000 8000 k\n")
    seen = []
    found = validate_corpus(tmp_path, progress=lambda *args: seen.append(args))
    assert seen[-1] == ("checking", 8, 8)
    assert found.recordings == 5
    assert [issue.path for issue in found.problems] == [str(tmp_path / "bad.phn")]
    assert found.problems[0].severity == "error"
    said = {(issue.path[len(str(tmp_path)) + 1 :], issue.message) for issue in found.warnings}
    assert said == {
        ("a.flac", "is not used: a.wav beside it goes first."),
        ("alone.wav", "has no labels of its name beside it."),
        ("orphan.phn", "has no audio of its name beside it."),
        ("rate.wav", "has 8000 Hz and 2 channels, most of the corpus 16000 Hz and 1."),
        ("long.phn", "line 1: 'k' is suspiciously short (1.9 ms)."),
        ("long.phn", "line 2: 'iy' is suspiciously long (1248.1 ms)."),
        ("long.phn", "line 4: 'h#' follows 'h#'; join the two into one."),
        (
            "long.phn",
            "the last label ends at 1.375 s, 2.6 s before the recording does; check that they "
            "belong together.",
        ),
    }
    assert str(found).splitlines()[-1] == "5 usable recordings, 1 problem, 8 warnings"


def test_what_is_wrong_with_most_is_told_once(tmp_path):
    for name in "ab":
        sound(tmp_path / f"{name}.wav")
        (tmp_path / f"{name}.txt").write_text("kiwi", encoding="utf-8")
    (problem,) = validate_corpus(tmp_path).problems
    assert problem.message == (
        "none of its 2 recordings has labels of its name beside it; 2 have a transcript, which "
        "--text checks."
    )
    phn(tmp_path / "a.phn", "".join(f"{10 * k} {10 * k + 10} k{k}\n" for k in range(9)))
    told = [issue.message for issue in validate_corpus(tmp_path).warnings]
    odd = "line 1: 'k0' is suspiciously short (0.6 ms), and 8 others of 9 are; check the unit or "
    assert [text for text in told if "short" in text] == [f"{odd}sampling rate of the times."]


def test_accents_that_are_stored_in_two_ways_are_told(tmp_path):
    for name, vowel in (("a", "\u1ebd"), ("b", "e\u0303"), ("c", "\u1ebd")):
        sound(tmp_path / f"{name}.wav")
        phn(tmp_path / f"{name}.phn", f"0 2000 sil\n2000 8000 {vowel}\n")
    (issue,) = validate_corpus(tmp_path).warnings
    assert issue.path == str(tmp_path / "b.wav")
    assert "is stored in another way than in" in issue.message
    assert "a.wav (NFC and NFD); a model takes them for two phones" in issue.message


def test_sentences_are_no_phones(tmp_path):
    sound(tmp_path / "a.wav")
    (tmp_path / "a.csv").write_text("start,end,label\n0,0.5,a quick fox\n", encoding="utf-8")
    found = validate_corpus(tmp_path)
    assert found.recordings == 0
    (told,) = messages(found.problems)
    assert told.startswith("'a quick fox' is no phone but a sentence; name the tier of phones")


def test_validation_of_phones(tmp_path):
    sound(tmp_path / "a.wav")
    phn(tmp_path / "a.phn", "0 2000 sil\n2000 4000 iyy\n4000 6000 iyy\n6000 8000 Q\n")
    found = validate_corpus(tmp_path, phones=["sil", "iy", "k"])
    assert messages(found.problems) == [
        "line 2: unknown phone 'iyy'; nearest known: 'iy'.",
        "line 4: unknown phone 'Q'.",
    ]


def test_validation_of_nothing(tmp_path):
    with pytest.raises(DataError, match="holds neither audio nor labels"):
        validate_corpus(tmp_path)
    with pytest.raises(ParameterError, match="kind='song', must be 'speech' or 'music'"):
        validate_corpus(tmp_path, kind="song")


def test_timit_sample_is_sound(timit_sample):
    from align.formats import read_phone_map

    found = validate_corpus(timit_sample, phones=read_phone_map("timit48"))
    assert (found.recordings, found.problems, found.warnings) == (96, (), ())


@pytest.mark.parametrize("suffix", [".eaf", ".exb", "_annot.json"])
def test_labels_of_other_programs_are_read(tmp_path, suffix):
    if suffix == ".eaf":
        pytest.importorskip("pympi")
    audio = sound(tmp_path / "db" / "ann_ses" / "kiwi_bndl" / "kiwi.wav")
    labels = Alignment(["sil", "k", "sil"], [0.0, 0.2, 0.3], SECONDS, rate=16000)
    write_labels(audio.with_name(f"kiwi{suffix}"), labels)
    audio.with_name("kiwi_other.json").write_text("{}")  # of nobody's
    (example,) = read_corpus(tmp_path / "db")
    assert example.events == ("sil", "k", "sil")
    np.testing.assert_allclose(example.onsets, [0.0, 0.2, 0.3], atol=1e-3)
    assert example.group == "ann_ses"  # of a database of EMU its bundle says nothing
    assert validate_corpus(tmp_path / "db").problems == ()
    write_labels(audio.with_name("kiwi.TextGrid"), labels)  # goes first
    assert "kiwi.TextGrid" in str(validate_corpus(tmp_path / "db"))


def test_a_bundle_that_is_the_corpus_is_called_so(tmp_path):
    sound(tmp_path / "a_bndl" / "a.wav")
    phn(tmp_path / "a_bndl" / "a.phn")
    assert read_corpus(tmp_path / "a_bndl").groups == ["a_bndl"]
    assert read_corpus(tmp_path).groups == [tmp_path.name]


def test_subtitles_may_name_a_language(tmp_path):
    suffixes = (".txt", ".vtt")
    for name in ("one", "two", "both", "named"):
        sound(tmp_path / f"{name}.wav")
    for name in ("one.en.vtt", "Two.pt-BR.vtt", "both.de.vtt", "both.en.vtt", "other.en.vtt"):
        (tmp_path / name).write_text("WEBVTT\n")
    (tmp_path / "named.txt").write_text("kiwi")
    (tmp_path / "named.en.vtt").write_text("WEBVTT\n")
    expected = {"one": "one.en.vtt", "two": "Two.pt-BR.vtt", "both": None, "named": "named.txt"}
    pairs = find_pairs(str(tmp_path), None, suffixes)
    found = {os.path.basename(p.audio)[:-4]: p.labels for p in pairs if p.audio is not None}
    assert found == {
        name: None if label is None else str(tmp_path / label) for name, label in expected.items()
    }
    for name, label in found.items():
        assert find_beside(str(tmp_path / f"{name}.wav"), suffixes) == label


def test_labels_without_recordings_are_told(tmp_path):
    (tmp_path / "kiwi.phn").write_text("0 16000 k\n")
    message = r"no label file \(of 1\) has a recording of its name beside it"
    with pytest.raises(DataError, match=message):
        read_corpus(tmp_path)
