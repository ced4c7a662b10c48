"""Runs shipped inputs and writes docs/gallery: index.md, gallery.json with what is known of every run, pictures.

Usage: gallery.py KURBEL SOURCE [NAME ...]. What cannot be optimized is simulated.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from PIL import Image

PICTURES = ["density.png", "control.png", "convergence.png", "outputs.png", "histories.png"]  # the first that a run has
WIDTH = 420


def purposes(kurbel):
    """Name and line of each shipped input, as `kurbel examples` prints them."""
    lines = subprocess.run([kurbel, "examples"], capture_output=True, text=True, check=True).stdout.split("\n\n")[0].splitlines()
    return {line.split()[0]: line.split(maxsplit=1)[1] for line in lines}


def run(kurbel, source, name):
    """What happened when an input was run."""
    file, folder = source / f"inputs/{name}.toml", source / "outputs/gallery" / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    check = subprocess.run([kurbel, "check", file], capture_output=True, text=True).stdout
    command = "simulate" if "not for `kurbel optimize`" in check else "optimize"
    numbers = folder.with_suffix(".json")
    numbers.unlink(missing_ok=True)
    options = ["--output", folder, "--json", numbers, "--quiet"] + (["--overwrite"] if command == "optimize" else [])
    began = time.monotonic()
    code = subprocess.run([kurbel, command, file, *options]).returncode
    row = {"command": command, "seconds": time.monotonic() - began, "code": code, "processors": os.cpu_count()}
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


def page(source, known, lines):
    text = ["# Gallery", "", "Every shipped input. `kurbel new NAME` copies one to start from. Pictures and times are of real runs by",
            "`scripts/gallery.sh`, each in the default settings; where there are none, the script was not run for that input yet.", "",
            "| | input | run |", "|---|---|---|"]
    for name, line in sorted(lines.items()):
        picture = f"![{name}]({name}.png)" if (source / f"docs/gallery/{name}.png").exists() else ""
        row = known.get(name)
        told = ""
        if row:
            told = f"`{row['command']}`, {duration(row['seconds'])} on {row['processors']} processors"
            told += f", {row['status']}" if "status" in row else ""
            told += f", psi = {row['psi']:.5g}" if isinstance(row.get("psi"), float) else ""
            told += f", exit code {row['code']}" if row["code"] else ""
        text.append(f"| {picture} | [`{name}`](../../inputs/{name}.toml)<br>{line.replace('|', chr(92) + '|')} | {told} |")
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
        print(f"{name}: {duration(known[name]['seconds'])}", flush=True)
        file.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")
    (folder / "index.md").write_text(page(source, known, lines))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3:])
