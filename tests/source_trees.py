"""The modules of the package, each read and parsed once for all rules that are asked of them."""

import ast
import os
from functools import cache
from pathlib import Path

__all__ = ["FILES", "ROOT", "nodes", "own_names", "tree"]

ROOT = Path(__file__).resolve().parents[1]


def _source_files() -> dict[str, Path]:
    found = {}
    for top in ("align", "features", "decoders"):
        for folder, inner, names in os.walk(ROOT / top):  # does not follow the two links
            inner[:] = [name for name in inner if name != "__pycache__"]
            for name in names:
                if name.endswith(".py"):
                    path = Path(folder) / name
                    parts = list(path.relative_to(ROOT).with_suffix("").parts)
                    parts = parts if parts[0] == "align" else ["align", *parts]
                    found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return dict(sorted(found.items()))


FILES = _source_files()
"""The file of each module."""


@cache
def tree(module: str) -> ast.Module:
    """Return the tree of a module; of a package, its stub belongs to it."""
    found = ast.parse(FILES[module].read_bytes())
    stub = FILES[module].with_suffix(".pyi")
    if stub.exists():
        for node in ast.parse(stub.read_bytes()).body:
            if isinstance(node, ast.ImportFrom):
                inner = f".{node.module}" if node.module else ""
                node.module, node.level = module + inner, node.level - 1
            found.body.append(node)
    return found


@cache
def nodes(module: str) -> list[ast.AST]:
    """Return every node of a module, outer ones first."""
    return list(ast.walk(tree(module)))


def own_names(module: str) -> list[str]:
    """Return what a module defines without an underscore in front."""
    found = []
    for node in ast.parse(FILES[module].read_bytes()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.append(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            inside = [part for target in targets for part in ast.walk(target)]
            found += [part.id for part in inside if isinstance(part, ast.Name)]
    return [name for name in found if not name.startswith("_")]
