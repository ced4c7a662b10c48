"""Writes the page of the Python module: its classes with signatures and docstrings, as the stub has them.

Usage: python_reference.py STUB PAGE. Docstrings are Markdown. Names that begin with an underscore are left out, but for the constructor.
"""

import ast
import sys
from pathlib import Path

INTRODUCTION = "[Examples](python.md) show how to use it. In Python, `help(kurbel.Problem)` shows the same text."


def is_public(name):
    return not name.startswith("_")


def is_property(node):
    return isinstance(node, ast.FunctionDef) and any(ast.unparse(d) == "property" for d in node.decorator_list)


def code(text):
    return ["```python", text, "```", ""]


def arguments(function):
    """The arguments of a method as the stub has them, without self."""

    def text(argument, default):
        return f"{argument.arg}: {ast.unparse(argument.annotation)}" + (f" = {ast.unparse(default)}" if default else "")

    given = function.args
    defaults = [None] * (len(given.args) - len(given.defaults)) + given.defaults
    positional = [text(*pair) for pair in list(zip(given.args, defaults))[1:]]
    named = [text(*pair) for pair in zip(given.kwonlyargs, given.kw_defaults)]
    star = [f"*{ast.unparse(given.vararg)}"] if given.vararg else ["*"] * bool(named)
    return positional + star + named


def signature(name, function, result):
    of_call = arguments(function)
    line = f"{name}({', '.join(of_call)}){result}"
    return line if len(line) <= 80 else "\n".join([f"{name}(", *(f"    {part}," for part in of_call), f"){result}"])


def members(node):
    """The parts of a class: its constructor, its attributes or keys, its methods, overloads as one."""
    functions = {}
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and not is_property(part):
            functions.setdefault(part.name, []).append(part)
    attributes = [f"* `{p.name}: {ast.unparse(p.returns)}`: {ast.get_docstring(p)}" for p in node.body if is_property(p)]
    keys = [f"* `{ast.unparse(p)}`" for p in node.body if isinstance(p, ast.AnnAssign)]
    lines = []
    for constructor in functions.pop("__init__", []):
        lines += code(signature(f"kurbel.{node.name}", constructor, "")) + [ast.get_docstring(constructor), ""]
    lines += [*attributes, *keys, ""]
    for name in filter(is_public, functions):
        calls = [signature(name, call, f" -> {ast.unparse(call.returns)}") for call in functions[name]]
        lines += [f"### {name}", "", *code("\n".join(calls))]
        for text in filter(None, map(ast.get_docstring, functions[name])):
            lines += [text, ""]
    return lines


def page(stub):
    module = ast.parse(stub)
    lines = ["# Python module", "", ast.get_docstring(module), "", INTRODUCTION, ""]
    for node in module.body:
        if isinstance(node, ast.AnnAssign):
            lines += [f"`{node.target.id}: {ast.unparse(node.annotation)}` is the version of kurbel.", ""]
        if isinstance(node, ast.ClassDef) and is_public(node.name):
            bases = ", ".join(f"`{ast.unparse(base)}`" for base in node.bases)
            lines += [f"## {node.name}", "", f"A {bases}. " * bool(bases) + ast.get_docstring(node), "", *members(node)]
    return "\n".join(lines)


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(page(Path(sys.argv[1]).read_text()))
