"""The module under the address, leak and undefined-behaviour sanitizers: evaluations in two threads, and wrong use.

Usage: sanitized_test.py SOURCE_FOLDER          needs python3-numpy, and a module that is built with the sanitizers

Each case is an interpreter of its own. It takes its memory from malloc, so that the leak sanitizer sees what Python refers to. Python
loses a few kilobytes of its own.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import unittest

import numpy as np

import kurbel

SOURCE = pathlib.Path(sys.argv[1]).resolve()
CRANK = SOURCE / "inputs/cranks/flexible_crank_small.toml"
SMALL = {
    "bodies.crank.mesh.divisions": [20, 4],
    "bodies.crank.regions.bearing.x": [0.18, 0.2],
    "integrator.step": 0.02,
    "optimizer.stop.iterations": 2,
    "outputs.tip": {"type": "displacement", "marker": "crank.pin"},
}


def evaluate_in_two_threads(count):
    """Each thread with a problem of its own and one that they share, with every other method and with failures now and then."""
    def work(shared):
        with kurbel.Problem(CRANK, SMALL) as p, kurbel.Problem(CRANK, {**SMALL, "integrator.step": 0.05}) as failing:
            seed = {"tip.y": np.ones(len(p.simulate(p.x0)["t"]["values"]))}
            for number in range(count):
                p.evaluate(p.x0)
                if number % 25 == 0:
                    shared.evaluate(p.x0)
                    p.vjp(p.x0, seed), p.sids(p.x0), p.fields(p.x0), p.evaluate(p.x0, gradient=False), p.names, p.functions
                    for error, use in ((kurbel.InputError, lambda: p.evaluate(p.x0[1:])), (kurbel.SimulationError, lambda: failing.evaluate(p.x0)),
                                       (KeyError, lambda: p.optimize(callback=lambda at: {}["mine"]))):
                        try:
                            use()
                        except error:
                            continue
                        raise SystemExit("that went well")
            p.optimize(callback=lambda at: at.iteration < 1, log=lambda text: None)

    with kurbel.Problem(CRANK, SMALL) as shared, concurrent.futures.ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(work, shared) for _ in range(2)]:
            done.result()


class SanitizedTest(unittest.TestCase):
    def lost_bytes(self, *arguments):
        """Of a run that the sanitizers find nothing else in, and no leak from a function of the module."""
        environment = {**os.environ, "PYTHONMALLOC": "malloc", "PYTHONHASHSEED": "0", "ASAN_OPTIONS": "detect_leaks=1", "KURBEL_THREADS": "1",
                       "LSAN_OPTIONS": "exitcode=0:print_suppressions=0"}
        ended = subprocess.run([sys.executable, "-W", "ignore", *map(str, arguments)], capture_output=True, text=True, env=environment)
        self.assertEqual(ended.returncode, 0, ended.stdout[-2000:] + ended.stderr[-8000:])
        leaks = [leak for leak in ended.stderr.split("\n\n") if "leak of" in leak]
        own = [leak for leak in leaks if "/kurbel.cpython" in leak]
        self.assertFalse(own, "\n\n".join(own[:3]))
        return sum(int(re.search(r"leak of (\d+) byte", leak)[1]) for leak in leaks)

    def test_evaluations_in_two_threads_do_not_leak(self):
        """Ten in each or a hundred: what Python loses, such as an object that the module does not let go, does not grow."""
        self.assertEqual(self.lost_bytes(__file__, SOURCE, "--evaluate", 100), self.lost_bytes(__file__, SOURCE, "--evaluate", 10))

    def test_wrong_use(self):
        self.lost_bytes(pathlib.Path(__file__).parent / "wrong_use_test.py", SOURCE, "--fuzz", 7, 100)


if __name__ == "__main__":
    if "--evaluate" in sys.argv:
        evaluate_in_two_threads(int(sys.argv[-1]))
    else:
        unittest.main(argv=sys.argv[:1])
