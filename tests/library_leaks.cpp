/// @file
/// What the leak sanitizer is to overlook: HDF5 loses a few bytes when a file cannot be closed (full disk),
/// VTK when a file ends in the middle of its data, and fontconfig keeps its fonts where the sanitizer does
/// not look.

extern "C" const char* __lsan_default_suppressions();

extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5_serial\nleak:vtkUnsignedCharArray::New\nleak:libfontconfig\n";
}
