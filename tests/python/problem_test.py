"""The Python module: the same numbers as the program, in the hands of SciPy, and errors that are Python's.

Usage: problem_test.py KURBEL SOURCE_FOLDER [TEST ...]          needs python3-numpy, python3-scipy
"""

import _thread
import ast
import concurrent.futures
import csv
import inspect
import json
import os
import pathlib
import pickle
import re
import resource
import subprocess
import sys
import tempfile
import threading
import tomllib
import unittest

import numpy as np
from scipy.optimize import Bounds, NonlinearConstraint, minimize
from scipy.sparse import csr_matrix, issparse

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
    return kurbel.Problem(INPUTS / "cranks/flexible_crank_small.toml", overrides={**SMALL, **more})


class ProblemTest(unittest.TestCase):
    def test_has_the_names_and_docstrings_of_its_stub(self):
        stub = ast.parse((SOURCE / "src/python/kurbel.pyi").read_text())
        self.assertEqual(kurbel.__doc__, ast.get_docstring(stub))
        classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
        for name in ("Problem", "InputError", "SimulationError"):
            self.assertEqual(getattr(kurbel, name).__doc__, ast.get_docstring(classes[name]))
        members = [node for node in classes["Problem"].body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
        self.assertEqual({node.name for node in members}, {name for name in dir(kurbel.Problem) if not name.startswith("_")})
        for node in members:
            if text := ast.get_docstring(node):
                self.assertIn(text, inspect.cleandoc(getattr(kurbel.Problem, node.name).__doc__))

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
            subprocess.run([PROGRAM, "optimize", INPUTS / "cranks/flexible_crank_small.toml", *settings,
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
        if result.status == "limit":
            self.assertIn("Raise the limit, or begin a new Problem from what save() writes.", result.message)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(result)).x, result.x)
        stopped = small_crank().optimize(callback=lambda at: at.iteration < 1)
        self.assertEqual(stopped.status, "interrupted")
        self.assertEqual(stopped.message, "interrupted: begin a new Problem from what save() writes.")
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
        p = kurbel.Problem(INPUTS / "papers/spring_pendulum.toml")
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

    def test_scipy_solves_a_reduced_design_of_twenty_variables(self):
        """Densities that are the same in each column of elements, x = B z, by trust-constr with a sparse Jacobian and by SLSQP."""
        p = small_crank()
        crank = p.fields(p.x0)["crank"]
        centres = crank["points"][crank["cells"][0]].mean(axis=1)[:, 0]
        of_variable = np.array([int(name.split()[1]) for name in p.names])  # "crank 17"
        column = np.floor(centres[of_variable] / 0.01 + 1e-9).astype(int)
        columns = np.unique(column)
        B = (column[:, None] == columns[None, :]).astype(float)
        self.assertLessEqual(B.shape[1], 20)
        f0 = p.evaluate(p.x0, gradient=False)[0]

        def scaled(z):
            f, g = p.evaluate(B @ z)
            return f[0] / f0, g[0] @ B / f0

        def volume_jacobian(z):
            return p.evaluate(B @ z, sparse=True)[1][1] @ csr_matrix(B)

        def volume(z):
            return p.evaluate(B @ z, gradient=False)[1:]

        z0, bounds = np.full(B.shape[1], 0.5), Bounds(0.0, 1.0)
        by_trust = minimize(scaled, z0, jac=True, method="trust-constr", bounds=bounds, options={"maxiter": 60},
                            constraints=[NonlinearConstraint(volume, -np.inf, 0.0, jac=volume_jacobian)])
        by_slsqp = minimize(scaled, z0, jac=True, method="SLSQP", bounds=bounds, options={"maxiter": 60, "ftol": 1e-10},
                            constraints=[{"type": "ineq", "fun": lambda z: -volume(z), "jac": lambda z: -volume_jacobian(z).toarray()}])
        for found in (by_trust, by_slsqp):
            self.assertLess(found.fun, 0.95)
            self.assertLess(volume(found.x)[0], 1e-3)
        self.assertLess(abs(by_trust.fun - by_slsqp.fun), 0.02 * by_slsqp.fun)

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


def slopes(p, x, h, outputs):
    """Of a random sum of outputs over time: by vjp() along its gradient, and by a difference of fourth order."""
    random = np.random.default_rng(1)
    weights = {name: random.uniform(0.5, 1.0, len(p.simulate(x)["t"]["values"])) for name in outputs}
    scales = {name: np.abs(p.simulate(x)[name]["values"]).max() or 1.0 for name in outputs}
    seeds = {name: w / scales[name] for name, w in weights.items()}
    gradient = p.vjp(x, seeds)
    direction = gradient / np.linalg.norm(gradient)

    def value(step):
        motion = p.simulate(x + step * direction)
        return sum(seed @ motion[name]["values"] for name, seed in seeds.items())

    return gradient @ direction, (8 * (value(h) - value(-h)) - (value(2 * h) - value(-2 * h))) / (12 * h)


def resident_megabytes():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


class MemoryTest(unittest.TestCase):
    def test_evaluations_in_two_threads_do_not_leak(self):
        """A hundred each. Arenas of the allocator, one for each thread, grow by some megabytes; a motion that is kept has one."""
        problems = [small_crank(**{"outputs.tip": {"type": "displacement", "marker": "crank.pin"}}) for _ in range(2)]

        def work(p, n):
            seed = {"tip.y": np.ones(len(p.simulate(p.x0)["t"]["values"]))}
            for _ in range(n):
                p.evaluate(p.x0)
            for _ in range(n // 5):
                p.vjp(p.x0, seed), p.sids(p.x0), p.fields(p.x0)

        def run(n):
            threads = [threading.Thread(target=work, args=(p, n)) for p in problems]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return resident_megabytes()

        before = run(20)
        self.assertLess(run(100) - before, 10.0)

    def test_closed_problems_give_their_memory_back(self):
        def use(n):
            for _ in range(n):
                with small_crank() as p:
                    p.evaluate(p.x0)
            return resident_megabytes()

        before = use(20)
        self.assertLess(use(30) - before, 2.0)


class VjpTest(unittest.TestCase):
    """The gradient of a function of the outputs, against differences, in every formulation."""

    def check(self, p, outputs=None, h=1e-5, rtol=1e-6):
        x = p.x0 + 0.01 * np.cos(np.arange(len(p.x0)))
        slope, difference = slopes(p, x, h, outputs or p.outputs)
        self.assertGreater(abs(slope), 0.0)
        np.testing.assert_allclose(slope, difference, rtol=rtol)

    def test_of_a_designed_body(self):
        self.check(small_crank(**{"outputs.tip": {"type": "displacement", "marker": "crank.pin"},
                                  "outputs.energy": {"type": "compliance", "body": "crank"}, "outputs.mass": {"type": "mass", "body": "crank"}}))

    def test_of_stresses(self):
        self.check(small_crank(**{"outputs.stress": {"type": "von-mises", "body": "crank"}}))

    def test_of_several_cases(self):
        p = kurbel.Problem(INPUTS / "cranks/crank_two_speeds.toml",
                           {**SMALL, "outputs.tip": {"type": "displacement", "marker": "crank.pin", "axes": ["x", "y"]}})
        self.assertEqual(p.outputs, ["fast.tip.x", "fast.tip.y", "heavy.tip.x", "heavy.tip.y"])
        self.check(p)

    def test_of_points(self):
        self.check(kurbel.Problem(INPUTS / "papers/spring_pendulum.toml"))

    def test_of_beams_by_variational_steps(self):
        """Without the stress: its largest value jumps from one point of a section to another."""
        self.check(kurbel.Problem(INPUTS / "papers/ancf_pendulum.toml", {"integrator.t1": 1.0, "objective.at": [0.5]}), ["tip.x", "tip.z"])

    def test_of_joint_coordinates(self):
        self.check(kurbel.Problem(INPUTS / "papers/five_bar.toml"))

    def test_of_momenta(self):
        self.check(kurbel.Problem(INPUTS / "robots/spatial_arm.toml"))

    def test_of_an_end_that_varies(self):
        self.check(kurbel.Problem(INPUTS / "robots/least_time_arm.toml", {"outputs.duration": {"type": "duration"}}))

    def test_equals_the_gradient_of_the_problems_own_functions(self):
        """arrival.x is the last value of position.x, less where it should be."""
        p = kurbel.Problem(INPUTS / "papers/spring_pendulum.toml", {"sensitivity.method": "discrete-adjoint"})
        x = p.x0 + 0.1
        seed = np.zeros(len(p.simulate(x)["t"]["values"]))
        seed[-1] = 1.0
        own = p.vjp(x, {"position.x": seed})
        np.testing.assert_allclose(own, p.evaluate(x)[1][p.functions.index("arrival.x")], rtol=1e-12, atol=1e-14)

    def test_is_the_same_after_other_designs(self):
        p = small_crank(**{"outputs.tip": {"type": "displacement", "marker": "crank.pin"}})
        seeds = {"tip.y": np.ones(len(p.simulate(p.x0)["t"]["values"]))}
        first = p.vjp(p.x0, seeds)
        p.evaluate(0.9 * p.x0), p.simulate(0.8 * p.x0), p.sids(0.7 * p.x0)
        np.testing.assert_array_equal(p.vjp(p.x0, seeds), first)
        np.testing.assert_array_equal(p.vjp(p.x0, {}), 0.0 * first)


class ChainRuleTest(unittest.TestCase):
    """Objectives of one's own on top of the problem's functions, in their units, and of outputs."""

    CRITERIA = {
        "constraints.criteria.bending": {"type": "displacement", "marker": "crank.pin", "time": "mean", "upper": 1e-4},
        "constraints.criteria.stress": {"type": "von-mises", "body": "crank", "time": "p-norm", "exponent": 8, "element_exponent": 8,
                                        "upper": "10 MPa"},
        "constraints.criteria.swing": {"type": "joint-angle", "joint": "pin", "time": "final", "lower": -1.0, "upper": 20.0, "scale": 3.0},
        "outputs.tip": {"type": "displacement", "marker": "crank.pin"},
    }

    def check(self, p, own, h=1e-4):
        """By a difference of fourth order along the gradient."""
        x = p.x0 * (1.0 + 0.1 * np.cos(np.arange(len(p.x0))))
        direction = own(x)[1] / np.linalg.norm(own(x)[1])
        value = lambda step: own(x + step * direction)[0]
        difference = (8 * (value(h) - value(-h)) - (value(2 * h) - value(-2 * h))) / (12 * h)
        np.testing.assert_allclose(own(x)[1] @ direction, difference, rtol=1e-6)

    def of_functions_and_outputs(self, p, names):
        """The sum of the logarithms of functions, and of the mean squares of outputs."""
        rows = [p.functions.index(name) for name in names]
        tips = [name for name in p.outputs if name.endswith("tip.y")]

        def own(x):
            f, g = p.evaluate(x)
            h, dh = p.function_bounds + p.function_scales * f, p.function_scales[:, None] * g
            motion = p.simulate(x)
            z = {name: motion[name]["values"] * 1e3 for name in tips}
            J = sum(np.log(h[row]) for row in rows) + sum(np.mean(values**2) for values in z.values())
            seeds = {name: 2e3 * values / len(values) for name, values in z.items()}
            return J, sum(dh[row] / h[row] for row in rows) + p.vjp(x, seeds)

        return own

    def test_of_a_motion(self):
        p = small_crank(**self.CRITERIA)
        self.check(p, self.of_functions_and_outputs(p, ["objective", "volume_fraction", "bending", "stress"]))

    def test_of_several_cases(self):
        p = kurbel.Problem(INPUTS / "cranks/crank_two_speeds.toml", {**SMALL, **self.CRITERIA})
        self.check(p, self.of_functions_and_outputs(p, ["objective", "fast.bending", "heavy.bending", "heavy.stress"]))

    def test_functions_have_units_and_bounds(self):
        p = small_crank(**self.CRITERIA)
        described = list(zip(p.functions, p.function_units, p.function_bounds, p.function_scales))
        self.assertEqual(described[0], ("objective", "J s", 0.0, 1.0))
        self.assertEqual(described[1], ("volume_fraction", "", 0.5, 0.5))
        self.assertIn(("bending", "m", 1e-4, 1e-4), described)
        self.assertIn(("stress", "Pa", 1e7, 1e7), described)
        self.assertIn(("swing", "rad", 20.0, 3.0), described)
        self.assertIn(("swing", "rad", -1.0, -3.0), described)
        f = p.evaluate(p.x0, gradient=False)
        h = dict(zip(p.functions, p.function_bounds + p.function_scales * f))
        tip = p.simulate(p.x0)
        length = np.sqrt(sum(tip[f"tip.{axis}"]["values"] ** 2 for axis in "xyz"))
        t = tip["t"]["values"]
        self.assertAlmostEqual(h["bending"] / (np.sum(0.5 * (length[1:] + length[:-1]) * np.diff(t)) / (t[-1] - t[0])), 1.0, delta=1e-3)
        self.assertAlmostEqual(h["volume_fraction"], 0.5)


class SaveTest(unittest.TestCase):
    """Designs of one's own go on in the program, whether the problem is a file or a dict."""

    def run_program(self, *arguments):
        ended = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_the_program_goes_on_from_a_design_of_a_dict(self):
        said = tomllib.loads((INPUTS / "flexible_crank.toml").read_text())
        p = kurbel.Problem(said, {**SMALL, "filter.radius": 0.02})
        x = p.x0 * np.linspace(0.7, 1.3, len(p.x0))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            run, numbers = folder / "run", folder / "numbers.json"
            p.save(0.9 * x, run)
            p.save(x, run)  # in the place of the former one
            self.run_program("export", run, "--json", numbers)
            crank = p.fields(x)["crank"]
            self.assertAlmostEqual(json.loads(numbers.read_text())["bodies"]["crank"]["volume"] / (crank["volume"] @ crank["density"]), 1.0, delta=0.1)
            self.assertTrue((run / "crank.stl").stat().st_size)
            self.run_program("report", run)
            self.assertTrue((run / "report.html").stat().st_size)
            self.run_program("info", run / "run.h5")
            (folder / "mine.toml").write_text(p.text)
            self.run_program("simulate", folder / "mine.toml", "--density", run / "final.vtu", "--quiet", "--output", folder / "motion",
                             "--json", numbers)
            self.assertEqual(json.loads(numbers.read_text())["psi"], p.evaluate(x, gradient=False)[0])

    def test_a_finer_mesh_begins_with_the_projection_of_the_design(self):
        p = small_crank(**{"projection.beta_max": 9})
        with tempfile.TemporaryDirectory() as name:
            run, numbers = pathlib.Path(name) / "run", pathlib.Path(name) / "numbers.json"
            for beta in (None, 5.0):
                if beta:
                    p.set_beta(beta)
                p.save(p.x0, run)
                self.run_program("optimize", "--finer", run, "--set=optimizer.stop.iterations=0",
                                 "--set=output.motion=false", "--quiet", "--output", pathlib.Path(name) / f"finer{beta}", "--json", numbers)
                text = (pathlib.Path(name) / f"finer{beta}" / "run.log").read_text()
                self.assertIn("beta = 5" if beta else "beta = 1", text)

    def test_a_motion_is_that_of_the_steepness_that_was_set_last(self):
        p, expected = (small_crank(**{"projection.beta_max": 9}) for _ in range(2))
        x = p.x0 * (1.0 + 0.3 * np.sin(np.arange(p.x0.size)))
        softer = p.simulate(x)
        p.set_beta(5.0)
        expected.set_beta(5.0)
        steeper, same = p.simulate(x), expected.simulate(x)
        for name, curve in same.items():
            np.testing.assert_array_equal(steeper[name]["values"], curve["values"], err_msg=name)
        self.assertTrue(any(np.any(curve["values"] != softer[name]["values"]) for name, curve in same.items()))

    def test_a_callback_that_raises_leaves_the_projection_where_it_was(self):
        p = small_crank(**{"projection.beta_max": 9, "projection.beta_interval": 2})
        last = []

        def stops_at_the_second_step(at):
            last.append(at.iteration)
            if len(last) > 4:
                raise ValueError("enough")

        with tempfile.TemporaryDirectory() as name:
            with self.assertRaisesRegex(ValueError, "enough"):
                p.optimize(callback=stops_at_the_second_step)
            p.save(p.x0, pathlib.Path(name) / "run")
            self.run_program("optimize", "--finer", pathlib.Path(name) / "run", "--set=optimizer.stop.iterations=0",
                             "--set=output.motion=false", "--quiet", "--output", pathlib.Path(name) / "finer")
            text = (pathlib.Path(name) / "finer/run.log").read_text()
            self.assertRegex(text, "beta = [24]")
            self.assertNotIn("beta = 1:", text)

    def test_numbers_and_controls_are_kept(self):
        p = kurbel.Problem(INPUTS / "papers/spring_pendulum.toml")
        x = p.x0 + 0.3 * np.sin(np.arange(len(p.x0)))
        with tempfile.TemporaryDirectory() as name:
            p.save(x, name)
            again = kurbel.Problem(INPUTS / "papers/spring_pendulum.toml", {"design.start_variables": name + "/variables.csv"})
            np.testing.assert_allclose(again.x0, x, rtol=1e-14, atol=1e-14)
            with open(name + "/variables.csv") as file:
                kept = [float(row["value"]) for row in csv.DictReader(file)]
            np.testing.assert_array_equal(p.values(x), kept)

    def test_densities_are_values_of_their_own(self):
        p = small_crank()
        np.testing.assert_array_equal(p.values(p.x0), p.x0)
        with self.assertRaisesRegex(kurbel.InputError, "x has 1 values"):
            p.values([0.5])

    def test_the_text_says_what_the_problem_does(self):
        p = kurbel.Problem(INPUTS / "cranks/flexible_crank_small.toml", {**SMALL, "title": "mine"})  # which includes another file
        again = kurbel.Problem(tomllib.loads(p.text))
        self.assertEqual(again.title, "mine")
        np.testing.assert_array_equal(again.evaluate(again.x0)[1], p.evaluate(p.x0)[1])

    def test_threads_save_at_once(self):
        problems = [small_crank(**{"integrator.step": 0.02}) for _ in range(2)]
        with tempfile.TemporaryDirectory() as name:
            def work(number):
                for _ in range(5):
                    problems[number].save(problems[number].x0, f"{name}/{number}")

            with concurrent.futures.ThreadPoolExecutor(2) as threads:
                for done in [threads.submit(work, number) for number in range(2)]:
                    done.result()
            for number in range(2):
                self.run_program("info", f"{name}/{number}/run.h5")

    def test_a_disk_that_is_full_is_an_error_of_the_system(self):
        p = small_crank(**{"integrator.step": 0.02})
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        with tempfile.TemporaryDirectory() as name:
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
            try:
                with self.assertRaisesRegex(OSError, f"{name}.*File too large"):
                    p.save(p.x0, name)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, before)
            p.save(p.x0, name)

    def test_what_others_have_written_stays(self):
        p = small_crank(**{"integrator.step": 0.02})
        with tempfile.TemporaryDirectory() as name:
            own = pathlib.Path(name) / "final.vtu"
            own.write_text("mine")
            with self.assertRaisesRegex(kurbel.InputError, "final.vtu"):
                p.save(p.x0, name)
            self.assertEqual([file.name for file in pathlib.Path(name).iterdir()], ["final.vtu"])
            self.assertEqual(own.read_text(), "mine")


class DataTest(unittest.TestCase):
    def test_overrides_keep_all_digits(self):
        step = 2.0 / 333
        p = small_crank(**{"integrator.step": step, "title": "\u00dc \"quoted\"", "integrator.rho_inf": np.float64(0.5)})
        np.testing.assert_allclose(np.diff(p.simulate(p.x0)["t"]["values"]), step, rtol=1e-12)
        self.assertEqual(p.title, "\u00dc \"quoted\"")
        coarse = small_crank(**{"bodies.crank.mesh.divisions": np.array([10, 2]), "bodies.crank.regions.bearing.x": np.array([0.18, 0.2])})
        self.assertEqual(len(coarse.x0), 10 * 2 - 1 * 2)

    def test_robust_values_are_those_with_gradients(self):
        p = small_crank(**{"projection.robust": 0.2})
        np.testing.assert_array_equal(p.evaluate(p.x0, gradient=False), p.evaluate(p.x0)[0])

    def test_gives_standard_input_data(self):
        p = small_crank()
        sids = p.sids(p.x0)
        self.assertEqual(set(sids), {"crank", "rod"})
        crank = sids["crank"]
        n = len(crank["elastic_coordinates"])
        self.assertEqual(crank["Ke"]["M0"].shape, (n, n))
        self.assertEqual(crank["mdCM"]["M1"].shape, (n, 3, 1))
        self.assertEqual(crank["mdCM"]["unit"], "kg m")
        np.testing.assert_allclose(crank["mdCM"]["M1"][:, :, 0], crank["Ct"]["M0"], atol=1e-12)  # int rho Phi dV
        self.assertIn("pin", crank["nodes"])
        np.testing.assert_allclose(crank["nodes"]["pin"]["origin"]["M1"][:, :, 0].T, crank["nodes"]["pin"]["phi"]["M0"], atol=1e-12)

    def test_jacobian_is_sparse_where_functions_know_some_variables_alone(self):
        """A bound at an early instant does not know later nodes of a control that is linear between them."""
        p = kurbel.Problem(INPUTS / "papers/spring_pendulum.toml", {f"controls.u{axis}.interpolation": "linear" for axis in "xyz"})
        f, dense = p.evaluate(p.x0 + 0.1)
        same, sparse = p.evaluate(p.x0 + 0.1, sparse=True)
        self.assertTrue(issparse(sparse))
        np.testing.assert_array_equal(f, same)
        np.testing.assert_array_equal(sparse.toarray(), dense)
        self.assertLess(sparse.nnz, 0.7 * dense.size)
        with self.assertRaises(ValueError):
            p.evaluate(p.x0, gradient=False, sparse=True)

    def test_results_and_errors_are_pickled(self):
        p = small_crank()
        for result in (p.evaluate(p.x0), p.simulate(p.x0), p.fields(p.x0), p.sids(p.x0), p.optimize()):
            again = pickle.loads(pickle.dumps(result))
            self.assertEqual(repr(again), repr(result))
        for error in (kurbel.InputError("text"), kurbel.SimulationError("text")):
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(again), str(again)), (type(error), "text"))
        with self.assertRaisesRegex(TypeError, "cannot be pickled"):
            pickle.dumps(p)


