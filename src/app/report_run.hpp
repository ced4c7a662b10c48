/// @file
/// Collects what a report shows of a run.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace kurbel {

/// All that a page shows of the run in a folder, simulated once more at its result:
///
///     name, title, status, version, input, overrides
///     words       sentences that state the problem
///     functions   rows {name, unit, value, cut, bound, verdict} of the result and its cut
///     history     {columns, rows, values}: by iteration, column by column
///     bounds      by name of a column: {lower, upper}
///     numbers     sentences that state the result
///     times       {axis, t, panels: [{name, unit, rows, values}]}
///     curves      the same over frequency, with logarithmic: true
///     tables      [{name, columns, rows}] of numbers
///     phases      [{name, seconds}]
///     bodies      [{name, flat, points, triangles, cells, densities: [{iteration, values}], cut, sensitivity,
///                  shapes: [{name, shape}], stresses: [{name, unit, values}], negative where there is none}]
///     motion      as motions_of() describes it
///     pictures    [{title, data}] PNG files, base64
///     warnings    what is omitted, and why
///
/// Arrays of numbers are packed (report/packed.hpp).
/// @throws InputError if there is no run in the folder, or one without a result
nlohmann::json report_of_run(const std::filesystem::path& folder);

}  // namespace kurbel
