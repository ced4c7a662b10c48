/// @file
/// The kernels of OpenBLAS, on which sparse factors spend most of their time.
#pragma once

#include <string>

namespace kurbel::fem {

/// Takes kernels with AVX-512 or AVX2 if the processor has these instructions and OpenBLAS did not take such ones. It
/// chooses by the model of the processor, and gives to a model that is newer than itself those of the oldest one, which were
/// measured to take five times as long. A choice by OPENBLAS_CORETYPE stays. Other programs that this one starts have the
/// same kernels, and so the same bits. With another BLAS nothing happens.
///
/// No other thread may use the BLAS meanwhile, so that libraries leave it to their programs.
/// @return the name of the new kernels; empty if they are what they were
std::string take_kernels_of_processor();

/// Leaves OpenBLAS, whose dense kernels below the sparse factorization cut their sums by the number of threads, at
/// one from the start of the program on, not only from the first factorization: over the small systems of an
/// interior-point method several wait for each other, for seconds on a busy machine.
void leave_one_blas_thread();

}  // namespace kurbel::fem
