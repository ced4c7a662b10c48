"""Runs what the pages tell a reader to run, and follows their links.

Usage: pages_test.py KURBEL SOURCE.

Commands are the fenced blocks `bash` of a page, input files its blocks `toml` whose first line is a comment with a file name; with
", added" behind the name the block is appended to that file. A page is followed from top to bottom in one folder, which has
the shipped inputs. Optimizations stop after three iterations, but for those whose shape is asked for.
"""

import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import unittest
from pathlib import Path

KURBEL = Path(sys.argv.pop(1)).resolve()
SOURCE = Path(sys.argv.pop(1)).resolve()
DOCS = SOURCE / "docs"
FOLLOWED = [SOURCE / "README.md", *sorted((DOCS / "howto").glob("*.md")), *(DOCS / f"{n}.md" for n in ["install", "tutorial", "results", "commands"])]
PAGES = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", SOURCE / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# ([\w.]+\.toml)(, added)?\n")
LINK = re.compile(r"`[^`\n]*`(?!\])|\]\(([^)\s]+)\)")

WHOLE = f"""#!/bin/sh
exec {KURBEL} "$@"
"""
SHORT = f"""#!/bin/sh
case "$1" in
  optimize) exec {KURBEL} "$@" --set optimizer.stop.iterations=3 --quiet ;;
  study*) exec {KURBEL} "$@" --jobs 2 ;;
  *) exec {KURBEL} "$@" ;;
esac
"""


def blocks(page):
    return BLOCK.findall(page.read_text())


def make_executable(file, text):
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    file.chmod(0o755)


class Workplace:
    """A folder as a reader has it who follows one page."""

    def __init__(self, folder, whole):
        self.folder = Path(folder)
        shutil.copytree(SOURCE / "inputs", self.folder / "inputs")
        make_executable(self.folder / "build/kurbel", WHOLE if whole else SHORT)
        make_executable(self.folder / "scripts/run.sh", '#!/bin/sh\nexec kurbel optimize "$@"\n')
        if whole:
            return
        crank = self.folder / "inputs/flexible_crank.toml"  # studies take no --set
        crank.write_text(crank.read_text().replace("[output]\n", "[optimizer]\nstop.iterations = 3\n\n[output]\n"))

    def write(self, text):
        name, added = FILE.match(text).groups()
        with open(self.folder / name, "a" if added else "w") as file:
            file.write(text + "\n")

    def run(self, commands):
        path = f"{self.folder / 'build'}:{os.environ['PATH']}"
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", commands], cwd=self.folder, env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )


class Pages(unittest.TestCase):
    def follow(self, page):
        """Runs all commands of a page; returns the files that it wrote, as trees."""
        with tempfile.TemporaryDirectory() as folder:
            place = Workplace(folder, whole=any("kurbel verify" in text for _, text in blocks(page)))
            for language, text in blocks(page):
                if language == "toml" and FILE.match(text):
                    place.write(text)
                if language == "bash":
                    began = time.monotonic()
                    result = place.run(text)
                    print(f"{page.name}: {time.monotonic() - began:.1f} s")
                    self.assertEqual(result.returncode, 0, f"{page}:\n{text}\n{result.stdout}")
            return {file.name: tomllib.loads(file.read_text()) for file in place.folder.glob("*.toml")}

    def test_commands_and_inputs_work(self):
        for page in FOLLOWED:
            with self.subTest(page.relative_to(SOURCE).as_posix()):
                self.follow(page)

    def test_pages_have_commands_and_inputs(self):
        kinds = [language for page in FOLLOWED for language, _ in blocks(page)]
        self.assertGreaterEqual(kinds.count("bash"), 20)
        self.assertGreaterEqual(kinds.count("toml"), 13)

    def test_code_in_cpp_is_that_of_the_examples(self):
        def words(text):
            return " ".join(text.split())

        examples = [words(file.read_text()) for file in (SOURCE / "examples/cpp").iterdir()]
        code = [text for language, text in blocks(DOCS / "cpp.md") if language == "cpp"]
        self.assertGreaterEqual(len(code), 5)
        for text in code:
            self.assertTrue(any(words(text) in example for example in examples), text)

    def test_links_lead_somewhere(self):
        def anchors(page):
            titles = re.findall(r"^#+ (.+)$", BLOCK.sub("", page.read_text()), re.MULTILINE)
            return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}

        for page in PAGES:
            for link in LINK.findall(BLOCK.sub("", page.read_text())):
                path, _, anchor = link.partition("#")
                if not link or re.match(r"[a-z]+:", link):
                    continue
                with self.subTest(page.relative_to(SOURCE).as_posix(), link=link):
                    target = page.parent / path if path else page
                    self.assertTrue(target.exists())
                    if anchor:
                        self.assertIn(anchor, anchors(target))

    def test_readme_is_short(self):
        self.assertLessEqual(len((SOURCE / "README.md").read_text().splitlines()), 150)

    def test_moving_pictures_are_small(self):
        pictures = [file for file in DOCS.rglob("*") if file.suffix in (".gif", ".webp")]
        self.assertTrue(pictures)
        for file in pictures:
            self.assertLess(file.stat().st_size, 2_000_000, file)

    def test_messages_are_those_of_the_program(self):
        """What stands in backticks in the first column of "| message |" and "| warning |" tables of the page on trouble."""
        sources = [*SOURCE.glob("src/**/*.cpp"), *SOURCE.glob("src/**/*.hpp"), *SOURCE.glob("fem/*.cpp"), *SOURCE.glob("optimizers/*.cpp")]
        code = re.sub(r'"\s*\n\s*"', "", "\n".join(file.read_text() for file in sources))
        tables = re.findall(r"^\| (?:message|warning) \|.*?(?=\n\n|\Z)", (DOCS / "troubleshooting.md").read_text(), re.MULTILINE | re.DOTALL)
        self.assertEqual(len(tables), 3)
        for row in "\n".join(tables).splitlines():
            first = row.split("|")[1]
            for part in re.split(r"`|\.\.\.", first) if "`" in first else []:
                if len(part.strip()) > 3:
                    with self.subTest(part):
                        self.assertTrue(part.strip() in code, part)