class DictTest(unittest.TestCase):
    """Problems that are built in code."""

    def test_a_dict_says_what_a_file_does(self):
        """To the bit, with the file's own numbers, texts, lists and tables."""
        for name, overrides in [("flexible_crank", SMALL), ("spring_pendulum", {}), ("arm_in_pose", {"bodies.forearm.mesh.divisions": [20, 4]})]:
            file = next(INPUTS.rglob(f"{name}.toml"))
            own, other = kurbel.Problem(tomllib.loads(file.read_text()), overrides), kurbel.Problem(file, overrides)
            self.assertEqual((own.title, own.names, own.functions), (other.title, other.names, other.functions))
            for a, b in zip(own.evaluate(own.x0), other.evaluate(other.x0)):
                np.testing.assert_array_equal(a, b)

    def test_a_table_of_overrides_replaces_the_former_one(self):
        """As --set does, whether the problem is a file or a dict."""
        name = INPUTS / "papers/spring_pendulum.toml"
        said = tomllib.loads(name.read_text())
        spring = next(iter(said["springs"]))
        for problem in name, said:
            with self.assertRaisesRegex(kurbel.InputError, f"springs.{spring}.* is missing"):
                kurbel.Problem(problem, {f"springs.{spring}": {"damping": 5.0}})

    def test_messages_name_the_key(self):
        body = {"type": "rigid", "mass": 1.0, "inertia": np.full(3, 0.1)}
        cases = [
            ({"bodies": {"b": {**body, "mass": -1.0}}}, {}, "^dict: bodies.b.mass = -1.0 must be positive"),
            ({"bodies": {"b": body}}, {"bodies.b.mass": -1.0}, "^overrides: bodies.b.mass = -1.0 must be positive"),
            ({"bodies.b": {**body, "masss": 1.0}}, {}, "^dict: unknown key bodies.b.masss; did you mean bodies.b.mass"),
            ({"a b": 1}, {}, '^dict: "a b" is not a key'),
            ({"bodies.b": {**body, "mass": 2**70}}, {}, "^dict: bodies.b.mass has more than 63 bits"),
        ]
        for said, overrides, message in cases:
            with self.assertRaisesRegex(kurbel.InputError, message):
                kurbel.Problem(said, overrides)
        for nothing in object(), None, b"1", 1j:
            with self.assertRaisesRegex(TypeError, "^dict: bodies.b must be a number, a text"):
                kurbel.Problem({"bodies": {"b": nothing}})

    def test_numbers_of_numpy_are_numbers(self):
        body = {"type": "rigid", "mass": np.array(-1.5), "inertia": np.full(3, 0.1)}
        with self.assertRaisesRegex(kurbel.InputError, "bodies.b.mass = -1.5 must be positive"):
            kurbel.Problem({"bodies": {"b": body}})

    def test_a_value_that_changes_its_dict_is_read_as_it_was(self):
        said = {}

        class Clearing:
            def __float__(self):
                said.clear()
                return -1.0

        said |= {"bodies.b.type": "rigid", "bodies.b.mass": Clearing(), "bodies.b.inertia": [0.1, 0.1, 0.1]}
        with self.assertRaisesRegex(kurbel.InputError, "bodies.b.mass = -1.0 must be positive"):
            kurbel.Problem(said)

    def test_curves_that_are_not_finite_are_a_failure(self):
        huge = {
            "analysis": "frequency-response",
            "formulation": "natural-coordinates",
            "frequency_response": {"from": 0.5, "to": 5.0, "points": 3},
            "bodies.mass": {"type": "point", "mass": 2.0, "free": ["x"]},
            "springs.coil": {"law": "linear", "from": "ground", "to": "mass", "stiffness": 1e-3, "damping": 1e-3},
            "loads.push": {"marker": "mass", "force": [{"type": "harmonic", "amplitude": 1e308}, 0.0, 0.0]},
            "outputs.place": {"type": "velocity", "marker": "mass", "axes": ["x"]},
        }
        p = kurbel.Problem(huge)
        with self.assertRaises(kurbel.SimulationError):
            p.simulate(p.x0)


