/// @file
/// The kernels of OpenBLAS, on which sparse factors spend most of their time.
#pragma once

#include <string>

namespace kurbel::fem {

/// Takes kernels with AVX-512 or AVX2 if the processor has these instructions and OpenBLAS did not take such ones. OpenBLAS
/// chooses by the model of the processor. Models that it does not know get the kernels of the oldest one, which were
/// measured to take five times as long for products of matrices. A choice by OPENBLAS_CORETYPE stays. Other programs that
/// this one starts have the same kernels, and so the same bits. With another BLAS nothing happens.
///
/// No other thread may use the BLAS meanwhile, so that libraries leave it to their programs.
/// @return the name of the new kernels; empty if they are what they were
std::string take_kernels_of_processor();

/// Limits OpenBLAS to one thread from the start of the program on, not only from the first factorization: its dense kernels
/// cut their sums by the number of threads, and over the small systems of an interior-point method several threads wait for
/// each other, for seconds on a busy machine.
void leave_one_blas_thread();

/// True if each call runs on the thread that calls it, for any thread of the program, after leave_one_blas_thread(). It is
/// not true of an OpenBLAS that was built with OpenMP, where the number of threads is a setting of the calling thread.
bool blas_may_be_called_in_threads();

}  // namespace kurbel::fem
