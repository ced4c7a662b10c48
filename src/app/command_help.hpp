/// @file
/// The texts of `kurbel --help` and `kurbel COMMAND --help` beside the options.
#pragma once

namespace kurbel::help {

inline constexpr const char* description =
    R"(kurbel: topology optimization of flexible bodies inside their running mechanism

Examples
  $ kurbel new flexible_crank
  $ kurbel check flexible_crank.toml
  $ kurbel optimize flexible_crank.toml --set constraints.volume_fraction=0.4 --output outputs/light
  $ kurbel optimize --resume outputs/light --set optimizer.stop.iterations=400
  $ kurbel simulate flexible_crank.toml --density outputs/light/final.vtu --cut
  $ kurbel verify outputs/light
  $ kurbel export outputs/light
  $ kurbel report outputs/light
)";

inline constexpr const char* footer = R"(`kurbel COMMAND --help` explains the options of a command.

Exit codes
  0  done
  1  the gradient check found a difference, or cannot tell
  2  unusable input: a message says where; earlier results are unchanged
  3  numerical failure: a message says when, where and what to try; or a file or the standard output cannot be
     written, as on a full disk; all results so far are on disk
  128 + N  the signal N (SIGINT, SIGTERM or SIGHUP) ended a command other than `optimize`
)";

inline constexpr const char* optimize_footer = R"(Writes to DIR
  density.pvd    densities of the iterations, for ParaView (arrays density, design, sensitivity), a block for each
                 body if there are several
  motion.pvd     the moving, deformed mechanism with the final design; with [cases] motion_CASE.pvd
  final.vtu      the arrays of density.pvd for the result; all bodies are one grid
  density.png    picture of the final design
  cut.vtu, cut.png   the final design cut to solid and void at its own volume
  history.csv    objective, criteria, volume, mass, grey level, change and [variables] per iteration
  convergence.png   objective, constraints, grey level and beta over the iterations, updated every ten
  variables.csv  [variables] and nodes of controls after the last iteration, for --variables
  histories.csv  energies, positions, velocities and forces over time
  control.csv, states.csv, outputs.csv, adjoint.csv   time histories of [controls], states, [outputs] and
                 adjoint variables, if the problem has them; each with a picture (.png)
  timing.csv     time per phase
  run.h5         input, standard input data, trajectory, designs: all that --resume needs
  run.log        the log
Ctrl-C finishes the current evaluation, writes all of this and ends; --resume goes on from there.
A finished run in DIR is replaced. The command is refused if DIR has an unfinished run, or files of these names that no run
wrote.
)";

inline constexpr const char* gradient_footer = R"(Writes to DIR
  gradient.vtu   density, sensitivity (by the density of each element) and design_sensitivity (by the design
                 variables, through filter and projection), for ParaView; sensitivity_NAME of constraints
  sensitivity.png, histories.csv and .png, run.log
  gradient.csv   the gradient by [variables], with variables.csv; or, for bodies of type "sid" whose files hold
                 derivatives (`kurbel reduce --derivatives`), by their design variables
  gradient_over_time.csv and .png   the contribution of the motion up to each instant (--over-time)
With --check, a table compares the gradients of psi and of all constraints with differences. The exit code is 1 if a
gradient differs, or if the differences cannot tell.
)";

inline constexpr const char* simulate_footer = R"(Writes to DIR
  motion.pvd     the moving, deformed mechanism, for ParaView; with [cases] motion_CASE.pvd
  histories.csv  energies, positions, velocities and forces over time
  control.csv, states.csv, outputs.csv   time histories of [controls], states and [outputs], if the problem has
                 them; each with a picture (.png)
  cut.vtu, cut.png   with --cut
  run.h5         standard input data and trajectory
  run.log
A body of type "sid" takes its data from a file and needs no mesh.
)";

inline constexpr const char* reduce_footer = R"(Writes to DIR
  sid.h5         standard input data of all bodies: for `kurbel info`, for bodies of type "sid", for other programs
                 (--derivatives adds dM0, dM1, dMn of each coefficient; the log tells the size first)
  BODY.SID_FEM   the data of one body as text in the form of FEMBS and SIMPACK (--format text or both)
  modes.pvd      one oscillation of each mode after the other: mode 3 from time 3 to 4; a block for each body (--modes)
  BODY_modes.vtu the shapes of a body as arrays (--modes)
  convergence.csv  the table of --convergence
  run.log
)";

