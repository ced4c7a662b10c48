/// @file
/// Tries in another process what may end the program, or may not end at all.
#pragma once

#include <functional>

namespace kurbel {

enum class TrialEnd { done, crashed, out_of_time };

/// Calls a function in a copy of this process. The copy writes nothing, and exceptions of the function are no fault.
/// Only this thread is copied: the function must not wait for another one, and no other thread may hold what it locks.
/// @param seconds  after which the copy is ended
/// @return `done` also where no process can be started
TrialEnd try_in_a_copy(const std::function<void()>& function, unsigned seconds);

}  // namespace kurbel
