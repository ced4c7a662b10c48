/// @file
/// kurbel as a library: `find_package(kurbel)`, link `kurbel::kurbel`, include this header. Study evaluates and optimizes a
/// problem; StudyEvents reports its work; ProblemBuilder states a problem in code. A mistake in an input throws
/// InputError, a numerical failure is a Status, both with the message of the program.
#pragma once

#include "base/errors.hpp"
#include "fem/blas_kernels.hpp"
#include "problem/problem_builder.hpp"
#include "study/motion_tables.hpp"
#include "study/study.hpp"
#include "study/study_functions.hpp"