class Validation(unittest.TestCase):
    """Every published number on the validation page names a test of `ctest -L validation`, and the page names a test of every program with this label."""

    def setUp(self):
        self.page = (DOCS / "validation.md").read_text()
        self.programs = {}
        for lists in (SOURCE / "tests").rglob("CMakeLists.txt"):
            for name, arguments in re.findall(r"^kurbel_test\((\w+)\s([^()]*)\)", lists.read_text(), re.MULTILINE):
                groups = dict(re.findall(r"\b(SOURCES|LIBRARIES|LABELS|ALONE|REAL|LONG)\s+((?:(?!\b(?:SOURCES|LIBRARIES|LABELS|ALONE|REAL|LONG)\b)\S+\s*)+)", arguments))
                if "validation" in groups.get("LABELS", "").split():
                    code = "\n".join((lists.parent / file).read_text() for file in groups["SOURCES"].split())
                    self.programs[name] = [".".join(t) for t in re.findall(r"^TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)", code, re.MULTILINE)]

    def names(self, text):
        return [name.rpartition("/")[2] for name in re.findall(r"`([\w/]+\.[\w*]+)`", text)]

    def test_published_numbers_are_held_by_tests_with_the_label(self):
        table = self.page.split("## Published numbers")[1].split("\n## ")[0]
        rows = [line for line in table.splitlines() if line.startswith("| ") and not line.startswith("| what ")]
        self.assertGreaterEqual(len(rows), 20)
        tests = [test for program in self.programs.values() for test in program]
        for row in rows:
            named = self.names(row.rstrip(" |").rpartition("|")[2])
            with self.subTest(row[:60]):
                self.assertTrue(named, "the row names no test")
                for name in named:
                    self.assertTrue(fnmatch.filter(tests, name), f"{name} is no test with the label")

    def test_programs_with_the_label_are_on_the_page(self):
        self.assertGreaterEqual(len(self.programs), 10)
        for program, tests in self.programs.items():
            with self.subTest(program):
                self.assertTrue(any(fnmatch.filter(tests, name) for name in self.names(self.page)), "none of its tests is named")

    def test_ctest_runs_every_program_with_the_label(self):
        build = KURBEL.parent
        listed = subprocess.run(["ctest", "--test-dir", build, "-N", "-L", "validation"], capture_output=True, text=True, check=True).stdout
        built = [program for program in self.programs if any((build / "tests").glob(f"*/{program}"))]
        self.assertGreaterEqual(len(built), 3)
        for program in built:
            with self.subTest(program):
                self.assertTrue(any(test in listed for test in self.programs[program]), "ctest -L validation runs none of its tests")


@unittest.skipUnless(shutil.which("mkdocs") and shutil.which("doxygen"), "needs mkdocs and doxygen")
class Site(unittest.TestCase):
    def test_is_made_without_a_warning_and_needs_no_network(self):
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([SOURCE / "scripts/docs.sh", folder], capture_output=True, text=True)
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
            self.assertTrue((Path(folder) / "index.html").is_file())
            self.assertIn("Finds objective, constraints and the gradients of all", (Path(folder) / "api/classkurbel_1_1Study.html").read_text())
            self.assertIn("the vector-Jacobian product", (Path(folder) / "python_reference.html").read_text())
            for page in Path(folder).rglob("*.html"):
                loads = re.findall(r'(?:src=|<link[^>]* href=)"(https?:[^"]*)"', page.read_text())
                self.assertEqual(loads, [], page)


if __name__ == "__main__":
    unittest.main()
