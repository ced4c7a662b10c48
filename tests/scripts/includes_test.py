"""The rules of docs/architecture.md on who includes whom.

Usage: includes_test.py SOURCE_FOLDER
"""

import functools
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv[1])

# Folders that know neither the writers nor the commands, and no header of a library for files.
WITHOUT_FILES = ["src/results", "src/integration", "src/sensitivity", "src/mechanism", "src/elements", "src/floating_frame",
                 "src/joint_coordinates", "src/natural_coordinates", "src/formulation", "src/evaluation", "src/study", "src/analysis", "fem",
                 "optimizers"]
FILES = re.compile(r'"(output|app)/|"base/(hdf5_|file_header)|"keys/toml_(parser|sources)|<(vtk|hdf5|H5|toml|gmsh)')

# Folders that include nothing but these.
INCLUDES_ONLY = {
    "src/results": {"base", "sid", "results"},
    "src/keys": {"base", "keys"},
    "src/parts": {"base", "fem", "parts"},
    "src/robots": {"base", "sid", "robots"},
    "src/input": {"base", "sid", "sid_text", "results", "input"},
    "src/shape": {"base", "fem", "parts", "results", "shape"},
    "src/report": {"base", "fem", "results", "report"},
    "src/sid": {"base", "sid"},
    "src/sid_text": {"base", "sid", "sid_text"},
    "src/drawing": {"base", "results", "drawing"},
    "src/output": {"base", "sid", "results", "output"},
    "fem": {"base", "sid", "fem"},
    "optimizers": {"base", "optimizers"},
}

# Folders that serve other programs: nothing but these includes them.
INCLUDED_ONLY_BY = {"sid_text": {"src/sid_text", "src/input", "src/app"}}


def sources(folder):
    return sorted(file for file in (SOURCE / folder).iterdir() if file.suffix in (".hpp", ".cpp"))


@functools.cache
def includes(file):
    """What a file includes, with its quotes or brackets."""
    return re.findall(r'^\s*#\s*include\s*("[^"]+"|<[^>]+>)', file.read_text(), re.MULTILINE)


def project_header(include, file):
    """The path of a header of the project, otherwise None."""
    for root in (SOURCE / "src", SOURCE, file.parent):
        header = root / include[1:-1]
        if include[0] == '"' and header.exists():
            return header
    return None


@functools.cache
def way_to_files(file):
    """The chain of includes from a file to one that FILES names, or None."""
    for include in includes(file):
        if FILES.match(include):
            return [include]
        header = project_header(include, file)
        way = way_to_files(header) if header else None
        if way:
            return [include] + way
    return None


class Includes(unittest.TestCase):
    def test_the_mechanics_and_the_study_know_no_files(self):
        for folder in WITHOUT_FILES:
            files = sources(folder)
            self.assertTrue(files, f"{folder} has no sources: has it moved?")
            for file in files:
                way = way_to_files(file)
                with self.subTest(file=str(file.relative_to(SOURCE))):
                    self.assertIsNone(way, f"includes {' -> '.join(way or [])}: results are data of src/results, and "
                                           "src/output writes them")

    def test_folders_include_only_what_is_below_them(self):
        for folder, allowed in INCLUDES_ONLY.items():
            for file in sources(folder):
                folders = {include[1:].split("/")[0] for include in includes(file) if include[0] == '"' and "/" in include}
                with self.subTest(file=str(file.relative_to(SOURCE))):
                    self.assertLessEqual(folders, allowed)

    def test_folders_that_serve_other_programs_stand_apart(self):
        all_folders = [f"src/{folder.name}" for folder in (SOURCE / "src").iterdir() if folder.is_dir()] + ["fem", "optimizers"]
        for apart, allowed in INCLUDED_ONLY_BY.items():
            self.assertTrue(sources(f"src/{apart}"), f"src/{apart} has no sources: has it moved?")
            for folder in set(all_folders) - allowed:
                for file in sources(folder):
                    with self.subTest(file=str(file.relative_to(SOURCE))):
                        self.assertFalse([i for i in includes(file) if i.startswith(f'"{apart}/')])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
