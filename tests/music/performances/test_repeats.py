"""Which repeats of a score were played: unfolding in any way, and finding the way by ear."""

import itertools

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner
from music_examples import RATE, sound

import align
from align.cli import cli
from align.errors import DataError, ParameterError
from align.formats.scores import read_score
from align.music.checking.parts import known_repeats
from align.music.performances.repeats import FoldedScore, best_way, check_repeats, is_notation
from align.results.music import MusicAlignment
from align.types import Note, PlayedPassage

pytest.importorskip("partitura")

PITCH = dict(zip("CDEFGAB", (60, 62, 64, 65, 67, 69, 71), strict=True))
BACK = '<barline location="right"><repeat direction="backward"/></barline>'
FORTH = '<barline location="left"><repeat direction="forward"/></barline>'
SPOKEN = "<direction><direction-type><words>{}</words></direction-type><sound {}/></direction>"
FINE = SPOKEN.format("Fine", 'fine="yes"')
DA_CAPO = SPOKEN.format("D.C.", 'dacapo="yes"')


def ending(number, kind, side):
    return f'<barline location="{side}"><ending number="{number}" type="{kind}"/></barline>'


def write_score(path, bars, parts=1):
    """Write a MusicXML file; a bar is its notes, what stands before them, and what after."""
    body = []
    for number, (steps, before, after) in enumerate(bars, 1):
        notes = "".join(
            f"<note><pitch><step>{step}</step><octave>4</octave></pitch>"
            "<duration>1</duration><type>quarter</type></note>"
            for step in steps
        )
        first = "<attributes><divisions>1</divisions></attributes>" if number == 1 else ""
        body.append(f'<measure number="{number}">{first}{before}{notes}{after}</measure>')
    names = [f"P{k}" for k in range(parts)]
    path.write_text(
        '<?xml version="1.0"?><score-partwise version="3.1"><part-list>'
        + "".join(
            f'<score-part id="{name}"><part-name>x</part-name></score-part>' for name in names
        )
        + "</part-list>"
        + "".join(f'<part id="{name}">{"".join(body)}</part>' for name in names)
        + "</score-partwise>",
        encoding="utf-8",
    )
    return path


TWO = [("CEGF", "", ""), ("DBCA", "", BACK), ("GEDF", FORTH, ""), ("BGAC", "", BACK)]
MINUET = [
    ("CCCC", "", BACK),
    ("GGGG", "", FINE),
    ("AAAA", FORTH, ""),
    ("BBBB", "", BACK),
    ("EEEE", "", DA_CAPO),
]
FIRST_STOP = BACK.replace("<repeat", '<ending number="1" type="stop"/><repeat')
ENDINGS = [
    ("CCCC", "", ""),
    ("DDDD", ending(1, "start", "left"), FIRST_STOP),
    ("EEEE", ending(2, "start", "left"), ending(2, "stop", "right")),
    ("FFFF", "", ""),
]


def played(score, way):
    """Return the bars that are played, by their first notes."""
    names = {pitch: step for step, pitch in PITCH.items()}
    return "".join(names[int(p)] for p in score.unfolded(way).pitches[::4])


@pytest.mark.parametrize(
    ("bars", "n_repeats", "ways"),
    [
        (TWO, 2, {"all": "CDCDGBGB", "none": "CDGB", "yn": "CDCDGB", "ny": "CDGBGB"}),
        (
            MINUET,
            3,
            {"all": "CCGABABECCG", "none": "CGABECG", "yyn": "CCGABABECG", "nnn": "CGABECG"},
        ),
        (ENDINGS, 1, {"y": "CDCEF", "n": "CEF"}),
        ([("CCCC", "", "")], 0, {"all": "C", "none": "C"}),
    ],
)
def test_a_score_is_unfolded_in_any_way(tmp_path, bars, n_repeats, ways):
    score = FoldedScore(write_score(tmp_path / "a.musicxml", bars))
    assert score.n_repeats == n_repeats
    assert {way: played(score, way) for way in ways} == ways
    for _ in range(2):  # unfolding leaves nothing behind
        assert played(score, "all") == next(iter(ways.values()))


def test_fine_at_a_repeat_sign_ends_only_after_the_leap(tmp_path):
    bars = [("CCCC", "", FINE + BACK), ("AAAA", FORTH, ""), ("BBBB", "", DA_CAPO + BACK)]
    score = FoldedScore(write_score(tmp_path / "a.musicxml", bars))
    assert played(score, "all") == "CCABABCC"
    assert played(score, "yny") == "CCABCC"
    assert played(score, "nnn") == "CABC"


def test_all_parts_go_the_same_way(tmp_path):
    path = write_score(tmp_path / "a.musicxml", TWO, parts=2)
    score = FoldedScore(path).unfolded("ny")
    assert len(score) == 2 * 4 * 6
    assert (score.pitches[::2] == score.pitches[1::2]).all()
    assert (score.onsets[::2] == score.onsets[1::2]).all()
    assert score.repeats == "ny"
    assert len(read_score(path, repeats=(False, True))) == len(score)
    assert len(read_score(path, repeats=[False])) == len(score)  # what is not said is taken


def test_parts_whose_repeats_differ_are_named(tmp_path):
    path = write_score(tmp_path / "a.musicxml", TWO, parts=3)
    assert FoldedScore(path).unfolded("all").notices == ()
    whole, first, last = path.read_text(), '<part id="P1">', '<part id="P2">'
    head, rest = whole.split(first)
    middle, tail = rest.split(last)
    path.write_text(head + first + middle.replace(FORTH, "").replace(BACK, "") + last + tail)
    assert FoldedScore(path).unfolded("all").notices == ()  # one part says it for all
    path.write_text(head + first + middle.replace(BACK, "", 1) + last + tail)
    for score in (FoldedScore(path).unfolded("all"), read_score(path)):
        (notice,) = score.notices
        assert notice.startswith("the signs of repeats in x 2 are not those of x 1, which")


