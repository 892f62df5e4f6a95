"""What other programs build Align from agrees with pyproject.toml: containers, conda, runners."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONDA = {"soundfile": "pysoundfile", "soxr": "soxr-python"}
"""Names of packages that conda-forge calls otherwise."""


def test_the_recipe_of_conda_needs_what_the_project_needs() -> None:
    yaml = pytest.importorskip("yaml")
    recipe = yaml.safe_load((ROOT / "packaging" / "meta.yaml").read_text(encoding="utf-8"))
    wanted = [f"python {PROJECT['requires-python']}"]
    for dependency in PROJECT["dependencies"]:
        found = re.fullmatch(r"([\w-]+)(.*)", dependency)
        assert found is not None
        wanted.append(f"{CONDA.get(found[1], found[1])} {found[2]}")
    assert recipe["requirements"]["run"] == wanted
    assert recipe["package"] == {"name": PROJECT["name"], "version": PROJECT["version"]}
    assert recipe["about"]["license"] == PROJECT["license"]
    (entry,) = recipe["build"]["entry_points"]
    assert entry == f"align = {PROJECT['scripts']['align']}"


def test_runners_know_all_systems_and_both_ends_of_the_versions() -> None:
    yaml = pytest.importorskip("yaml")
    path = ROOT / ".github" / "workflows" / "test.yml"
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    matrix = jobs["newest"]["strategy"]["matrix"]
    assert {os.split("-")[0] for os in matrix["os"]} == {"ubuntu", "macos", "windows"}
    versions = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert matrix["python"] == [versions[0], versions[-1]]
    for job in jobs.values():
        for step in job["steps"]:
            if step.get("run", "").startswith(".ci/"):
                assert (ROOT / step["run"]).exists()


def test_the_container_asks_for_extras_that_there_are() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    (extras,) = re.findall(r"\[([\w,]+)\]\" && rm", text)
    assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])
    (version,) = set(re.findall(r"FROM python:(3\.\d+)-slim", text))
    assert f"Programming Language :: Python :: {version}" in PROJECT["classifiers"]
