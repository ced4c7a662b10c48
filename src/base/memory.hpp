/// @file
/// The memory of the machine.
#pragma once

namespace kurbel {

/// Bytes of address space that the limits of the process (ulimit -v) leave it; infinite without such a limit.
double available_address_space();

/// Bytes that this process can still take: what the system has left without and with swap, as far as the
/// limits of the process and of its control group allow. Infinite where nothing tells.
double available_memory();

}  // namespace kurbel
