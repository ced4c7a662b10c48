"""The program in two processes under mpirun: the same numbers, one writer, one end.

Usage: processes_test.py KURBEL SOURCE MPIRUN...     (mpirun with its options, to which a number of processes is added)
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

KURBEL, SOURCE, MPIRUN = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
INPUT = str(SOURCE / "inputs/cranks/flexible_crank_small.toml")
PETSC = ["--set", 'bodies.crank.solver="petsc"']
NONSENSE = {**os.environ, "PETSC_OPTIONS": "-kurbel_pc_type nonsense"}


def run(n, *args, **keys):
    """n = 0: without mpirun."""
    command = ([*MPIRUN, str(n)] if n else []) + [KURBEL, *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **keys)


class Processes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def numbers(self, n, command, *args):
        out = self.folder / f"{command}_{len(list(self.folder.iterdir()))}"
        done = run(n, command, INPUT, "-o", str(out), "--json", str(out) + ".json", "--threads", "1", *args)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(Path(str(out) + ".json").read_text()), done.stdout, out

    def test_gradient_is_that_of_one_process(self):
        direct, _, _ = self.numbers(0, "gradient")
        two, _, _ = self.numbers(2, "gradient", *PETSC)
        again, _, _ = self.numbers(2, "gradient", *PETSC)
        for key, tolerance in ("psi", 1e-8), ("gradient_norm", 1e-7), ("gradient_max", 1e-7):
            self.assertLess(abs(two[key] - direct[key]), tolerance * abs(direct[key]), key)
            self.assertEqual(two[key], again[key], f"{key}: other bits in another run")
        self.assertLess(two["invariance_defect"], 1e-7)

    def test_one_process_writes(self):
        two, text, out = self.numbers(2, "optimize", *PETSC, "--set", "optimizer.stop.iterations=3")
        one, _, alone = self.numbers(0, "optimize", *PETSC, "--set", "optimizer.stop.iterations=3")
        self.assertEqual(sorted(f.name for f in out.rglob("*")), sorted(f.name for f in alone.rglob("*")))
        for line in "psi = ", "results are in", "3 iterations and 4 evaluations in all":
            self.assertEqual(text.count(line), 1, text)
        self.assertLess(abs(two["psi"] - one["psi"]), 1e-7 * one["psi"])

    def test_bad_input_is_told_once(self):
        done = run(2, "gradient", INPUT, "-o", str(self.folder / "out"), "--set", "integrator.step=-1")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("error: --set integrator.step=-1"), 1, done.stderr)

    def test_failure_of_one_ends_all(self):
        done = run(2, "gradient", INPUT, *PETSC, "-o", str(self.folder / "out"), env=NONSENSE)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("of 2: PETSc: PCSetType", done.stderr)

    def test_unknown_options_of_petsc_are_bad_input(self):
        done = run(0, "gradient", INPUT, *PETSC, "-o", str(self.folder / "out"), env=NONSENSE)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("the environment variable PETSC_OPTIONS asks for it", done.stderr)
        self.assertNotIn("internal error", done.stderr)

    def test_idle_processes_are_named(self):
        _, text, out = self.numbers(2, "gradient")
        self.assertIn("2 processes were started, and one works", (out / "run.log").read_text())

    def test_interrupt_finishes_the_run_in_all_processes(self):
        out = self.folder / "interrupted"
        process = subprocess.Popen(
            [*MPIRUN, "2", KURBEL, "optimize", INPUT, *PETSC, "-o", str(out), "--threads", "1"],
            stdout=(self.folder / "log").open("w"), stderr=subprocess.STDOUT)
        self.addCleanup(process.kill)
        for _ in range(600):  # until an iteration is on disk
            if (out / "history.csv").exists() and len((out / "history.csv").read_text().splitlines()) > 2:
                break
            time.sleep(0.2)
        else:
            self.fail("no iteration within 120 s: " + (self.folder / "log").read_text())
        own = [int(p) for p in os.listdir("/proc") if p.isdigit() and is_process_of(p, str(out))]
        self.assertEqual(len(own), 2)
        for pid in own:
            os.kill(pid, signal.SIGINT)
        self.assertEqual(process.wait(timeout=120), 0, (self.folder / "log").read_text())
        self.assertIn("interrupted", (out / ".kurbel-run").read_text())
        self.assertFalse([p for p in own if Path(f"/proc/{p}").exists()])


def is_process_of(pid, folder):
    """A process of the program that has this folder among its arguments."""
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return arguments[0] == KURBEL.encode() and folder.encode() in arguments


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
