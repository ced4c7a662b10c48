"""Reads a .3mf by what its specification says, a ZIP archive with XML, and writes its only object as a .stl in text form.

Usage: stl_of_3mf.py FILE.3mf FILE.stl. Prints unit and name.
"""

import sys
import xml.etree.ElementTree as ElementTree
import zipfile

CORE = "{http://schemas.microsoft.com/3dmanufacturing/core/2015/02}"

with zipfile.ZipFile(sys.argv[1]) as archive:
    relations = ElementTree.fromstring(archive.read("_rels/.rels"))
    model = next(r.get("Target") for r in relations if r.get("Type").endswith("/3dmodel"))
    root = ElementTree.fromstring(archive.read(model.lstrip("/")))
(item,) = root.find(f"{CORE}build")
(thing,) = root.findall(f"{CORE}resources/{CORE}object")
assert item.get("objectid") == thing.get("id") and item.get("transform") is None
points = [tuple(float(v.get(axis)) for axis in "xyz") for v in thing.iter(f"{CORE}vertex")]
with open(sys.argv[2], "w") as stl:
    stl.write("solid body\n")
    for triangle in thing.iter(f"{CORE}triangle"):
        corners = [points[int(triangle.get(corner))] for corner in ("v1", "v2", "v3")]
        a, b = ([q - p for p, q in zip(corners[0], corner)] for corner in corners[1:])
        normal = [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)]
        length = sum(n * n for n in normal) ** 0.5
        stl.write("facet normal {!r} {!r} {!r}\nouter loop\n".format(*(n / length for n in normal)))
        for corner in corners:
            stl.write("vertex {!r} {!r} {!r}\n".format(*corner))
        stl.write("endloop\nendfacet\n")
    stl.write("endsolid body\n")
print(root.get("unit"), thing.get("name"))