def test_repeats_that_a_recording_does_not_hold_are_not_known(tmp_path):
    score = FoldedScore(write_score(tmp_path / "a.musicxml", TWO)).unfolded("ny")
    assert score.repeat_times == (4.0, 8.0)  # a bar lasts two seconds
    heard = {
        (0.0, 3.5): "??", (0.0, 4.0): "n?", (3.5, 7.5): "n?", (4.0, 8.5): "?y", (0.0, 11.5): "ny",
    }  # fmt: skip
    for span, letters in heard.items():
        assert known_repeats(score, [PlayedPassage(1.0, 9.0, *span)]) == letters
    assert (
        known_repeats(score, [PlayedPassage(0, 4, 0.0, 4.5), PlayedPassage(4, 8, 7.0, 9.0)])
        == "ny"
    )
    assert known_repeats(score, []) == "ny"
    last = FoldedScore(write_score(tmp_path / "b.musicxml", [("CCCC", "", BACK)])).unfolded("n")
    assert known_repeats(last, [PlayedPassage(1.0, 2.0, 1.0, 1.5)]) == "n"
    assert MusicAlignment([Note(60, 0.0)], [1.0], repeats="n?").repeats == "n?"


def test_letters_are_one_for_each_repeat(tmp_path):
    score = FoldedScore(write_score(tmp_path / "a.musicxml", TWO))
    with pytest.raises(DataError, match=r"a\.musicxml: has 2 repeats .* 'yny' says it of 3"):
        score.unfolded("yny")
    for wrong in ("", "some", "Y", "yn?", None):
        with pytest.raises(ParameterError, match="a letter y or n"):
            check_repeats(wrong)
    assert is_notation("a.MEI")
    assert not is_notation("a.mid")
    assert not is_notation(object())


def test_a_score_may_have_any_number_of_repeats(tmp_path):
    bars = [("CEGF", FORTH, BACK)] * 60
    score = FoldedScore(write_score(tmp_path / "a.musicxml", bars))
    assert score.n_repeats == 60
    assert [len(score.unfolded(way)) for way in ("all", "none", "yn" * 30)] == [480, 240, 360]


class Ways:
    """Repeats whose ways cost what a function says."""

    def __init__(self, n):
        self.n_repeats = n

    def unfolded(self, way):
        return way


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_every_way_is_found_where_each_repeat_costs_its_own(n):
    for truth in map("".join, itertools.product("yn", repeat=n)):
        tried = []

        def cost(way, truth=truth):
            return sum(a != b for a, b in zip(way, truth, strict=True))

        told = []
        found = best_way(
            Ways(n),
            lambda way, tried=tried: tried.append(way) or way,
            cost,
            lambda *args, told=told: told.append(args),
        )
        assert found == truth
        assert {stage for stage, *_ in told} == {"trying repeats"}
        assert [done for _, done, _ in told[:-1]] == list(range(1, len(tried) + 1))
        assert told[-1] == ("trying repeats", 2 + 3 * n, 2 + 3 * n)
        assert len(tried) == len(set(tried)) <= 2 + 3 * n


def test_the_other_of_two_repeats_that_are_as_long_is_found():
    cost = {"yyn": 3.0, "nyy": 2.0, "yny": 1.0}  # and what is longer or shorter is worse
    assert best_way(Ways(3), lambda way: way, lambda way: cost.get(way, 4.0 + way.count("n"))) == (
        "yny"
    )


def test_ways_that_cannot_be_are_passed_over():
    def fit(way):
        if way.count("y") > 1:
            raise DataError(f"{way} is too long.")
        return way

    assert best_way(Ways(3), fit, lambda way: abs(way.count("y") - 1) + ("n" == way[0])) == "ynn"
    with pytest.raises(DataError, match="yy is too long"):
        best_way(Ways(2), lambda way: fit("yy"), lambda way: 0.0)


@pytest.mark.parametrize("way", ["yy", "yn", "ny", "nn"])
def test_each_repeat_is_heard(tmp_path, way):
    score = write_score(tmp_path / "a.musicxml", TWO)
    truth = FoldedScore(score).unfolded(way)
    times = 0.5 + 0.82 * truth.onsets
    recording = sound(list(zip(times, truth.pitches, strict=True)), times[-1] + 2.0)
    model = align.load("piano")
    found = model.align(recording, score, rate=RATE)
    assert found.repeats == way
    assert found.pitches.tolist() == truth.pitches.tolist()
    assert np.abs(found.onsets - times).max() < 0.05
    found.to_json(tmp_path / "a.json")
    assert type(found).from_labels(tmp_path / "a.json") == found


def test_the_command_line_takes_letters_and_tells_them(tmp_path):
    score = write_score(tmp_path / "a.musicxml", TWO)
    truth = FoldedScore(score).unfolded("yn")
    times = 0.5 + 0.82 * truth.onsets
    recording = sound(list(zip(times, truth.pitches, strict=True)), times[-1] + 2.0)
    soundfile.write(tmp_path / "a.wav", recording, RATE)

    def run(*options):
        result = CliRunner().invoke(
            cli, ["music", *map(str, (tmp_path / "a.wav", score, *options))]
        )
        assert result.exit_code == 0, result.stderr
        return result.output

    assert "1 of 2 repeats taken (yn)" in run("-o", tmp_path / "a.csv")
    run("-o", tmp_path / "b.csv", "--repeats", "yn")
    assert (tmp_path / "b.csv").read_bytes() == (tmp_path / "a.csv").read_bytes()
