/// @file
/// kurbel as a library: `find_package(kurbel)`, link `kurbel::kurbel`, include this. Study is a problem with all that is
/// made of it once; StudyEvents hears of its work; ProblemBuilder states a problem in code. A mistake in an input throws
/// InputError, with the program's text; a numerical failure is a Status with the same text.
#pragma once

#include "base/errors.hpp"
#include "problem/problem_builder.hpp"
#include "study/motion_tables.hpp"
#include "study/study.hpp"
