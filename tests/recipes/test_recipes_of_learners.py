"""Every recipe of the flat learners runs on a small made-up folder, and says what it should."""

import argparse
import json
import re
import shlex
import sys

import numpy as np
import pytest
from scripts import RECIPES, script

NAMES = ("noise_robustness", "multiclass", "ellipsoid", "kernel_usps", "boosting_svmguide3")
README = {name: (RECIPES / name / "README.md").read_text(encoding="utf-8") for name in NAMES}


@pytest.fixture
def load(monkeypatch):
    """A function that imports the script of a recipe."""
    monkeypatch.setattr(sys, "path", sys.path.copy())  # recipes add their folder to it
    return lambda name: script(RECIPES / name / "run.py")


@pytest.fixture
def folder(tmp_path):
    """Two sets of three classes and one of two, which a line separates but for some noise."""
    place = tmp_path / "sets"
    place.mkdir()
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(3, 6))

    def blobs(m):
        y = rng.integers(3, size=m)
        return np.round(1000 * (centres[y] + 0.5 * rng.normal(size=(m, 6)))).astype(np.int16), y

    (X, y), (X_test, y_test) = blobs(240), blobs(80)
    np.savez(place / "usps.npz", X_train=X, y_train=y, X_test=X_test, y_test=y_test)
    np.savez(place / "letter.npz", X=X, y=y)
    np.savez(place / "libol_svmguide3.npz", X=X.astype(np.float32), y=np.where(y == 0, -1, 1))
    return place


def outputs(tmp_path):
    """Where numbers and picture go, as arguments and as paths."""
    numbers, picture = tmp_path / "numbers.json", tmp_path / "picture.png"
    return ["--json", str(numbers), "--plot", str(picture)], numbers, picture


def check_outputs(numbers, picture):
    assert picture.read_bytes().startswith(b"\x89PNG")
    return json.loads(numbers.read_text(encoding="utf-8"))


def test_noise(load, tmp_path, capsys, monkeypatch):
    run = load("noise_robustness")
    monkeypatch.setattr(run, "INSTANCE_NOISE", (0.0, 2.0))
    monkeypatch.setattr(run, "LABEL_NOISE", (0.0, 0.3))
    monkeypatch.setattr(run, "RATES", np.array([0.001, 0.1, 10.0]))
    monkeypatch.setattr(run, "DIRECTIONS", 360)
    options, *files = outputs(tmp_path)
    run.main(["--examples", "400", "--repetitions", "2", *options])
    assert "label noise" in capsys.readouterr().out
    found = check_outputs(*files)
    for kind in ("instance", "label"):
        table = found["noise"][kind]
        for variant in run.VARIANTS:  # no learner beats the best line in hindsight by much
            assert (np.subtract(table[variant], table["best fixed"]) > -1.0).all()
        # K1: at the top of the noise PA makes the most mistakes.
        assert table["PA"][-1] >= max(table["PA-I"][-1], table["PA-II"][-1])
    assert len(found["rates"]["PA-II bound"]) == len(run.C_LEVELS)
    # The bound is one: mistakes of PA-II are below it.
    assert (np.array(found["rates"]["PA-II"]) <= np.array(found["rates"]["PA-II bound"])).all()


def test_best_fixed_line(load):
    run = load("noise_robustness")
    X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]])
    assert run.fewest_errors(X, np.array([-1.0, -1.0, 1.0, 1.0])) == 0
    assert run.fewest_errors(X, np.array([1.0, 1.0, -1.0, -1.0])) == 0
    assert run.fewest_errors(X, np.array([1.0, -1.0, 1.0, 1.0])) == 1
    assert run.fewest_errors(X, np.array([1.0, -1.0, 1.0, -1.0])) == 1
    assert (
        run.fewest_errors(np.array([[0, 0], [1, 1], [0, 1], [1, 0]]), np.array([1, 1, -1, -1]))
        == 1
    )


def test_multiclass(load, folder, tmp_path, capsys, monkeypatch):
    run = load("multiclass")
    monkeypatch.setattr(run, "RATES", np.array([0.01, 1.0]))
    monkeypatch.setattr(run, "POINTS", 4)
    options, *files = outputs(tmp_path)
    run.main([str(folder), "--sets", "usps", *options])
    printed = capsys.readouterr().out
    assert all(head in printed for head in ("test error %", "first pass %", "examples/s"))
    found = check_outputs(*files)["usps"]
    assert found["errors"]["averaged PA-I"] < 20.0
    assert found["errors"]["LinearSVC"] < 20.0
    assert found["errors"]["C"] in run.RATES
    assert len(found["online"]["examples"]) == 4
    assert set(found["online"]["curves"]) == set(run.LEARNERS)
    assert all(rate > 0.0 for rate in found["speed"].values())


