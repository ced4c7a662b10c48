"""An objective of your own, on top of what a motion shows, with its exact gradient by the chain rule.

A mass hangs on a spring, and forces act on it. They are to keep it 8 m from the origin for five seconds, with little effort:

    J(x) = int (l(t) - 8 m)^2 dt + w int u(t)^2 / 2 dt

The input knows nothing of this objective, but it has the length l among its [outputs]; the effort is added to them. SciPy
minimizes. Copy the input to this folder first:

    kurbel new spring_pendulum

Needs Debian's python3-kurbel, python3-numpy, python3-scipy and python3-matplotlib.
"""

# %% Outputs may be added by overrides, as any other part of a problem.
import kurbel
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import Bounds, minimize

p = kurbel.Problem("spring_pendulum.toml", overrides={"outputs.effort": {"type": "control-energy"}})
print("outputs:", p.outputs)

# %% J as a function of the outputs alone, and its derivatives by each of their values: the chain rule begins here.
LENGTH = 8.0  # m
WEIGHT = 0.02  # m^2/N^2


def weights_of_integral(t):
    """Of the trapezoidal rule."""
    w = np.zeros_like(t)
    w[:-1] += np.diff(t) / 2
    w[1:] += np.diff(t) / 2
    return w


def own(t, length, effort):
    w = weights_of_integral(t)
    J = w @ (length - LENGTH) ** 2 + WEIGHT * (w @ effort)
    return J, {"length": 2 * w * (length - LENGTH), "effort": WEIGHT * w}


# %% vjp() does the rest: the derivatives go backwards through the motion to every variable, in one sweep.
def objective(x):
    motion = p.simulate(x)
    J, seeds = own(*(motion[name]["values"] for name in ("t", "length", "effort")))
    return J, p.vjp(x, seeds)


# %% A difference along the gradient shows that it is exact.
J, gradient = objective(p.x0 + 0.1)
direction = gradient / np.linalg.norm(gradient)
h = 1e-4
difference = (objective(p.x0 + 0.1 + h * direction)[0] - objective(p.x0 + 0.1 - h * direction)[0]) / (2 * h)
print("slope:", gradient @ direction, "by differences:", difference)
assert abs(gradient @ direction - difference) < 1e-6 * abs(difference)

# %% Any optimizer takes it from there.
found = minimize(objective, p.x0, jac=True, method="L-BFGS-B", bounds=Bounds(p.lower, p.upper), options={"maxiter": 40})
print(f"J falls from {objective(p.x0)[0]:.3f} to {found.fun:.3f} in {found.nit} iterations")
assert found.fun < 0.2 * objective(p.x0)[0]

# %% The motion before and after.
plt.figure(figsize=(6, 3))
for x, label in ((p.x0, "without forces"), (found.x, "with the forces found")):
    motion = p.simulate(x)
    plt.plot(motion["t"]["values"], motion["length"]["values"], label=label)
plt.axhline(LENGTH, color="gray", linewidth=0.5)
plt.xlabel("t, s"), plt.ylabel("length, m"), plt.legend()
plt.tight_layout()
plt.savefig("length.png")
