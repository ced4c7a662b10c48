"""The schema that `kurbel schema` prints: a library accepts with it what is documented, and refuses what the reader refuses.

Usage: schema_test.py KURBEL SOURCE_FOLDER          needs python3-jsonschema
"""

import json
import pathlib
import re
import subprocess
import sys
import tomllib
import unittest

import jsonschema

KURBEL, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
INPUTS = SOURCE / "inputs"

# What is wrong: file, --set, and what both messages have to name.
WRONG = {
    "misspelt key": ("flexible_crank.toml", "bodies.crank.mesh.divisons=[10, 2]", "divisons"),
    "misspelt table": ("flexible_crank.toml", "intergrator.t1=2.0", "intergrator"),
    "text for a number": ("flexible_crank.toml", 'integrator.step="fast"', "step"),
    "number in quotes without a unit": ("flexible_crank.toml", 'integrator.step="0.01"', "step"),
    "number for text": ("flexible_crank.toml", "title=3", "title"),
    "number for a table": ("flexible_crank.toml", "filter=3", "filter"),
    "broken number of elements": ("flexible_crank.toml", "bodies.crank.mesh.divisions=[10.5, 2]", "divisions"),
    "above its range": ("flexible_crank.toml", "bodies.crank.material.poisson_ratio=0.7", "poisson_ratio"),
    "at the end of an open range": ("flexible_crank.toml", "optimizer.move_limit=0", "move_limit"),
    "element below its range": ("flexible_crank.toml", "bodies.crank.mesh.size=[0.2, -0.04]", "size"),
    "unknown word": ("flexible_crank.toml", "optimizer.method=newton", "method"),
    "damping beside what is locked": ("flexible_crank.toml", "joints.slider.damping=0.1", "damping"),
    "unknown word in a list": ("flexible_crank.toml", 'joints.slider.lock=["ty", "up"]', "lock"),
    "list too short": ("flexible_crank.toml", "gravity=[0.0, -9.81]", "gravity"),
    "list for a rectangle too long": ("flexible_crank.toml", "bodies.crank.mesh.size=[0.2, 0.04, 0.01]", "size"),
    "key of another type of body": ("flexible_crank.toml", "bodies.rod.mesh.thickness=0.01", "mesh"),
    "clamp beside a chord": (
        "flexible_crank.toml",
        'bodies.crank.frame={ type = "chord", origin = "pin", end = "pin" }',
        "clamp",
    ),
    "unit of a rotation for a translation": ("flexible_crank.toml", 'joints.bearing.drive.dof="tz"', "unit"),
    "value of another function of time": ("flexible_crank.toml", "joints.bearing.drive.values=[1.0]", "values"),
    "exponent without a norm": (
        "flexible_crank.toml",
        'objective={ type = "compliance", body = "crank", time = "mean", exponent = 2.0 }',
        "exponent",
    ),
    "criterion without its place": ("flexible_crank.toml", 'objective={ type = "mass" }', "body"),
    "one of several terms": (
        "flexible_crank.toml",
        'objective=[{ type = "mass", body = "crank" }, { type = "mass", body = "crank", weigth = 2.0 }]',
        "weigth",
    ),
    "name of a body": ("flexible_crank.toml", 'bodies={ "my crank" = { type = "rigid" } }', "my crank"),
    "case with an integrator of its own": ("flexible_crank.toml", "cases.fast.integrator.t1=3.0", "integrator"),
    "case with another mesh": ("flexible_crank.toml", "cases.fast.bodies.crank.mesh.thickness=0.02", "mesh"),
    "key of a rigid body": ("spring_pendulum.toml", "bodies.mass.inertia=[1.0, 1.0, 1.0]", "inertia"),
    "mass of a place": ("flexible_crank.toml", "points.bob.mass=1.0", "mass"),
    "key of a slender beam": ("flexible_scara.toml", "beams.upper_arm.end=[0.0, -1.0, 0.0]", "end"),
    "free length of a linear spring": ("spring_pendulum.toml", 'springs.spring.law="linear"', "free_length"),
    "type and list of a joint": ("flexible_crank.toml", "joints.slider.type=prismatic", "type"),
    "length and force of a spring": (
        "flexible_crank.toml",
        'springs.s={ from = "ground", to = "crank", stiffness = 1.0, free_length = 1.0, preload = 1.0 }',
        "free_length",
    ),
    "number and list of modes": ("flexible_crank.toml", "bodies.crank.modes.list=[1, 2]", "normal"),
    "position and point of a marker": (
        "double_wishbone.toml",
        "bodies.car.markers.P1.position=[0.0, 0.0, 0.0]",
        "position",
    ),
    "bound and value of a constraint": (
        "flexible_crank.toml",
        'constraints.criteria.c={ type = "mass", body = "crank", upper = 1.0, equals = 1.0 }',
        "upper",
    ),
    "type and terms of a constraint": (
        "flexible_crank.toml",
        'constraints.criteria.c={ type = "mass", terms = [{ type = "mass", body = "crank" }], upper = 1.0 }',
        "type",
    ),
    "two lists of instants": (
        "flexible_crank.toml",
        'objective={ type = "compliance", body = "crank", time = "instants", every = 5, intervals = 5 }',
        "intervals",
    ),
    "misspelt key beside an include": ("flexible_crank_small.toml", "bodies.crank.mesh.divisons=[10, 2]", "divisons"),
}

