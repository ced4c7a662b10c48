"""The Python module: the same numbers as the program, in the hands of SciPy, and errors that are Python's.

Usage: problem_test.py KURBEL SOURCE_FOLDER          needs python3-numpy, python3-scipy
"""

import _thread
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np
from scipy.optimize import Bounds, minimize

import kurbel

PROGRAM = sys.argv[1]
SOURCE = pathlib.Path(sys.argv[2]).resolve()
INPUTS = SOURCE / "inputs"

SMALL = {
    "bodies.crank.mesh.divisions": [20, 4],
    "bodies.crank.regions.bearing.x": [0.18, 0.2],
    "integrator.step": 2e-3,
    "optimizer.stop.iterations": 6,
    "projection.beta_max": 2,
    "projection.beta_interval": 3,
}


def small_crank(**more):
    return kurbel.Problem(INPUTS / "flexible_crank_small.toml", overrides={**SMALL, **more})


class ProblemTest(unittest.TestCase):
    def test_is_described(self):
        p = small_crank()
        n = 20 * 4 - 2 * 4
        for array in (p.x0, p.lower, p.upper):
            self.assertEqual(array.shape, (n,))
        self.assertEqual((len(p.names), len(p.units)), (n, n))
        self.assertEqual(p.names[0], "crank 0")
        self.assertEqual(p.functions, ["objective", "volume_fraction"])
        self.assertEqual(p.n_equalities, 0)
        self.assertIn("crank", p.title)

    def test_gives_the_programs_numbers_to_the_bit(self):
        p = small_crank()
        f = p.evaluate(p.x0, gradient=False)
        both, gradients = p.evaluate(p.x0)
        np.testing.assert_array_equal(f, both)
        self.assertEqual(gradients.shape, (2, len(p.x0)))
        with tempfile.TemporaryDirectory() as folder:
            numbers = pathlib.Path(folder) / "run.json"
            settings = [f"--set={key}={json.dumps(value)}" for key, value in SMALL.items()]
            subprocess.run([PROGRAM, "optimize", INPUTS / "flexible_crank_small.toml", *settings,
                            "--set=optimizer.stop.iterations=0", "--set=output.motion=false", "--quiet", "--output",
                            pathlib.Path(folder) / "run", "--json", numbers], check=True)
            self.assertEqual(f[0], json.loads(numbers.read_text())["psi_start"])

    def test_has_exact_gradients(self):
        p = small_crank()
        x = p.x0 * np.linspace(0.8, 1.2, len(p.x0))
        _, gradients = p.evaluate(x)
        h = 1e-3
        for gradient in gradients:
            direction = gradient / np.linalg.norm(gradient)
            difference = (p.evaluate(x + h * direction, gradient=False) - p.evaluate(x - h * direction, gradient=False)) / (2 * h)
            np.testing.assert_allclose(gradients @ direction, difference, rtol=1e-4)

    def test_simulates_by_name_with_units(self):
        p = small_crank()
        motion = p.simulate(p.x0)
        t = motion["t"]["values"]
        self.assertEqual(motion["t"]["unit"], "s")
        kinetic = motion["energy.kinetic"]
        self.assertEqual(kinetic["unit"], "J")
        self.assertEqual(kinetic["values"].shape, t.shape)

    def test_has_fields_for_plots(self):
        p = small_crank()
        crank = p.fields(p.x0)["crank"]
        self.assertEqual(crank["points"].shape, (21 * 5, 3))
        self.assertEqual(crank["cells"][0].shape, (80, 4))
        self.assertEqual(crank["density"].shape, (80,))
        self.assertAlmostEqual(crank["volume"].sum(), 0.2 * 0.04 * 0.01)

    def test_optimizes_and_asks_whether_to_go_on(self):
        p = small_crank()
        seen, told = [], []
        result = p.optimize(callback=lambda at: seen.append(at.objective), log=told.append)
        self.assertLess(result.objective, seen[0])
        self.assertTrue(result.feasible)
        self.assertIn(result.status, ("limit", "converged"))
        self.assertTrue(told)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(result)).x, result.x)
        stopped = small_crank().optimize(callback=lambda at: at.iteration < 1)
        self.assertEqual(stopped.status, "interrupted")
        self.assertLessEqual(stopped.iterations, 2)

    def test_ctrl_c_ends_it_and_leaves_it_usable(self):
        p = small_crank(**{"optimizer.stop.iterations": 400, "projection.beta_max": 128})
        timer = threading.Timer(0.5, _thread.interrupt_main)  # while C++ works: no line of Python runs then
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            p.optimize()
        timer.join()
        self.assertTrue(np.isfinite(p.evaluate(p.x0)[0]).all())

    def test_an_exception_of_a_callback_comes_out(self):
        def fail(at):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            small_crank().optimize(callback=fail)

    def test_scipy_minimizes_an_objective_of_ones_own(self):
        """Forces that bring the mass to where it is to rest: the squares of the equations that the problem has for that."""
        p = kurbel.Problem(INPUTS / "spring_pendulum.toml")
        n = p.n_equalities
        self.assertEqual(p.functions[1:4], ["arrival.x", "arrival.y", "arrival.z"])

        def misses(x):
            f, g = p.evaluate(x)
            return f[1:1 + n] @ f[1:1 + n], 2 * f[1:1 + n] @ g[1:1 + n]

        result = minimize(misses, p.x0, jac=True, method="L-BFGS-B", bounds=Bounds(p.lower, p.upper), options={"maxiter": 60})
        self.assertLess(result.fun, 1e-4 * misses(p.x0)[0])

    def test_scipy_keeps_a_constraint(self):
        p = small_crank()
        f0 = p.evaluate(p.x0)[0][0]
        result = minimize(lambda x: p.evaluate(x)[0][0] / f0, p.x0, jac=lambda x: p.evaluate(x)[1][0] / f0, method="SLSQP",
                          bounds=Bounds(p.lower, p.upper), options={"maxiter": 20},
                          constraints=[{"type": "ineq", "fun": lambda x: -p.evaluate(x, gradient=False)[1:],
                                        "jac": lambda x: -p.evaluate(x)[1][1:]}])
        self.assertLess(result.fun, 1.0)
        self.assertLess(p.evaluate(result.x, gradient=False)[1], 1e-5)

    def test_threads_have_problems_of_their_own(self):
        expected = small_crank()
        values = {}

        def work(name):
            p = small_crank()
            for _ in range(20):
                values[name] = p.evaluate(p.x0)[1]

        threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for name in "ab":
            np.testing.assert_array_equal(values[name], expected.evaluate(expected.x0)[1])