inline constexpr const char* check_footer =
    R"(Prints bodies, joints, degrees of freedom, redundant constraints, what varies, objective, constraints, steps, and
estimates of memory and time, for which a few time steps are simulated. Coarser meshes stand in for large ones. Writes
only what --json and --output ask for. FILE may also be a part, a mesh or a geometry: its size, sets and surfaces are
printed.
)";

inline constexpr const char* export_footer =
    R"(Writes into RUN, or into DIR, the smoothed shape of every body whose densities or surface vary, with the volume of the
design cut to solid and void. Clamps, markers and regions stay where they are.
  BODY.stl   the surface of the solid; flat bodies are extruded by their thickness
  BODY.3mf   the same surface with its name and unit, for printers
  BODY.step  a flat body as a solid of CAD: its outline as splines and lines, extruded
  BODY.inp   a mesh for Abaqus, CalculiX or kurbel, with the sets and surfaces of the part by name
)";

inline constexpr const char* verify_footer =
    R"(Meshes the shapes that `export` writes with quadratic triangles or tetrahedra, and evaluates the same problem with them:
the same mechanism or bodies at rest, modes, cases, criteria and bounds. Prints a table of
  design   the result of the optimizer
  cut      the design cut to solid and void, on the mesh of the design
  fitted   the shape, on a mesh that fits it
with psi, criteria, volume, mass, and for each body its first frequency and its largest stress away from clamps and
markers; for a body at rest the largest stress in the elements of its criteria, or else anywhere.
Writes the meshes into RUN, or into DIR (BODY_verified.inp, lengths in m), and values of other variables
(variables_verified.csv).
)";

inline constexpr const char* report_footer =
    R"(Writes RUN/report.html, one file that needs no network: the problem in words, the design over the iterations and cut,
gradient, modes, the moving mechanism in 3D, convergence with bounds, curves over time, times of the phases, the input. For
bodies at rest it shows displacements and stresses, for vibrations each mode and the response. With OTHER it shows both
runs and their differences. The result is simulated once more. While a run goes on, the page shows its last stored design.
)";

inline constexpr const char* study_footer =
    R"(FILE names a problem and the keys that vary:
  problem = "flexible_crank.toml"          # from the folder of FILE
  command = "optimize"                     # or "simulate"
  sampling = "grid"                        # or "list": n-th values together; or "latin-hypercube" between two bounds
  samples = 20                             # size of a Latin hypercube; seed = 2 gives another one
  [study]
  "constraints.volume_fraction" = [0.3, 0.4, 0.5]

Writes to DIR
  study.csv, study.html   values, status, functions and Pareto fronts of each variant; the page has plots and pictures
  study.svg               every function over every parameter and over psi
  VARIANT/, VARIANT.log, VARIANT.json   the run of each variant
A second call runs only what is missing. A failed variant does not stop the others. The exit code is 3 if a variant failed,
and 2 if the inputs of all variants (with --array, of the share) are unusable.
On a cluster: kurbel study FILE --output DIR --array $SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT
)";

inline constexpr const char* converge_footer =
    R"(Evaluates FILE at its start design, or at --density and --variables, on finer meshes, with more modes and with shorter
steps, one at a time. Richardson's extrapolation estimates the errors. Prints all values, their errors, and each number
with the digits that hold. A note names numbers that do not converge monotonically or do not settle. Meshes of parts become
finer where `mesh.size` is stated.
Writes to DIR
  convergence.csv, convergence.png   errors; relative deviations over the refinement
  run.log
)";

inline constexpr const char* import_footer =
    R"(Links with a mass become rigid bodies, links without one become markers. Joints keep axes and damping; their limits
become comments. The result can be checked and simulated. Then replace a body by a flexible one, and give joints drives or
controls.
)";

inline constexpr const char* new_footer =
    R"(Files that the input includes, and parts that it reads, are copied beside it under their own names.
)";

inline constexpr const char* schema_footer =
    R"(Prints a JSON Schema (draft 7), by which editors such as Visual Studio Code with Even Better TOML complete and check problem
files. Write it to kurbel.schema.json, and `#:schema ./kurbel.schema.json` as the first line of FILE.toml.
)";

inline constexpr const char* density_help =
    "densities to evaluate: the final.vtu of a run, another .vtu file with the cell array `density`, or a "
    "text "
    "file with one value per element. optimize starts from the array `design` of the file, or without it "
    "from the "
    "densities";

inline constexpr const char* variables_help =
    "variables to start from or to evaluate: the variables.csv of a run";

}  // namespace kurbel::help
