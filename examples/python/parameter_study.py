"""A parameter study: the flexible crank for several amounts of material, and what each costs.

`kurbel study` does this from a file, resumable and on clusters; from Python one has the numbers in hand. Copy the input to
this folder first:

    kurbel new flexible_crank_small

Needs Debian's python3-kurbel, python3-numpy and python3-matplotlib.
"""

# %% Problems work in threads side by side: the interpreter's lock is released while one computes.
from concurrent.futures import ThreadPoolExecutor

import kurbel
import matplotlib.pyplot as plt
from matplotlib.collections import PolyCollection

VOLUMES = [0.4, 0.5, 0.6, 0.7]


def optimize(volume):
    settings = {
        "constraints.volume_fraction": volume,
        "bodies.crank.mesh.divisions": [50, 10],
        "filter.radius": 9e-3,
        "projection.beta_interval": 8,
        "projection.beta_max": 16,
        "optimizer.stop.iterations": 120,
    }
    with kurbel.Problem("flexible_crank_small.toml", overrides=settings) as p:
        result = p.optimize()
        return {"volume": volume, "result": result, "body": p.fields(result.x)["crank"], "mass": p.sids(result.x)["crank"]["mass"]}


with ThreadPoolExecutor(max_workers=2) as pool:
    variants = list(pool.map(optimize, VOLUMES))

# %% The table.
for v in variants:
    print(f"volume {v['volume']:.2f}: {v['mass']:.4f} kg, psi = {v['result'].objective:.4e}, {v['result'].status}")

# %% Objective against mass: more material, less deformation.
plt.figure(figsize=(5, 3))
plt.plot([v["mass"] for v in variants], [v["result"].objective for v in variants], "o-")
plt.xlabel("mass, kg"), plt.ylabel("psi, J s")
plt.tight_layout()
plt.savefig("study.png")

# %% The shapes.
figure, rows = plt.subplots(len(variants), figsize=(6, 1.4 * len(variants)))
for axes, v in zip(rows, variants):
    corners = v["body"]["points"][:, :2][v["body"]["cells"][0]]
    axes.add_collection(PolyCollection(corners, array=-v["body"]["density"], cmap="gray", clim=(-1, 0)))
    axes.autoscale_view(), axes.set_aspect("equal"), axes.set_axis_off()
    axes.set_title(f"volume {v['volume']:.2f}", fontsize=8)
figure.savefig("shapes.png")
