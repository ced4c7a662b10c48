/// @file
/// Counts what is allocated, in a program whose one source file includes this.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

namespace {
std::atomic<long> allocations{0};
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define KURBEL_COUNTS_ALLOCATIONS 1
extern "C" void* __libc_malloc(std::size_t size);
/// In place of the library's, for everything that the program links.
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
#endif

namespace kurbel {

class Allocations : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef KURBEL_COUNTS_ALLOCATIONS
    GTEST_SKIP() << "allocations are counted with the GNU C library, without sanitizer";
#endif
  }
};

}  // namespace kurbel
