/// @file
/// The texts of `kurbel --help` and `kurbel COMMAND --help` beside the options.
#pragma once

namespace kurbel::help {

inline constexpr const char* description =
    R"(kurbel: topology optimization of flexible bodies inside their running mechanism

Examples
  kurbel new flexible_crank
  kurbel optimize inputs/flexible_crank.toml
  kurbel optimize inputs/flexible_crank.toml --set constraints.volume_fraction=0.4 --output outputs/light
  kurbel optimize --resume outputs/light --set optimizer.stop.iterations=400
  kurbel gradient inputs/cranks/flexible_crank_small.toml --check 10
  kurbel simulate inputs/flexible_crank.toml --density outputs/flexible_crank/density/density_00050.vtu --json psi.json
  kurbel simulate inputs/flexible_crank.toml --density outputs/flexible_crank/final.vtu --cut
  kurbel export outputs/flexible_crank
  kurbel verify outputs/flexible_crank
  kurbel report outputs/flexible_crank
  kurbel study volumes.toml --jobs 4
  kurbel reduce inputs/flexible_crank.toml --output outputs/crank_sid
  kurbel reduce inputs/flexible_crank.toml --derivatives --drop-below 1e-4
  kurbel check inputs/cranks/four_bar.toml
  kurbel converge inputs/cranks/flexible_crank_small.toml
  kurbel optimize --finer outputs/flexible_crank_small
  kurbel import robot.urdf
  kurbel info outputs/crank_sid/sid.h5
  kurbel schema > kurbel.schema.json
  kurbel optimize inputs/papers/spring_pendulum.toml
)";

inline constexpr const char* footer = R"(`kurbel COMMAND --help` explains the options of a command.

Exit codes
  0  done
  1  the gradient check found a difference, or cannot tell
  2  unusable input: a message says where; no earlier result is touched
  3  numerical failure: a message says when, where and what to try; or a file cannot be written (a full disk),
     or what check, info and schema print; all results so far are on disk
)";

inline constexpr const char* optimize_footer = R"(Writes to DIR
  density.pvd    densities of the iterations, for ParaView (arrays density, design, sensitivity), of several bodies
                 with a block under the name of each
  motion.pvd     the moving, deformed mechanism with the final design; of several cases motion_CASE.pvd
  final.vtu      the same arrays of the result, and body; all bodies are one grid
  density.png    picture of the final design
  cut.vtu, cut.png   the final design cut to solid and void at its own volume, as it was simulated
  history.csv    objective, criteria, volume, mass, grey level, change and [variables] per iteration
  convergence.png   objective, constraints, grey level and beta over the iterations, every ten of them
  variables.csv  [variables] and nodes of controls after the last iteration, for --variables
  histories.csv  energies, places, speeds and forces over time
  control.csv, states.csv, outputs.csv, adjoint.csv   time histories of [controls], states, [outputs] and
                 adjoint variables, if the problem has them; each with a picture (.png)
  timing.csv     time per phase
  run.h5         input, standard input data, trajectory, designs: all that --resume needs
  run.log        what was said
Ctrl-C finishes the current evaluation, writes all of this and ends; --resume goes on from there.
A finished run in DIR is replaced. If DIR has an unfinished run, or files of these names that no run wrote, the command is
refused and nothing changes.
)";

inline constexpr const char* gradient_footer = R"(Writes to DIR
  gradient.vtu   density, sensitivity (by the density of each element) and design_sensitivity (by the design
                 variables, through filter and projection), for ParaView; with _NAME behind them those of
                 constraints
  sensitivity.png, histories.csv and .png, run.log
  gradient.csv   the gradient by [variables], with variables.csv; or, for bodies of type "sid" whose files hold
                 derivatives (`kurbel reduce --derivatives`), by their design variables
With --over-time, gradient_over_time.csv and .png: what the motion up to each instant contributes.
With --check, a table compares the gradients of psi and of all constraints with differences; exit code 1 if
one differs, or if the differences cannot tell.
)";

inline constexpr const char* simulate_footer = R"(Writes to DIR
  motion.pvd     the moving, deformed mechanism, for ParaView; of several cases motion_CASE.pvd
  histories.csv  energies, places, speeds and forces over time
  control.csv, states.csv, outputs.csv   time histories of [controls], states and [outputs], if the problem has
                 them; each with a picture (.png)
  cut.vtu, cut.png   with --cut
  run.h5         standard input data and trajectory
  run.log
A body of type "sid" takes its data from a file and needs no mesh.
)";