class WrongUseTest(unittest.TestCase):
    def test_of_files_and_keys(self):
        with self.assertRaisesRegex(kurbel.InputError, "nothing.toml"):
            kurbel.Problem("nothing.toml")
        with self.assertRaisesRegex(kurbel.InputError, "did you mean"):
            kurbel.Problem(INPUTS / "flexible_crank_small.toml", {"integrator.stepp": 1e-3})
        with self.assertRaises(TypeError):
            kurbel.Problem(INPUTS / "flexible_crank_small.toml", {"integrator.step": object()})
        self.assertTrue(issubclass(kurbel.InputError, ValueError))
        self.assertTrue(issubclass(kurbel.SimulationError, RuntimeError))

    def test_of_designs(self):
        p = small_crank()
        for wrong in (p.x0[:-1], np.full(len(p.x0), np.nan), []):
            with self.assertRaises(kurbel.InputError):
                p.evaluate(wrong)
        with self.assertRaises(TypeError):
            p.evaluate("x")
        self.assertTrue(np.isfinite(p.evaluate(p.x0)[0]).all())


class PageTest(unittest.TestCase):
    def test_its_examples_run(self):
        folder = os.getcwd()
        os.chdir(SOURCE)
        try:
            scope = {}
            blocks = re.findall(r"```python\n(.*?)```", (SOURCE / "docs" / "python.md").read_text(), re.DOTALL)
            self.assertGreaterEqual(len(blocks), 4)
            for block in blocks:
                exec(block, scope)
        finally:
            os.chdir(folder)
        self.assertEqual(scope["p"].functions, ["objective", "volume_fraction"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
