/// @file
/// Private to the files that see HDF5: how the bytes of a file reach the disk.
///
/// HDF5 does not survive a write that fails: it keeps what it could not write, tries again when the file is
/// closed and once more at the end of the program, and crashes there. So HDF5 is never told. This driver
/// keeps the first failure for us to ask; what HDF5 writes from then on it holds in memory, so that the
/// library can close the file in good order and we can throw it away.
#pragma once

#include <hdf5.h>

#include <memory>

namespace kurbel {

/// What became of the bytes of one file.
struct Hdf5WriteLog {
  int error = 0;         ///< errno of the first write that failed; 0 while all went well
  bool durable = false;  ///< closing waits until the bytes are on the disk, and its failure counts
};

/// Makes files that are opened with this list of access properties use the driver.
void hdf5_use_driver(hid_t access_list, const std::shared_ptr<Hdf5WriteLog>& log);

}  // namespace kurbel
