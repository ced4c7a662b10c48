/// @file
/// The memory of the machine.
#pragma once

#include <filesystem>

namespace kurbel {

/// Bytes of address space that the limits of the process (ulimit -v) leave it; infinite without such a limit.
double available_address_space();

/// Bytes that the control groups of a process leave it, of both versions; infinite without a limit. Jobs of clusters and
/// containers have such groups.
/// @param mounted  the folder in which their files are, /sys/fs/cgroup
/// @param groups   the file that names those of the process, /proc/self/cgroup
double available_in_control_groups(const std::filesystem::path& mounted, const std::filesystem::path& groups);

/// Bytes that this process can still take: what the system has left without and with swap, as far as the
/// limits of the process and of its control groups allow. Infinite where nothing tells.
double available_memory();

}  // namespace kurbel