inline constexpr const char* reduce_footer = R"(Writes to DIR
  sid.h5         standard input data of all bodies: for `kurbel info`, for bodies of type "sid", for other programs
                 (with --derivatives augmented by dM0, dM1, dMn of each; the size is told before it is written)
  BODY.SID_FEM   the same of a body as text in the form of FEMBS and SIMPACK (--format text or both)
  modes.pvd      one oscillation of each mode after the other: mode 3 from time 3 to 4; a block for each body (--modes)
  BODY_modes.vtu the shapes of a body as arrays (--modes)
  convergence.csv  with --convergence
  run.log
)";

inline constexpr const char* check_footer =
    R"(Says of FILE: bodies, joints, degrees of freedom, redundant constraints, what varies, objective, constraints, steps,
memory. Writes nothing but --json and the pictures of --output. Large meshes are replaced by coarser ones here. A few
time steps are simulated, to estimate the time of a run.
)";

inline constexpr const char* export_footer =
    R"(Writes into RUN, for every body whose densities or surface vary, the shape that encloses the volume of the design cut to solid and
void, smoothed. Clamps, markers and regions stay where they are.
  BODY.stl   the surface of the solid; flat bodies are extruded by their thickness
  BODY.3mf   the same with its name and unit, for printers
  BODY.step  a flat body as a solid of CAD: its outline as splines and lines, extruded; read again and compared
  BODY.inp   a mesh for Abaqus, CalculiX or kurbel; the sets and surfaces of the part are there by name
)";

inline constexpr const char* verify_footer =
    R"(Shapes every body whose densities or surface vary as `export` does, meshes the shapes with quadratic triangles or tetrahedra, and
simulates the same mechanism with them, or asks the same of a body at rest: same modes, cases, criteria and
bounds. Prints a table of
  design   as the optimizer left it
  cut      cut to solid and void on the mesh of the design
  fitted   the shape, on a mesh that fits it
with psi, criteria, volume, mass, and of each body its first frequency and its largest stress away from clamps and
markers; of a body at rest the largest stress where its criteria look, or else anywhere.
Writes the meshes into RUN (BODY_verified.inp), lengths in m.
)";

inline constexpr const char* report_footer =
    R"(Writes RUN/report.html, one file that needs nothing else and no network: the problem in words, the design over the iterations
and cut, gradient, modes, the moving mechanism to be turned and played, convergence with bounds, curves over time, times of
the phases, the input. Of bodies at rest it shows displacements and stresses, of vibrations each mode and the response.
With OTHER it shows both runs and by how much they differ. The result is simulated once more. It works
while a run goes on, too: the page then shows the last stored design.
)";

inline constexpr const char* study_footer =
    R"(FILE names a problem and what of it varies:
  problem = "flexible_crank.toml"          # from the folder of FILE
  command = "optimize"                     # or "simulate"
  sampling = "grid"                        # or "list", values taken together, or "latin-hypercube" between two bounds
  samples = 20                             # of a Latin hypercube, and seed = 1
  [study]
  "constraints.volume_fraction" = [0.3, 0.4, 0.5]

Writes to DIR
  study.csv, study.html   a row per variant: values, status, psi, constraints; points, and pictures of the shapes
  VARIANT/, VARIANT.log, VARIANT.json   the runs; the name stands for the problem and the values of a variant
A study that is run again goes on with what is missing. Variants that failed do not stop the others; the exit code is 3 then.
On a cluster: kurbel study FILE --output DIR --array $SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT
)";

inline constexpr const char* converge_footer =
    R"(Evaluates FILE at its start design, or at --density and --variables, on finer and finer meshes, with more modes and with
shorter steps, one at a time. Where errors follow a power of the size, Richardson's extrapolation estimates them. Prints
every value, the errors, and each number by the digits that hold. A number that does not approach its limit from one side, or
whose steps do not become smaller, is said to. Meshes of parts become finer where `mesh.size` is stated.
Writes to DIR
  convergence.csv, convergence.png   errors; relative deviations over the refinement
  run.log
)";

inline constexpr const char* import_footer =
    R"(Links with a mass become rigid bodies, links without one markers; joints keep axes, dampings, and limits as comments. The
result can be checked and simulated as it is; then replace a body by a flexible one, and give joints drives or controls.
)";

inline constexpr const char* new_footer =
    R"(Files that the input includes, and parts that it reads, are copied beside it under their own names.
)";

inline constexpr const char* schema_footer =
    R"(Prints a JSON Schema (draft 7), by which editors complete and check problem files: kurbel schema > kurbel.schema.json,
and `#:schema ./kurbel.schema.json` as the first line of FILE.toml (Even Better TOML).
)";

inline constexpr const char* density_help =
    "start from / evaluate at the densities in this file: the final.vtu of a run, another .vtu file with the "
    "cell "
    "array `density`, or a text file with one value per element. They are physical densities, which are "
    "evaluated "
    "as they are. optimize starts from the variables (array `design`), or without them from the densities";

inline constexpr const char* variables_help =
    "start from / evaluate at the variables.csv that an earlier run left";

}  // namespace kurbel::help