SHAKEN = {
    "analysis": "frequency-response",
    "frequency_response": {"from": 1.0, "to": 60.0, "points": 40},
    "bodies.forearm.mesh.divisions": [20, 4],
    "loads.shake": {"marker": "forearm.hand", "force": [0.0, {"type": "harmonic", "amplitude": 2.0, "phase": 0.4}, 0.0]},
    "outputs.hand": {"type": "position", "marker": "forearm.hand", "axes": ["x", "y"]},
    "outputs.elbow": {"type": "reaction-force", "joint": "elbow"},
}


class AtRestTest(unittest.TestCase):
    """Modes and frequency responses."""

    def program_tables(self, overrides):
        """The program's tables: {name: (header, columns)}."""
        with tempfile.TemporaryDirectory() as folder:
            settings = [f"--set={key}={self.toml(value)}" for key, value in overrides.items()]
            subprocess.run([PROGRAM, "simulate", INPUTS / "robots/arm_in_pose.toml", *settings, "--set=output.motion=false",
                            "--set=output.picture=false", "--quiet", "--output", pathlib.Path(folder) / "run"], check=True)
            tables = {}
            for file in (pathlib.Path(folder) / "run").glob("*.csv"):
                with open(file, newline="") as lines:
                    header, *rows = csv.reader(lines)
                tables[file.stem] = header, np.array(rows).T
            return tables

    def toml(self, value):
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key} = {self.toml(entry)}" for key, entry in value.items()) + "}"
        return "[" + ", ".join(map(self.toml, value)) + "]" if isinstance(value, list) else json.dumps(value)

    def check_table(self, table, found, prefix=""):
        """Each column is found under its name, with its unit and to the bit."""
        for name, column in zip(*table):
            name, unit = re.fullmatch(r"(.*?)(?: \[(.*)\])?", name).groups()
            self.assertEqual(found[prefix + name]["unit"], unit or "")
            np.testing.assert_array_equal(found[prefix + name]["values"], column.astype(float), prefix + name)

    def test_a_response_is_the_programs_to_the_bit(self):
        p = kurbel.Problem(INPUTS / "robots/arm_in_pose.toml", SHAKEN)
        found = p.simulate(p.x0)
        tables = self.program_tables(SHAKEN)
        self.check_table(tables["response"], found)
        self.check_table(tables["modes"], found, "modes.")
        self.assertEqual(len(found), sum(len(tables[name][0]) for name in ("response", "modes")))
        self.assertEqual(found["hand.y"]["values"].shape, (40,))
        self.assertEqual((found["frequency"]["unit"], found["hand.y"]["unit"], found["elbow.x phase"]["unit"]), ("Hz", "m", "deg"))
        with self.assertRaisesRegex(kurbel.InputError, "about a state of rest"):
            p.vjp(p.x0, {"hand.y": np.ones(40)})

    def test_modes_are_the_programs_to_the_bit(self):
        coarse = {"bodies.forearm.mesh.divisions": [20, 4]}
        p = kurbel.Problem(INPUTS / "robots/arm_in_pose.toml", coarse)
        found = p.simulate(p.x0)
        self.check_table(self.program_tables(coarse)["modes"], found, "modes.")
        shares = [series["values"] for name, series in found.items() if name.startswith("modes.share of kinetic energy of ")]
        self.assertEqual(len(shares), 3)
        np.testing.assert_allclose(sum(shares), 1.0, rtol=1e-12)

    def test_an_output_must_not_hide_another_curve(self):
        p = kurbel.Problem(INPUTS / "robots/arm_in_pose.toml", {**SHAKEN, "outputs.frequency": {"type": "joint-angle", "joint": "elbow"}})
        with self.assertRaisesRegex(kurbel.InputError, "outputs.frequency: simulate\\(\\) has a curve of this name"):
            p.simulate(p.x0)


class WrongUseTest(unittest.TestCase):
    def test_of_files_and_keys(self):
        with self.assertRaisesRegex(kurbel.InputError, "nothing.toml"):
            kurbel.Problem("nothing.toml")
        with self.assertRaisesRegex(kurbel.InputError, "did you mean"):
            kurbel.Problem(INPUTS / "cranks/flexible_crank_small.toml", {"integrator.stepp": 1e-3})
        with self.assertRaises(TypeError):
            kurbel.Problem(INPUTS / "cranks/flexible_crank_small.toml", {"integrator.step": object()})
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
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
