"""No shipped input repeats a default, and each begins with a comment of at most six lines.

Usage: defaults_test.py SOURCE. The defaults are those of docs/kurbel.schema.json. Files that include others, and the tables [cases]
and [stages], state values in place of others, and may go back to a default. A start that is stated is corrected
last, even if it is zero, and a place of the ground is stated with its position.
"""

import json
import re
import sys
import tomllib
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop(1)).resolve()
DEFINITIONS = json.loads((SOURCE / "docs/kurbel.schema.json").read_text())["definitions"]
INPUTS = sorted((SOURCE / "inputs").rglob("*.toml"))
STATED = re.compile(r"\.initial\.|^ground\.markers\.")
IN_PLACE_OF_OTHERS = ["cases", "stages"]


def resolved(schema):
    """All alternatives of a schema, without references."""
    if not isinstance(schema, dict):
        return []
    parts = [part for word in ("anyOf", "allOf", "oneOf") for part in schema.get(word, [])]
    if "$ref" in schema:
        parts.append(DEFINITIONS[schema["$ref"].rsplit("/", 1)[1]])
    own = [] if parts and not schema.keys() & {"properties", "additionalProperties", "items", "default"} else [schema]
    return own + [one for part in parts for one in resolved(part)]


def below(schemas, key):
    """The alternatives of the schema of a key."""
    found = []
    for schema in schemas:
        own = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
        found += resolved(own)
    return found


def repeated(value, schemas, key):
    """Paths of keys whose value is the default in every alternative of their schema."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if key or name not in IN_PLACE_OF_OTHERS:
                yield from repeated(inner, below(schemas, name), f"{key}.{name}" if key else name)
        return
    if isinstance(value, list) and value and isinstance(value[0], dict):
        items = [one for schema in schemas for one in resolved(schema.get("items"))]
        for i, inner in enumerate(value):
            yield from repeated(inner, items, f"{key}.{i}")
        return
    if STATED.search(key):
        return
    if schemas and all("default" in schema and type(schema["default"]) in kinds(value) and schema["default"] == value for schema in schemas):
        yield key


def kinds(value):
    """Types of a default that such a value may repeat: true is no 1."""
    return [int, float] if type(value) in (int, float) else [type(value)]


class Inputs(unittest.TestCase):
    def test_no_key_repeats_its_default(self):
        for file in INPUTS:
            read = tomllib.loads(file.read_text())
            if "include" in read:
                continue
            with self.subTest(file.relative_to(SOURCE).as_posix()):
                self.assertEqual(list(repeated(read, [DEFINITIONS["input"]], "")), [])

    def test_begins_with_a_short_comment(self):
        for file in INPUTS:
            lines = file.read_text().splitlines()
            head = next(i for i, line in enumerate(lines) if not line.startswith("#"))
            with self.subTest(file.relative_to(SOURCE).as_posix()):
                self.assertTrue(1 <= head <= 6, head)

    def test_finds_a_default(self):
        of = lambda text: list(repeated(tomllib.loads(text), [DEFINITIONS["input"]], ""))
        self.assertEqual(of('analysis = "motion"'), ["analysis"])
        self.assertEqual(of('filter = { type = "density", kernel = "cone" }\n[bodies.a.simp]\ns = 3'), ["filter.kernel", "bodies.a.simp.s"])
        self.assertEqual(of('filter = { type = "density", kernel = "helmholtz" }'), [])


if __name__ == "__main__":
    unittest.main()