def test_ellipsoid(load, folder, tmp_path, capsys):
    run = load("ellipsoid")
    options, *files = outputs(tmp_path)
    run.main([str(folder), "--sets", "usps", "libol_svmguide3", "--average", *options])
    printed = capsys.readouterr().out
    assert "IELLIP c=0.05" in printed
    assert "b = 0.9" in printed
    for results in check_outputs(*files).values():
        for learner in results["learners"].values():
            assert learner["updates"] == sorted(learner["updates"])
            assert learner["errors"][-1] < 30.0


def test_some_of_the_ellipsoid_recipe(load, folder, tmp_path, capsys):
    run = load("ellipsoid")
    given = [str(folder), "--sets", "libol_svmguide3", "--only", "CELLIP", "Perceptron"]
    run.main([*given, "--json", str(tmp_path / "n.json")])
    printed = capsys.readouterr().out
    assert "CELLIP" in printed
    assert "MIRA" not in printed
    assert "b = 0.9" not in printed
    found = json.loads((tmp_path / "n.json").read_text())["libol_svmguide3"]
    assert list(found["learners"]) == ["Perceptron", "CELLIP"]
    with pytest.raises(SystemExit):
        run.main([*given, "--plot", str(tmp_path / "p.png")])
    assert "leave out --only" in capsys.readouterr().err


def test_ellipsoid_scales_norms_to_one(load, folder):
    run = load("ellipsoid")
    for name, copies in (("usps", 2), ("libol_svmguide3", 1)):
        data = run.scaled(run.read_set(folder, name))
        raw = run.read_set(folder, name)
        factor = (raw.X[0] / data.X[0])[0]
        norms = copies * ((data.X**2).sum(axis=1) + 1.0 / factor**2)
        assert norms.max() == pytest.approx(1.0)


def test_kernels(load, folder, tmp_path, capsys, monkeypatch):
    run = load("kernel_usps")
    monkeypatch.setattr(run, "GRID", [(1.0, 1.0), (2.0, 1.0)])
    options, *files = outputs(tmp_path)
    run.main([str(folder), "--sizes", "20", "40", *options])
    printed = capsys.readouterr().out
    assert "Gaussian PA-I" in printed
    table = check_outputs(*files)["table"]
    assert table["  budget 20, project"]["size"] == 20
    assert table["  Fourier 40"]["size"] == 40
    assert table["Gaussian PA-I"]["error"] < 20.0


def test_boosting(load, folder, tmp_path, capsys, monkeypatch):
    run = load("boosting_svmguide3")
    monkeypatch.setattr(run, "ROUNDS", (5, 20))
    options, *files = outputs(tmp_path)
    run.main([str(folder), "--splits", "2", *options])
    assert "bound on it" in capsys.readouterr().out
    found = check_outputs(*files)
    for name in run.VARIANTS:
        loss, bound = np.array(found[name]["loss"]), np.array(found[name]["bound"])
        assert (loss <= bound + 1e-9).all()
        assert (np.array(found[name]["training"]) / 100.0 <= loss + 1e-9).all()


def test_sets(load, folder):
    run = load("multiclass")
    letter = run.read_set(folder, "letter")
    assert (len(letter.y), len(letter.y_test)) == (192, 48)
    np.testing.assert_allclose(letter.X.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(letter.X.std(axis=0), 1.0)
    usps = run.read_set(folder, "usps")
    assert np.abs(usps.X).max() == 1.0
    svmguide3 = run.read_set(folder, "libol_svmguide3")
    for sign in (-1, 1):
        n = int((svmguide3.y == sign).sum()), int((svmguide3.y_test == sign).sum())
        assert n[0] == round(0.8 * sum(n))
    with pytest.raises(SystemExit, match="no such file"):
        run.read_set(folder, "absent")


def test_the_comparison_with_scikit_learn_says_what_it_wants(load, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["run.py", "--help"])
    monkeypatch.syspath_prepend(str(RECIPES / "from_scikit_learn"))
    with pytest.raises(SystemExit, match="0"):
        load("from_scikit_learn").main()
    assert "folder" in capsys.readouterr().out


@pytest.mark.parametrize("name", NAMES)
def test_readme_says_how_to_run_it(name, load, monkeypatch):
    commands = re.findall(rf"^    python (recipes/{name}/run\.py.*)$", README[name], re.M)
    assert commands
    run, parse = load(name), argparse.ArgumentParser.parse_args

    def only_parse(self, *arguments):
        parse(self, *arguments)
        raise SystemExit("parsed")

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", only_parse)
    for command in commands:
        with pytest.raises(SystemExit, match="parsed"):
            run.main(shlex.split(command)[1:])
