"""Wrong use of the module raises exceptions of Python with a clear text, whatever it is, and never ends the interpreter.

Usage: wrong_use_test.py SOURCE_FOLDER [SEED COUNT]          needs python3-numpy

Every case is tried in an interpreter of its own, so that a crash is seen: this file calls itself with "--fuzz SEED COUNT".
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
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


def small_crank(**more):
    return kurbel.Problem(CRANK, overrides={**SMALL, **more})


class ClosedTest(unittest.TestCase):
    def test_use_after_close_is_refused(self):
        p = small_crank()
        x = p.x0
        p.simulate(x)
        p.close()
        p.close()
        self.assertTrue(p.closed)
        self.assertEqual(len(x), 20 * 4 - 2 * 4)  # arrays outlive the problem
        uses = [lambda: p.evaluate(x), lambda: p.simulate(x), lambda: p.vjp(x, {}), lambda: p.fields(x), lambda: p.sids(x), p.optimize,
                lambda: p.set_beta(2.0), lambda: p.save(x, "nowhere")]
        uses += [lambda name=name: getattr(p, name)
                 for name in dir(kurbel.Problem) if isinstance(getattr(kurbel.Problem, name), property) and name != "closed"]
        for use in uses:
            with self.assertRaisesRegex(kurbel.InputError, "closed"):
                use()

    def test_a_with_statement_closes(self):
        with small_crank() as p:
            self.assertFalse(p.closed)
        self.assertTrue(p.closed)

    def test_close_waits_for_a_thread_at_work(self):
        p = small_crank(**{"optimizer.stop.iterations": 5})
        began, results = threading.Event(), []
        thread = threading.Thread(target=lambda: results.append(p.optimize(callback=lambda at: began.set())))
        thread.start()
        began.wait()
        p.close()
        thread.join()
        self.assertTrue(np.isfinite(results[0].objective))


class CallbackTest(unittest.TestCase):
    def test_a_callback_that_uses_its_problem_is_told_so(self):
        """It would wait for itself."""
        p = small_crank()
        for use in (lambda at: p.evaluate(at.x), lambda at: p.optimize(), lambda at: p.close(), lambda at: p.set_beta(4.0),
                    lambda at: p.save(at.x, "nowhere")):
            with self.assertRaisesRegex(kurbel.InputError, "at work"):
                p.optimize(callback=use)
        self.assertTrue(np.isfinite(p.evaluate(p.x0)[0]).all())

    def test_a_callback_may_look_at_its_design(self):
        p = small_crank()
        seen = []
        p.optimize(callback=lambda at: seen.append((p.fields(at.x)["crank"]["density"].mean(), p.names[0], p.title)))
        self.assertGreaterEqual(len(seen), 2)

    def test_functions_are_the_same_after_an_optimization(self):
        p = small_crank(**{"projection.beta_max": 4, "projection.beta_interval": 2})
        before = p.functions, p.evaluate(p.x0)[1].shape
        result = p.optimize(callback=lambda at: False)
        self.assertEqual((p.functions, p.evaluate(p.x0)[1].shape), before)
        self.assertEqual(len(result.constraints), len(p.functions) - 1)


class TextTest(unittest.TestCase):
    def test_says_what_is_wrong(self):
        p = small_crank()
        x, z = p.x0, p.simulate(p.x0)["tip.x"]["values"]
        cases = [
            (lambda: p.evaluate(x[:-1]), kurbel.InputError, "x has 71 values, the problem has 72"),
            (lambda: p.evaluate(np.full(72, np.nan)), kurbel.InputError, "not finite"),
            (lambda: p.evaluate(x.reshape(8, 9)), kurbel.InputError, "2 dimensions"),
            (lambda: p.evaluate("x"), TypeError, "array of real numbers"),
            (lambda: p.evaluate(x + 0j), TypeError, "array of real numbers"),
            (lambda: p.vjp(x, {"tip.q": z}), kurbel.InputError, "tip.q is none of .*tip.x"),
            (lambda: p.vjp(x, {"tip": z}), kurbel.InputError, "output tip has one name for each axis; use tip.x"),
            (lambda: p.vjp(x, {"tip.x": z[1:]}), kurbel.InputError, "the seed of tip.x has"),
            (lambda: p.vjp(x, {"tip.x": z + np.inf}), kurbel.InputError, "not finite"),
            (lambda: p.vjp(x, {1: z}), TypeError, "names of outputs"),
            (lambda: p.vjp(x, {"objective": [1.0]}), kurbel.InputError, "none of"),
            (lambda: p.set_beta(-1.0), kurbel.InputError, "beta"),
            (lambda: p.optimize(callback=3), TypeError, "functions, or None"),
            (lambda: p.save(x, CRANK), kurbel.InputError, "flexible_crank_small.toml"),
            (lambda: p.save(x[1:], "nowhere"), kurbel.InputError, "x has 71 values"),
            (lambda: p.save(x, 3), TypeError, "PathLike"),
            (lambda: kurbel.Problem(CRANK, {"a": []}), kurbel.InputError, "a"),
            (lambda: kurbel.Problem(3), TypeError, ""),
            (lambda: kurbel.Problem({}), kurbel.InputError, "bodies"),
            (lambda: kurbel.Problem(CRANK, {"title": "\ud800"}), UnicodeError, "surrogates"),
            (lambda: kurbel.Problem("\udce9.toml"), kurbel.InputError, "toml"),
        ]
        for use, error, text in cases:
            with self.subTest(text), self.assertRaisesRegex(error, text):
                use()

    def test_derivatives_of_outputs_want_steps(self):
        p = kurbel.Problem(SOURCE / "inputs/robots/spatial_arm.toml", {"integrator.method": "dormand-prince", "integrator.dense_output": True})
        n = len(p.simulate(p.x0)["t"]["values"])
        with self.assertRaisesRegex(kurbel.InputError, "dense_output = true.*set it to false"):
            p.vjp(p.x0, {"payload.x": np.ones(n)})

    def test_a_list_that_contains_itself(self):
        endless = []
        endless.append(endless)
        for wrong in (lambda: kurbel.Problem(CRANK, {"integrator.step": endless}), lambda: kurbel.Problem({"integrator": {"step": endless}})):
            with self.assertRaisesRegex(TypeError, "too deep"):
                wrong()


def anything(draw, p, depth=0):
    """A value of any kind, more or less near to one that makes sense."""
    n = len(p.x0)
    plain = [
        lambda: None, lambda: draw.choice([True, False]), lambda: draw.choice([0, -1, 1, 2**31, 2**63, 10**400]),
        lambda: draw.choice([0.0, -1.0, 1e-300, 1e300, float("nan"), float("inf"), 0.5]),
        lambda: draw.choice(["", "x", "tip.x", "tip", "objective", "integrator.step", "a=b", "\0", "\n[x]", "\ud800", "ü" * 1000, "'" * 3]),
        lambda: object(), lambda: b"bytes", lambda: 1j, lambda: range(n), lambda: np.zeros(n), lambda: p.x0, lambda: p.x0[::-1],
        lambda: p.x0 * draw.choice([-1.0, 0.0, 2.0, 1e5, 1e200, np.nan]), lambda: p.x0 + draw.choice([1e-9, -3.0, 1e10]),
        lambda: np.zeros((n, n)), lambda: np.zeros(0), lambda: np.zeros(n, dtype=complex), lambda: np.array(["a"] * n), lambda: np.float32(p.x0),
        lambda: np.array([None] * n), lambda: np.array(3.0), lambda: p, lambda: kurbel, lambda: anything, lambda: p.x0.astype(object),
        lambda: np.lib.stride_tricks.as_strided(p.x0, (n,), (0,)), lambda: p.simulate(p.x0)["tip.y"]["values"],
    ]
    nested = [
        lambda: [anything(draw, p, depth + 1) for _ in range(draw.randrange(4))],
        lambda: {draw.choice(["tip.x", "tip.z", "type", "objective", "", "x.y"]): anything(draw, p, depth + 1) for _ in range(draw.randrange(3))},
    ]
    return draw.choice(plain + (nested * 6 if depth < 3 else []))()


KEYS = ["integrator.step", "optimizer.stop.iterations", "bodies.crank.mesh.divisions", "outputs.tip", "constraints", "title", "a..b", "=", "[x]",
        "bodies", "filter.radius", "\n", "bodies.crank.regions", "objective", "include"]


def use_once(draw, p):
    """Calls something with wrong arguments; gives the problem to go on with."""
    any_one = lambda: anything(draw, p)
    what = draw.randrange(12)
    if what == 0:
        p.evaluate(any_one())
    elif what == 1:
        p.evaluate(any_one(), gradient=draw.choice([True, False]), sparse=False)
    elif what == 2:
        p.simulate(any_one())
    elif what == 3:
        p.vjp(any_one(), draw.choice([any_one(), {draw.choice(p.outputs + ["t", "x"]): any_one()}]))
    elif what == 4:
        p.vjp(p.x0, {name: any_one() for name in p.outputs})
    elif what == 5:
        p.fields(any_one())
    elif what == 6:
        p.sids(any_one())
    elif what == 7:
        p.set_beta(any_one())
    elif what == 8:
        p.optimize(callback=draw.choice([None, any_one(), lambda at: any_one(), lambda at: p.evaluate(any_one())]), log=any_one())
    elif what == 9:
        kurbel.Problem(draw.choice([CRANK, any_one(), {draw.choice(KEYS): any_one(), **SMALL}]), {**SMALL, draw.choice(KEYS): any_one()})
    elif what == 10:
        kurbel.Problem(CRANK, any_one(), draw.choice(["", any_one()]))
    elif what == 11:
        p.save(draw.choice([p.x0, any_one()]), draw.choice(["run", any_one()]))


def fuzz(seed, count):
    draw = random.Random(seed)
    np.seterr(all="ignore")
    allowed = (kurbel.InputError, kurbel.SimulationError, TypeError, UnicodeError, RecursionError)
    raised = 0
    with tempfile.TemporaryDirectory() as folder, small_crank() as p:
        os.chdir(folder)
        for number in range(count):
            try:
                use_once(draw, p)
            except allowed as error:
                raised += 1
                if not str(error):
                    raise SystemExit(f"case {number} of seed {seed}: {type(error)} says nothing") from error
        p.set_beta(1.0)
        if not np.isfinite(p.evaluate(p.x0)[0]).all():
            raise SystemExit(f"seed {seed}: the problem is spoilt")
    print(raised, "of", count, "were refused")
    if raised < count // 4:
        raise SystemExit("too few were refused: the fuzz has lost its edge")


class FuzzTest(unittest.TestCase):
    def test_nothing_ends_the_interpreter(self):
        for seed in range(5):
            ended = subprocess.run([sys.executable, "-W", "ignore", "-X", "faulthandler", __file__, SOURCE, "--fuzz", str(seed), "150"],
                                   capture_output=True, text=True, env=os.environ)
            self.assertEqual(ended.returncode, 0, f"seed {seed}:\n{ended.stdout[-2000:]}{ended.stderr[-4000:]}")


if __name__ == "__main__":
    if "--fuzz" in sys.argv:
        fuzz(*(int(text) for text in sys.argv[-2:]))
    else:
        unittest.main(argv=sys.argv[:1])
