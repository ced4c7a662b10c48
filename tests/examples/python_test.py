"""The examples of Python run as they stand, and leave pictures that show something.

Usage: python_test.py KURBEL SOURCE_FOLDER          needs python3-numpy, python3-scipy, python3-matplotlib
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import matplotlib.image

KURBEL = pathlib.Path(sys.argv[1]).resolve()
EXAMPLES = pathlib.Path(sys.argv[2]).resolve() / "examples" / "python"


class ExamplesTest(unittest.TestCase):
    def run_example(self, file):
        text = file.read_text()
        self.assertGreaterEqual(len(re.findall(r"^# %%", text, re.MULTILINE)), 4, "reads as a notebook")
        with tempfile.TemporaryDirectory() as folder:
            for name in re.findall(r"^    kurbel new (\w+)$", text, re.MULTILINE):
                subprocess.run([KURBEL, "new", name], cwd=folder, check=True, capture_output=True)
            ended = subprocess.run([sys.executable, file], cwd=folder, env={**os.environ, "MPLBACKEND": "Agg"},
                                   capture_output=True, text=True)
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
            pictures = re.findall(r'savefig\("([^"]+)"\)', text)
            self.assertTrue(pictures)
            for picture in pictures:
                pixels = matplotlib.image.imread(pathlib.Path(folder) / picture)
                self.assertGreater(pixels[..., :3].std(), 0.02, picture)
        print(ended.stdout)

    def test_they_run(self):
        files = sorted(EXAMPLES.glob("*.py"))
        self.assertEqual([file.stem for file in files], ["built_in_code", "first_steps", "own_objective", "parameter_study"])
        for file in files:
            with self.subTest(file.name):
                self.run_example(file)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
