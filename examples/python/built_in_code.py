"""A problem built in code: a dict in the place of a file, a frequency response, and an absorber that is tuned.

Each `# %%` begins a cell, in editors that know notebooks. Needs Debian's python3-kurbel, python3-numpy and
python3-matplotlib.
"""

# %% A machine on springs carries an absorber, a tenth of its mass on a spring and a damper. Keys are those of input files.
import kurbel
import matplotlib.pyplot as plt
import numpy as np

m, mu, f_0, force = 100.0, 0.1, 5.0, 200.0
omega_0 = 2 * np.pi * f_0
k = m * omega_0**2


def machine(stiffness, damping):
    return {
        "title": "A machine with an absorber",
        "analysis": "frequency-response",
        "formulation": "natural-coordinates",
        "frequency_response": {"from": 3.0, "to": 7.0, "points": 201},
        "bodies": {
            "machine": {"type": "point", "mass": m, "free": ["x"]},
            "absorber": {"type": "point", "mass": mu * m, "free": ["x"]},
        },
        "springs": {
            "foundation": {"law": "linear", "from": "ground", "to": "machine", "stiffness": k},
            "absorber": {"law": "linear", "from": "machine", "to": "absorber", "stiffness": stiffness, "damping": damping},
        },
        "loads": {"imbalance": {"marker": "machine", "force": [{"type": "harmonic", "amplitude": force}, 0.0, 0.0]}},
        "outputs": {"machine": {"type": "position", "marker": "machine", "axes": ["x"]}},
        "objective": {"type": "output", "output": "machine", "amplitude": "p-norm", "exponent": 80},
        "variables": {
            "stiffness": {"quantity": "springs.absorber.stiffness", "lower": 0.5 * stiffness, "upper": 1.5 * stiffness},
            "damping": {"quantity": "springs.absorber.damping", "lower": 0.2 * damping, "upper": 5.0 * damping},
        },
        "optimizer": {"method": "mma", "stop": {"iterations": 60}},
    }


# %% The start: the frequency of the absorber alone is that of the machine alone. Keys may also be paths, as of --set.
p = kurbel.Problem(machine(mu * k, 0.1 * mu * m * omega_0))
coarse = kurbel.Problem(machine(mu * k, 0.1 * mu * m * omega_0), overrides={"frequency_response.points": 11})
print("amplitudes at", coarse.simulate(coarse.x0)["frequency"]["values"], "Hz:", coarse.simulate(coarse.x0)["machine.x"]["values"], "m")

# %% A mistake is named with its key.
try:
    kurbel.Problem(machine(-1.0, 0.0))
except kurbel.InputError as error:
    print(error)
else:
    raise AssertionError("a negative mass is taken")

# %% The absorber is tuned: least amplitude over all frequencies. Den Hartog's rule has the peak sqrt(1 + 2 / mu) force / k.
tuned = p.optimize()
before, after = p.simulate(p.x0), p.simulate(tuned.x)
rule = np.sqrt(1 + 2 / mu) * force / k
print(f"largest amplitude: {before['machine.x']['values'].max():.3e} m, tuned {after['machine.x']['values'].max():.3e} m, by the rule {rule:.3e} m")
assert abs(after["machine.x"]["values"].max() - rule) < 0.01 * rule

# %% Amplitude and phase over the frequency, and the modes.
figure, axes = plt.subplots(2, 1, figsize=(6, 4), sharex=True)
for response, label in ((before, "start"), (after, "tuned")):
    axes[0].plot(response["frequency"]["values"], 1e3 * response["machine.x"]["values"], label=label)
    axes[1].plot(response["frequency"]["values"], response["machine.x phase"]["values"])
    print(label, "modes:", response["modes.frequency"]["values"], "Hz, damping ratios", response["modes.damping ratio"]["values"])
axes[0].axhline(1e3 * rule, color="gray", linewidth=0.5), axes[0].legend()
axes[0].set_ylabel("amplitude, mm"), axes[1].set_ylabel("phase, deg"), axes[1].set_xlabel("f, Hz")
figure.tight_layout()
figure.savefig("response.png")
