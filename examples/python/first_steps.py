"""First steps: a problem, its functions, an exact gradient, a motion, a design, an optimization.

Each `# %%` begins a cell, in editors that know notebooks. Copy the input to this folder first:

    kurbel new flexible_crank_small

Needs Debian's python3-kurbel, python3-numpy and python3-matplotlib.
"""

# %% A problem file is read as the program reads it; overrides are those of --set. Here: a coarse mesh, few iterations.
import kurbel
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection

p = kurbel.Problem(
    "flexible_crank_small.toml",
    overrides={"bodies.crank.mesh.divisions": [50, 10], "optimizer.stop.iterations": 20},
)
print(p.title, "with", len(p.x0), "variables, the first of which is", p.names[0])

# %% The functions at the start: row 0 is the objective, the others are constraints, at most 0. Rows of g are gradients.
f, g = p.evaluate(p.x0)
print(dict(zip(p.functions, f)))

# %% The gradient is exact: it agrees with a difference along any direction.
direction = g[0] / np.linalg.norm(g[0])
h = 1e-3
difference = (p.evaluate(p.x0 + h * direction, gradient=False) - p.evaluate(p.x0 - h * direction, gradient=False)) / (2 * h)
print("slope of the objective:", g[0] @ direction, "by differences:", difference[0])
assert abs(g[0] @ direction - difference[0]) < 1e-4 * abs(difference[0])

# %% A motion is a table: names, values over time, units.
motion = p.simulate(p.x0)
kinetic = motion["energy.kinetic"]
plt.figure(figsize=(6, 3))
plt.plot(motion["t"]["values"], kinetic["values"])
plt.xlabel("t, s"), plt.ylabel(f"kinetic energy, {kinetic['unit']}")
plt.tight_layout()
plt.savefig("energy.png")

# %% The problem's own optimizer. The callback ends it by returning False; Ctrl-C does, too.
result = p.optimize(callback=lambda at: print(f"{at.iteration:3d}  {at.objective:.4e}"))
print(result.status, "-", result.message)


# %% The design as a picture. Corners are in VTK's order, so that pyvista draws them, too.
def draw(axes, body):
    corners = body["points"][:, :2][body["cells"][0]]
    axes.add_collection(PolyCollection(corners, array=-body["density"], cmap="gray", clim=(-1, 0)))
    axes.autoscale_view(), axes.set_aspect("equal"), axes.set_axis_off()


figure, axes = plt.subplots(figsize=(6, 1.5))
draw(axes, p.fields(result.x)["crank"])
figure.savefig("design.png")

# %% What a multibody program needs to know of the body: standard input data, as arrays.
sid = p.sids(result.x)["crank"]
print(f"{sid['mass']:.4f} kg, {len(sid['elastic_coordinates'])} elastic coordinates, Ke:", sid["Ke"]["M0"].shape)
