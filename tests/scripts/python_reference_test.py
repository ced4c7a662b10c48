"""The page of the Python module has every public name of the stub, with its signature and docstring.

Usage: python_reference_test.py SOURCE.
"""

import ast
import re
import sys
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(SOURCE / "scripts/site"))
sys.dont_write_bytecode = True
import python_reference

STUB = (SOURCE / "src/python/kurbel.pyi").read_text()


def definitions(tree):
    """The classes and functions of a module or class, and those within them."""
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield node
        if isinstance(node, ast.ClassDef):
            yield from definitions(node)


class Page(unittest.TestCase):
    def setUp(self):
        self.page = python_reference.page(STUB)
        self.stub = ast.parse(STUB)

    def test_has_every_public_name(self):
        titles = set(re.findall(r"^#+ (\w+)$", self.page, re.MULTILINE))
        items = set(re.findall(r"^\* `(\w+): ", self.page, re.MULTILINE))
        classes = [node for node in self.stub.body if isinstance(node, ast.ClassDef)]
        members = [part for node in classes for part in node.body]
        keys = [part.target.id for part in members if isinstance(part, ast.AnnAssign)]
        names = [node.name for node in definitions(self.stub) if not node.name.startswith("_")] + keys
        self.assertGreater(len(names), 30)
        for name in names:
            with self.subTest(name):
                self.assertIn(name, titles | items)
        self.assertIn("`__version__: str`", self.page)

    def test_has_every_docstring_and_every_definition_has_one(self):
        by_name = {}
        for node in definitions(self.stub):
            by_name.setdefault(node.name, []).append(ast.get_docstring(node))
        for name, texts in by_name.items():
            with self.subTest(name):
                self.assertTrue(any(texts) or name in ("__enter__", "__exit__"))
                for text in filter(None, texts):
                    self.assertIn(text, self.page)

    def test_shows_signatures_as_python_reads_them(self):
        self.assertIn("    density: str = '',\n", self.page)
        self.assertIn("evaluate(x: ArrayLike, gradient: Literal[False]) -> NDArray[float64]\n", self.page)
        for block in re.findall(r"^```python\n(.*?)^```$", self.page, re.MULTILINE | re.DOTALL):
            for call in re.split(r"\n(?=\w)", block):
                with self.subTest(call):
                    ast.parse("def " + call.replace("kurbel.", "").rstrip() + ": ...")

    def test_reads_any_stub(self):
        page = python_reference.page('"""M."""\nclass A(B):\n  """Text."""\n  x: int | None\n  def f(self, a: int = 1, *more: str, b: str) -> None:\n    """F."""')
        self.assertIn("## A\n\nA `B`. Text.\n", page)
        self.assertIn("* `x: int | None`\n", page)
        self.assertIn("### f\n\n```python\nf(a: int = 1, *more: str, b: str) -> None\n```\n\nF.\n", page)


if __name__ == "__main__":
    unittest.main()
