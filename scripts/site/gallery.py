"""Runs shipped inputs and writes docs/gallery: index.md, gallery.json with what is known of every run, pictures.

Usage: gallery.py KURBEL SOURCE [NAME ...]. What cannot be optimized is simulated.
"""

import json
import resource
import subprocess
import sys
from itertools import groupby
from pathlib import Path

from PIL import Image

PICTURES = ["density.png", "control.png", "convergence.png", "outputs.png", "histories.png"]  # the first that a run has
WIDTH = 420
FIRST = {"crank_from_sid": ("reduce", "flexible_crank")}  # the command and the input that make what an input reads


def purposes(kurbel):
    """Name and line of each shipped input, as `kurbel examples` prints them."""
    text = subprocess.run([kurbel, "examples"], capture_output=True, text=True, check=True).stdout
    return {line.split()[0]: line.split(maxsplit=1)[1] for line in text.splitlines() if line.startswith("  ")}


def input_file(source, name):
    """The file of this name in inputs/ or one of its folders."""
    return next((source / "inputs").rglob(f"{name}.toml"))


def cpu_seconds():
    """The processors' time of all runs that have ended: unlike a clock's, other work on the machine hardly changes it."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(kurbel, source, name):
    """What happened when an input was run."""
    file, folder = input_file(source, name), source / "outputs/gallery" / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    if name in FIRST:
        first, other = FIRST[name]
        subprocess.run([kurbel, first, input_file(source, other), "--quiet"], cwd=source, check=True)
    check = subprocess.run([kurbel, "check", file], capture_output=True, text=True).stdout
    command = "simulate" if "not for `kurbel optimize`" in check else "optimize"
    numbers = folder.with_suffix(".json")
    numbers.unlink(missing_ok=True)
    options = ["--output", folder, "--json", numbers, "--quiet"] + (["--overwrite"] if command == "optimize" else [])
    before = cpu_seconds()
    code = subprocess.run([kurbel, command, file, *options]).returncode
    if code not in range(4):  # the codes of `kurbel --help`: others are of a program that did not run, or was killed
        raise SystemExit(f"gallery.sh: {name}: {kurbel} ended with {code}; its row stays as it was")
    row = {"command": command, "cpu_seconds": round(cpu_seconds() - before, 2), "code": code}
    told = json.loads(numbers.read_text()) if numbers.exists() else {}
    row |= {key: told[key] for key in ["psi", "status", "evaluations"] if key in told}
    picture = next((folder / p for p in PICTURES if (folder / p).exists()), None)
    if picture:
        image = Image.open(picture).convert("RGB")
        image.resize((WIDTH, image.height * WIDTH // image.width), Image.LANCZOS).quantize(64).save(
            source / "docs/gallery" / f"{name}.png", optimize=True)
    return row


def duration(seconds):
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def told(row):
    """The cell of the table that tells of a run."""
    text = f"`{row['command']}`" + (f", {duration(row['cpu_seconds'])}" if "cpu_seconds" in row else "")
    text += f", {row['status']}" if "status" in row else ""
    text += f", psi = {row['psi']:.5g}" if isinstance(row.get("psi"), float) else ""
    return text + (f", exit code {row['code']}" if row["code"] else "")


def page(source, known, lines):
    text = ["# Gallery", "", "Every shipped input. `kurbel new NAME` copies one to start from. Pictures and times (of the processors) are of",
            "real runs by `scripts/gallery.sh`, each in the default settings; an input without a time was not run lately."]
    files = sorted(((input_file(source, name).relative_to(source), name) for name in lines), key=lambda f: (f[0].parent, f[1]))
    for folder, group in groupby(files, key=lambda f: f[0].parent):
        text += [""] + ([f"## {folder.name.capitalize()}", ""] if folder.name != "inputs" else []) + ["| | input | run |", "|---|---|---|"]
        for file, name in group:
            picture = f"![{name}]({name}.png)" if (source / f"docs/gallery/{name}.png").exists() else ""
            line = lines[name].replace("|", chr(92) + "|")
            text.append(f"| {picture} | [`{name}`](../../{file})<br>{line} | {told(known[name]) if name in known else ''} |")
    return "\n".join(text) + "\n"


def main(kurbel, source, names):
    lines = purposes(kurbel)
    unknown = [name for name in names if name not in lines]
    if unknown:
        raise SystemExit(f"gallery.sh: there is no input {unknown[0]}; allowed: {', '.join(lines)}")
    folder = source / "docs/gallery"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "gallery.json"
    known = json.loads(file.read_text()) if file.exists() else {}
    for name in names or lines:
        known[name] = run(kurbel, source, name)
        print(f"{name}: {duration(known[name]['cpu_seconds'])}", flush=True)
        file.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")
    (folder / "index.md").write_text(page(source, known, lines))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3:])
