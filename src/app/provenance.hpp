/// @file
/// Provenance of evaluations: all that they depend on, and whether those of an earlier run still hold.
#pragma once

#include <string>
#include <vector>

#include "output/run_file.hpp"
#include "problem/problem.hpp"

namespace kurbel {

/// Everything that the evaluations and their sequence depend on: the keys of the input after includes and
/// overrides, as TOML with numbers in one form; the contents of the files that it names, as "content DIGEST
/// NAME"; the program and its build. Left out is what only ends a run or says what it writes: title,
/// optimizer.stop, output; and the number of threads, on which results do not depend.
/// @throws InputError if a file that the input names cannot be read
std::vector<ProvenancePart> provenance_of(const Problem& problem);

/// Differences, one phrase per part: "bodies.rod.mass = 5 (was 0.9)". The build, which moves rounding errors
/// alone, is not compared.
std::vector<std::string> differences(const std::vector<ProvenancePart>& stored,
                                     const std::vector<ProvenancePart>& now);

/// Warns if another build of the program computed what the run keeps.
/// @throws InputError that says what differs between what the evaluations of the run in `folder` depend on
/// and what those of the problem at hand would
void require_same_provenance(const std::filesystem::path& folder, const RunReader& run,
                             const std::vector<ProvenancePart>& now);

}  // namespace kurbel
