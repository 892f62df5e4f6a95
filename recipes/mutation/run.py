"""Change a module in one place at a time and see whether its tests notice.

python recipes/mutation/run.py align/learners/theory/pac.py tests/learners/theory/test_pac.py

The work is done on a copy of the tree. Kernels run as plain Python, so no cache can hide a change.
A run that was interrupted goes on from its log.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("align", "features", "decoders", "tests", "recipes", "pyproject.toml")
OPERATORS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
# What the tests say of a change. One that makes them take too long may be an endless loop, which
# is noticed, or merely slow: whoever reads the list decides.
OUTCOMES = {False: "killed", True: "survived", "too long": "too long"}
DROPPED = (ast.USub, ast.Not)  # signs that are taken away


def changed_number(value):
    """Return another number: a truth value negated, a count one more, a factor ten percent up."""
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else value * 1.1 or 0.1


def places(tree):
    """Yield nodes that can change and what changes: no annotations, messages or docstrings."""
    skipped = set()
    for node in ast.walk(tree):
        away = [node] if isinstance(node, ast.Raise) else []
        if isinstance(node, ast.FunctionDef):
            away += [node.returns, *node.decorator_list]
        away += [getattr(node, "annotation", None)]
        for part in filter(None, away):
            skipped |= {id(each) for each in ast.walk(part)}
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Compare):
            yield from ((node, i) for i, op in enumerate(node.ops) if type(op) in OPERATORS)
        elif isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign):
            if type(node.op) in OPERATORS:
                yield node, None
        elif (isinstance(node, ast.UnaryOp) and isinstance(node.op, DROPPED)) or (
            isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float)
        ):
            yield node, None


def mutant(source, n):
    """Return the n-th change of a source: (line, in words, new source)."""
    tree = ast.parse(source)
    node, i = list(places(tree))[n]
    before = ast.unparse(node)
    if isinstance(node, ast.Compare):
        node.ops[i] = OPERATORS[type(node.ops[i])]()
    elif isinstance(node, ast.Constant):
        node.value = changed_number(node.value)
    elif isinstance(node, ast.UnaryOp):
        node.op = ast.UAdd() if isinstance(node.op, ast.USub) else node.op
        if isinstance(node.op, ast.Not):
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
    else:
        node.op = OPERATORS[type(node.op)]()
    text = ast.unparse(ast.fix_missing_locations(tree))
    return node.lineno, f"{before}  ->  {ast.unparse(node)}", text


def draw(source, most):
    """Return the numbers of the changes to try, at most so many, and how many there are."""
    n = sum(1 for _ in places(ast.parse(source)))
    return sorted(random.Random(0).sample(range(n), min(most or n, n))), n


def passes(tree, tests, limit):
    """Return whether the tests pass in a copy of the tree: True, False or "too long"."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider"]
    command += ["--hypothesis-profile", "mutation", *tests]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return "too long"
    return done.returncode == 0


def run(module, tests, log, most, limit):
    """Try the changes of a module that the log does not have yet, and print what survived."""
    path = ROOT / module
    source = path.read_text(encoding="utf-8")
    chosen, n_changes = draw(source, most)
    known = {}
    if log.exists():
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        known = {(e["module"], e["change"], e["line"]): e["outcome"] for e in lines}
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for part in PARTS:
            copied = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            options = {"symlinks": True} if (ROOT / part).is_dir() else {}
            copied(ROOT / part, tree / part, **options)
        begin = time.monotonic()
        if passes(tree, tests, None) is not True:
            raise SystemExit(f"{tests}: must pass before anything is changed.")
        limit = limit or 3 * (time.monotonic() - begin) + 10
        found: dict[str, list[tuple[int, str]]] = {outcome: [] for outcome in OUTCOMES.values()}
        for number in chosen:
            line, change, text = mutant(source, number)
            name = f"{number}: {change}"
            if (module, name, line) not in known:
                (tree / module).write_text(text, encoding="utf-8")
                outcome = OUTCOMES[passes(tree, tests, limit)]
                known[module, name, line] = outcome
                entry = {"module": module, "line": line, "change": name, "outcome": outcome}
                with log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(entry) + "\n")
            found[known[module, name, line]].append((line, name))
    counts = ", ".join(f"{len(which)} {outcome}" for outcome, which in found.items())
    print(f"{module}: {len(chosen)} of {n_changes} changes tried: {counts}")
    for outcome in ("survived", "too long"):
        for line, name in found[outcome]:
            print(f"  {outcome}: line {line}, change {name}")


def main():
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("module", help="from the top of the tree: align/learners/theory/pac.py")
    parser.add_argument("tests", nargs="+", help="files or folders of tests")
    parser.add_argument("-k", dest="keyword", help="of these tests some only, as pytest has it")
    parser.add_argument("--log", type=Path, default=Path("mutation.jsonl"))
    parser.add_argument("--most", type=int, help="try so many, drawn with seed 0")
    parser.add_argument("--limit", type=float, help="seconds per change; 3 times the tests' own")
    given = parser.parse_args()
    tests = given.tests + (["-k", given.keyword] if given.keyword else [])
    run(given.module, tests, given.log, given.most, given.limit)


if __name__ == "__main__":
    main()