# Keys without which a file is not complete.
REQUIRED = [
    ("flexible_crank.toml", "bodies.crank.type"),
    ("flexible_crank.toml", "bodies.rod.mass"),
    ("flexible_crank.toml", "joints.bearing.from"),
    ("flexible_crank.toml", "joints.bearing.drive.begin"),
    ("flexible_crank.toml", "objective.body"),
    ("double_pendulum.toml", "joints.elbow.type"),
    ("arm_codesign.toml", "constraints.criteria.reach.type"),
    ("flexible_crank.toml", "integrator.t1"),
    ("flexible_scara.toml", "beams.forearm.direction"),
    ("spring_pendulum.toml", "controls.ux.nodes"),
]


def path_of(name):
    """The input of this name, in whatever folder of inputs/ it stands."""
    return next(INPUTS.rglob(name))


def load(name):
    return tomllib.loads(path_of(name).read_text())


def set_value(tree, path, value):
    *parents, last = path.split(".")
    for parent in parents:
        tree = tree.setdefault(parent, {})
    tree[last] = value


def parse_value(text):
    try:
        return tomllib.loads("value = " + text)["value"]
    except tomllib.TOMLDecodeError:
        return text

HOW_TO = [(f"docs/howto/{name}.md", 1) for name in ["gas_force", "numbers", "robot", "several_manoeuvres", "stress", "suspension"]]


def snippets(page):
    """Blocks of a page, fenced or indented, that are TOML and have a table."""
    page_text = (SOURCE / page).read_text()
    fenced = re.findall(r"^```toml\n(.*?)^```$", page_text, re.MULTILINE | re.DOTALL)
    indented = re.findall(r"(?:^    .*\n|^\n)+", page_text, re.MULTILINE)
    for text in fenced + [re.sub(r"^    ", "", block, flags=re.MULTILINE) for block in indented]:
        if not re.search(r"^\[", text, re.MULTILINE):
            continue
        try:
            yield tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            continue


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = json.loads(subprocess.run([KURBEL, "schema"], check=True, capture_output=True).stdout)
        cls.validator = jsonschema.Draft7Validator(cls.schema)

    def messages(self, tree):
        """All that is wrong, with its place."""
        found = []

        def add(errors):
            for error in errors:
                found.append(".".join(map(str, error.absolute_path)) + ": " + error.message)
                add(error.context or [])

        add(self.validator.iter_errors(tree))
        return found

    def test_is_one_of_draft_7(self):
        jsonschema.Draft7Validator.check_schema(self.schema)

    def test_accepts_every_input(self):
        files = sorted(INPUTS.rglob("*.toml"))
        self.assertGreater(len(files), 15)
        for file in files:
            with self.subTest(file.name):
                self.assertEqual(self.messages(load(file.name)), [])

    def test_accepts_numbers_with_units(self):
        tree = load("flexible_crank.toml")
        set_value(tree, "integrator.step", "2 ms")
        set_value(tree, "bodies.crank.mesh.size", "[200, 40] mm")
        set_value(tree, "bodies.crank.mesh.thickness", "1 cm")
        set_value(tree, "gravity", [0.0, "-9.81 m/s^2", 0.0])
        self.assertEqual(self.messages(tree), [])

    def test_accepts_what_the_pages_show(self):
        for page, least in [("README.md", 1), ("docs/theory.md", 4), ("docs/own_parts.md", 2), ("docs/tutorial.md", 4), *HOW_TO]:
            trees = [tree for tree in snippets(page) if "study" not in tree]  # a study is no problem
            self.assertGreaterEqual(len(trees), least, page)
            for tree in trees:
                with self.subTest(page, tree=tree):
                    self.assertEqual(self.messages({"include": "base.toml", **tree}), [])

    def test_accepts_the_small_inputs_of_the_tests(self):
        for header in ["crank_text", "control_text", "arm_text", "every_key"]:
            source = (SOURCE / "tests/problem" / f"{header}.hpp").read_text()
            texts = re.findall(r'R"\((.*?)\n\)"', source, re.DOTALL)
            self.assertGreaterEqual(len(texts), 1, header)
            for tree in map(tomllib.loads, texts):
                whole = "bodies" in tree or "formulation" in tree
                with self.subTest(header, keys=list(tree)):
                    self.assertEqual(self.messages(tree if whole else {"include": "base.toml", **tree}), [])

    def test_and_the_reader_refuse_the_same_by_name(self):
        for what, (file, override, name) in WRONG.items():
            with self.subTest(what):
                path, _, value = override.partition("=")
                tree = load(file)
                set_value(tree, path, parse_value(value))
                self.assertTrue(any(name in message for message in self.messages(tree)), self.messages(tree))
                reader = subprocess.run([KURBEL, "check", path_of(file), "--set", override], capture_output=True, text=True)
                self.assertEqual(reader.returncode, 2, reader.stderr)
                self.assertIn(name, reader.stderr)

    def test_names_what_is_missing(self):
        for file, path in REQUIRED:
            with self.subTest(path):
                tree = load(file)
                *parents, last = path.split(".")
                table = tree
                for parent in parents:
                    table = table[parent]
                del table[last]
                self.assertTrue(any(f"'{last}' is a required" in message for message in self.messages(tree)), self.messages(tree))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
