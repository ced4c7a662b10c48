/// @file
/// The memory of the machine.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace kurbel {

/// Bytes of address space that the limits of the process (ulimit -v) leave it; infinite without such a limit.
double available_address_space();

/// Bytes that the control groups of a process leave it, of both versions; infinite without a limit. Jobs of clusters and
/// containers have such groups. Beyond memory.high processes go on, but so slowly that it counts as a limit.
/// @param mounted  the folder in which their files are, /sys/fs/cgroup
/// @param groups   the file that names those of the process, /proc/self/cgroup
double available_in_control_groups(const std::filesystem::path& mounted, const std::filesystem::path& groups);

/// Bytes that all processes of the system, or of the control groups of this one, can still take together, with swap.
/// Infinite if the system does not state it.
double available_memory_of_processes();

/// Bytes that this process can still take: these, as far as its own limits allow.
double available_memory();

/// The memory of a process, bytes; zeros if it is not known.
struct ProcessMemory {
  double resident = 0.0, address_space = 0.0;
};
ProcessMemory memory_of_process(pid_t pid);

/// Number of processes that the kernel has ended since its start because memory, also that of a control group, was short.
/// 0 if it does not tell.
double n_killed_for_memory();

}  // namespace kurbel
