/// @file
/// The arguments that the user typed after `kurbel`.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace kurbel {

/// How `reduce` writes standard input data.
enum class SidFormat { hdf5, text, both };

enum class Command {
  optimize,
  gradient,
  simulate,
  reduce,
  check,
  export_shape,
  verify,
  report,
  study,
  converge,
  import_robot,
  examples,
  new_problem,
  info,
  schema
};

/// "optimize", "gradient", ...
const char* name_of(Command command);

struct CommandLine {
  Command command = Command::optimize;
  std::string
      file;  ///< problem file; SID or run file for `info`, folder of a run for `export`, `verify`, `report`, robot for `import`, example for `new`; empty only with `resume`, `shape` and `finer`
  std::filesystem::path
      output;  ///< empty: the default folder of the run, or file of `import`, `new`, `report`
  std::vector<std::string> overrides;  ///< "key.path=value", in the order given
  std::filesystem::path density;    ///< density to start from or to evaluate at; empty: that of the problem
  std::filesystem::path variables;  ///< variables.csv to start from or to evaluate at; empty: the problem's
  std::filesystem::path json;       ///< where the numbers go; empty: nowhere
  std::filesystem::path resume;     ///< optimize only: folder of the run to go on with; empty: a new run
  std::filesystem::path shape;  ///< optimize only: folder of the run whose shape is optimized; empty: none
  std::filesystem::path
      finer;        ///< optimize only: folder of the run that continues on a finer mesh; empty: none
  int threads = 0;  ///< 0: all processors
  bool quiet = false;
  bool overwrite =
      false;  ///< an unfinished run in the folder, or files of `export`, `verify`, `import`, `new`, may be replaced

  SidFormat format = SidFormat::hdf5;         ///< reduce only
  int convergence = 0;                        ///< reduce only: largest number of modes to compare; 0: none
  bool modes = false;                         ///< reduce only: mode shapes to look at
  bool derivatives = false;                   ///< reduce only: augmented standard input data
  std::vector<std::string> coefficients, by;  ///< reduce --derivatives; empty: all
  std::optional<double> drop_below;           ///< reduce --derivatives: share of the gradient

  bool cut = false;  ///< simulate only: the design cut to solid and void

  std::string unit = "mm";                                        ///< export only: of lengths in the files
  bool stl = false, threemf = false, step = false, mesh = false;  ///< export only: which files; none: .stl

  int jobs = 0;       ///< study only: runs at a time; 0: one per processor, as far as memory suffices
  std::string array;  ///< study only: "K/N", the share of the variants to run; empty: all

  std::vector<double> mesh_factors;  ///< converge only: by which meshes are finer; empty: the default

  std::string other;  ///< report only: folder of a run to compare with; empty: none

  bool markdown = false;  ///< schema only: a page to read instead

  int check = 0;           ///< gradient only: elements to compare with differences; 0: no check
  bool over_time = false;  ///< gradient only: also as it grows over time
  /// gradient --check: largest relative error, and uncertainty of the differences, that agrees; if not given,
  /// ten times that uncertainty, between 1e-6 and 1e-2
  std::optional<double> tolerance;
  unsigned seed = 1;  ///< gradient --check: of the random choice
};

/// Reads the arguments. For --help and --version it prints to `out` and returns nothing.
/// @throws InputError with one line if they are unusable
std::optional<CommandLine> parse_command_line(int argc, const char* const* argv, std::ostream& out);

}  // namespace kurbel
