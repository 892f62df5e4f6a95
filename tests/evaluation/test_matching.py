"""Label files against label files, and two systems against each other."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import DataError, ParameterError
from align.evaluation.comparison import compare
from align.evaluation.file_result import FileResult
from align.evaluation.matching import evaluate_labels, match_labels
from align.evaluation.report import Report
from align.formats import read_tiers, write_tiers

# Matching ---------------------------------------------------------------------------------------


def naive_lcs(a: list[str], b: list[str]) -> int:
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            best = max(table[i][j + 1], table[i + 1][j])
            table[i + 1][j + 1] = max(best, table[i][j] + (x == y))
    return table[-1][-1]


LABELS = st.lists(st.sampled_from("abc"), max_size=9)


@given(LABELS, LABELS, st.integers(0, 1000))
def test_as_many_labels_are_matched_as_can_be(a: list[str], b: list[str], seed: int) -> None:
    rng = np.random.default_rng(seed)
    s, t = (np.sort(rng.uniform(0, 5, len(x))) for x in (a, b))
    mine, theirs = match_labels(a, s, b, t)
    assert [a[i] for i in mine] == [b[j] for j in theirs]
    assert len(mine) == naive_lcs(a, b)
    assert (np.diff(mine) > 0).all()
    assert (np.diff(theirs) > 0).all()


@given(LABELS, LABELS, st.integers(0, 1000))
def test_among_as_many_the_nearest_in_time_are_matched(
    a: list[str], b: list[str], seed: int
) -> None:
    """Against all subsequences, on short sequences that differ."""
    from itertools import combinations

    a, b = a[:5], b[:5]
    if a == b:
        return
    rng = np.random.default_rng(seed)
    s, t = (np.sort(rng.uniform(0, 5, len(x))) for x in (a, b))
    mine, theirs = match_labels(a, s, b, t)
    best = min(
        np.abs(s[list(i)] - t[list(j)]).sum()
        for i in combinations(range(len(a)), len(mine))
        for j in combinations(range(len(b)), len(mine))
        if [a[k] for k in i] == [b[k] for k in j]
    )
    assert np.abs(s[mine] - t[theirs]).sum() == pytest.approx(best, abs=1e-9)


def test_equal_sequences_are_matched_whatever_the_times() -> None:
    mine, theirs = match_labels(["a", "a"], [0.0, 9.0], ["a", "a"], [8.0, 8.5])
    assert mine.tolist() == theirs.tolist() == [0, 1]


def test_sequences_too_long_to_match_are_refused() -> None:
    a, b = ["a"] * 9000, ["b"] * 9000
    with pytest.raises(ParameterError, match="9000 and 9000 labels differ and are too long"):
        match_labels(a, np.arange(9000.0), b, np.arange(9000.0))


# Trees ------------------------------------------------------------------------------------------


def write(path: Path, rows: list[tuple[float, float, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".csv":
        text = "start,end,label\n" + "".join(f"{a},{b},{label}\n" for a, b, label in rows)
    else:
        text = "".join(f"{round(a * 16000)} {round(b * 16000)} {label}\n" for a, b, label in rows)
    path.write_text(text)


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    """A reference with closures, and a system without, which misses a phone."""
    reference, system = tmp_path / "reference", tmp_path / "system"
    write(
        reference / "ann" / "u1.phn",
        [(0, 0.1, "h#"), (0.1, 0.15, "kcl"), (0.15, 0.2, "k"), (0.2, 0.3, "iy"), (0.3, 0.4, "z")],
    )
    write(reference / "ann" / "u2.phn", [(0, 0.1, "h#"), (0.1, 0.2, "s"), (0.2, 0.4, "h#")])
    write(reference / "bob" / "u1.phn", [(0, 0.1, "h#"), (0.1, 0.2, "iy")])
    write(system / "ann" / "U1.csv", [(0, 0.11, "sil"), (0.11, 0.2, "k"), (0.2, 0.4, "iy")])
    write(system / "ann" / "u2.csv", [(0, 0.13, "sil"), (0.13, 0.19, "s"), (0.19, 0.4, "sp")])
    return system, reference


def test_trees_are_compared_by_path_and_label(trees: tuple[Path, Path]) -> None:
    found = evaluate_labels(*trees)
    assert [result.name for result in found.results] == ["ann/u1", "ann/u2"]
    assert [list(result.labels) for result in found.results] == [
        ["sil", "k", "iy"],
        ["sil", "s", "sil"],
    ]
    # k is 40 ms early, since the closure is a label of its own; s 30 ms late, silence 10 early
    errors = np.concatenate([r.predicted - r.true for r in found.results])
    np.testing.assert_allclose(errors, [0, -0.04, 0, 0, 0.03, -0.01], atol=1e-9)
    assert (found.matched, found.missing, found.extra) == (6, 2, 0)
    assert found.report.boundaries == 4  # starts at 0 are not scored
    assert [name for name, _ in found.report.failed] == [str(trees[1] / "bob" / "u1.phn")]
    assert "no counterpart" in found.report.failed[0][1]
    text = str(found)
    assert "6 of 8 labels of the reference are matched (75.0 %)" in text
    assert found.to_dict()["missing"] == 2


def test_a_map_and_merging_bring_labels_together(trees: tuple[Path, Path]) -> None:
    found = evaluate_labels(*trees, phone_map={"kcl": "k", "z": "iy"}, merge=True)
    assert (found.matched, found.missing, found.extra) == (6, 0, 0)
    errors = np.concatenate([r.predicted - r.true for r in found.results])
    np.testing.assert_allclose(errors, [0, 0.01, 0, 0, 0.03, -0.01], atol=1e-9)


def test_classes_are_those_of_the_neighbours_in_the_reference(trees: tuple[Path, Path]) -> None:
    classes = {"sil": "S", "k": "K", "kcl": "C", "iy": "V", "s": "F"}
    found = evaluate_labels(*trees, classes=classes)
    assert set(found.report.per_class) == {"C -> K", "K -> V", "S -> F", "F -> S"}
    assert found.report.per_class["C -> K"].bias_ms == pytest.approx(-40)


def test_annotations_of_emu_have_the_name_of_their_recording(trees: tuple[Path, Path]) -> None:
    system, reference = trees
    before = evaluate_labels(system, reference).report
    for path in [p for p in system.rglob("*") if p.is_file()]:
        write_tiers(path.with_name(f"{path.stem}_annot.json"), read_tiers(path))
        path.unlink()
    assert evaluate_labels(system, reference).report.boundaries == before.boundaries


def test_two_files_will_do(trees: tuple[Path, Path]) -> None:
    system, reference = trees
    found = evaluate_labels(system / "ann" / "u2.csv", reference / "ann" / "u2.phn")
    assert found.report.files == 1
    assert found.report.boundaries == 2


def test_files_that_cannot_be_read_are_named(trees: tuple[Path, Path]) -> None:
    system, reference = trees
    (system / "ann" / "u2.csv").write_text("start,end,label\n0,x,sil\n")
    found = evaluate_labels(system, reference)
    assert found.report.files == 1
    assert any("u2.csv, line 2" in why for _, why in found.report.failed)


def test_labels_without_anything_in_common_are_named(trees: tuple[Path, Path]) -> None:
    system, reference = trees
    write(system / "ann" / "u2.csv", [(0, 0.2, "xx")])
    found = evaluate_labels(system, reference)
    assert any("none of its labels" in why for _, why in found.report.failed)


def test_trees_must_be_there_and_share_a_file(trees: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        evaluate_labels(tmp_path / "absent", trees[1])
    write(tmp_path / "other" / "x.phn", [(0, 1, "a")])
    with pytest.raises(DataError, match="no label file of the same path"):
        evaluate_labels(tmp_path / "other", trees[1])


# Two systems ------------------------------------------------------------------------------------


def results(offset: float, spread: float, files: int = 30, seed: int = 0) -> list[FileResult]:
    true = np.arange(1.0, 21.0)
    rng = np.random.default_rng(seed)
    return [
        FileResult(f"f{i}", ["a"] * 20, true, true + offset + rng.normal(0, spread, 20))
        for i in range(files)
    ]


def test_a_clear_difference_is_significant_and_none_is_not() -> None:
    good, bad, same = results(0, 0.01), results(0, 0.02, seed=1), results(0, 0.01, seed=2)
    clear = compare(good, bad)
    assert clear.mean_abs_ms.significant
    assert clear.mean_abs_ms.low < clear.mean_abs_ms.difference < clear.mean_abs_ms.high < 0
    assert clear.within_ms["10"].difference > 0
    assert not compare(good, same).mean_abs_ms.significant
    assert not compare(good, good).mean_abs_ms.significant
    assert compare(Report.from_files(good), Report.from_files(bad)) == clear
    text = str(clear)
    assert "600 boundaries that both have, in 30 files" in text
    assert "*" in text.splitlines()[2]


def test_the_interval_is_that_of_a_plain_loop() -> None:
    one, two = results(0, 0.01, 12), results(0.002, 0.012, 12, seed=3)
    found = compare(one, two, n_resamples=4000).mean_abs_ms
    sums = np.array(
        [
            [np.abs(a.predicted - a.true).sum() - np.abs(b.predicted - b.true).sum(), a.true.size]
            for a, b in zip(one, two, strict=True)
        ]
    )
    rng = np.random.default_rng(7)
    draws = [sums[rng.integers(0, 12, 12)].sum(axis=0) for _ in range(4000)]
    expected = np.quantile([1000 * d / n for d, n in draws], [0.025, 0.975])
    np.testing.assert_allclose([found.low, found.high], expected, atol=0.15)


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    covered = 0
    for seed in range(60):
        one, two = results(0, 0.01, 30, seed), results(0, 0.012, 30, 1000 + seed)
        found = compare(one, two, confidence_level=0.9, n_resamples=300).mean_abs_ms
        truth = 1000 * np.sqrt(2 / np.pi) * (0.01 - 0.012)
        covered += found.low <= truth <= found.high
    assert 46 <= covered <= 59  # 54 expected; beyond 3.5 standard deviations below


def test_systems_are_scored_where_both_have_a_boundary() -> None:
    true = np.array([0.0, 1.0, 2.0, 3.0])
    one = [FileResult("f", list("abcd"), true, true + 0.01)]
    two = [FileResult("f", list("bd"), true[[1, 3]], true[[1, 3]] + 0.03)]
    found = compare(one, [*two, FileResult("g", ["a"], [1.0], [1.0])])
    assert (found.files, found.boundaries) == (1, 2)
    assert found.mean_abs_ms.difference == pytest.approx(-20)
    assert np.isnan(found.mean_abs_ms.low)  # of one file there is no interval
    assert "one file" in str(found)
    assert found.to_dict()["mean_abs_ms"]["low"] is None
    assert not found.mean_abs_ms.significant


def test_the_same_seed_gives_the_same_interval() -> None:
    one, two = results(0, 0.01, 5), results(0, 0.02, 5, seed=1)
    assert compare(one, two) == compare(one, two)
    assert compare(one, two, random_state=1) != compare(one, two)


def test_nothing_in_common_is_an_error() -> None:
    one, two = results(0, 0.01, 1), [FileResult("other", ["a"], [1.0], [1.0])]
    with pytest.raises(DataError, match="no boundary of the reference in common"):
        compare(one, two)
    with pytest.raises(ParameterError, match="confidence_level=95"):
        compare(one, one, confidence_level=95)
