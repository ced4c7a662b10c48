"""Draws docs/scaling.png from the tables of docs/performance.md: time and memory of an evaluation over the number of elements.

Usage: scaling.py SOURCE. The exponents are those of least squares in the logarithms from 10 000 elements on.
"""

import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def rows(text, first_heading):
    """The rows of the table whose first column is called so, as lists of cells."""
    lines = text.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith(f"| {first_heading} |"))
    table = []
    for line in lines[begin + 2:]:
        if not line.startswith("|"):
            return table
        table.append([cell.strip() for cell in line.strip("|").split("|")])
    return table


def number(cell):
    """57 MB in GB, seconds as they are, a product of divisions as its result."""
    value = float(re.search(r"[\d. ]+$", cell.replace("MB", "").replace("GB", "").replace("s", "").strip())[0].replace(" ", ""))
    return value / 1000 if "MB" in cell else value


def drawn(axes, elements, values, name, colour, marker):
    x, y = np.array(elements), np.array(values)
    fitted = x >= 1e4
    exponent = np.polyfit(np.log(x[fitted]), np.log(y[fitted]), 1)[0]
    axes.loglog(x, y, color=colour, marker=marker, label=f"{name}: exponent {exponent:.2f}")


def main():
    source = Path(sys.argv[1])
    text = (source / "docs/performance.md").read_text(encoding="utf-8")
    quads, hexes = rows(text, "elements"), rows(text, "hexahedra")
    figure, (time, memory) = plt.subplots(1, 2, figsize=(9.0, 3.0), layout="constrained")
    n = [number(row[0]) for row in quads]
    drawn(time, n, [number(row[5]) for row in quads], "quadrilaterals", "tab:blue", "o")
    drawn(memory, n, [number(row[7]) for row in quads], "quadrilaterals", "tab:blue", "o")
    for column, name, colour, marker in [(1, "hexahedra, uniform", "tab:orange", "s"), (2, "hexahedra, solid and void", "tab:red", "^")]:
        known = [row for row in hexes if row[column]]
        drawn(time, [number(row[0]) for row in known], [number(row[column]) for row in known], name, colour, marker)
    drawn(memory, [number(row[0]) for row in hexes], [number(row[3]) for row in hexes], "hexahedra", "tab:red", "^")
    time.set_ylabel("objective and gradient in s")
    memory.set_ylabel("peak memory in GB")
    for axes in (time, memory):
        axes.set_xlabel("elements")
        axes.grid(True, which="major", alpha=0.3)
        axes.legend(frameon=False, fontsize=8)
    figure.savefig(source / "docs/scaling.png", dpi=110)


if __name__ == "__main__":
    main()
