"""Writes the docstrings of the stub as constants of C++, so that help() in Python and an editor say the same.

Usage: docstrings.py STUB HEADER. Problem.evaluate() becomes docstrings::Problem_evaluate, Problem itself docstrings::Problem.
"""

import ast
import sys
from pathlib import Path


def documented(tree, prefix=""):
    """Names and docstrings of what a module or class defines."""
    for node in tree.body:
        if not isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            continue
        name = prefix + node.name.strip("_")
        if text := ast.get_docstring(node):
            yield name, text
        if isinstance(node, ast.ClassDef):
            yield from documented(node, name + "_")


def main(stub, header):
    module = ast.parse(stub.read_text())
    lines = ["// Made by docstrings.py from kurbel.pyi.", "#pragma once", "", "namespace kurbel::python::docstrings {", ""]
    for name, text in [("module", ast.get_docstring(module)), *documented(module)]:
        lines.append(f'inline constexpr char {name}[] = R"doc({text})doc";')
    header.write_text("\n".join(lines + ["", "}  // namespace kurbel::python::docstrings", ""]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
