/// @file
/// What the leak sanitizer is to overlook: fontconfig keeps its fonts where the sanitizer does not look, and Gmsh 4.8
/// and OpenCASCADE lose some of what they allocate while they mesh or read.

extern "C" const char* __lsan_default_suppressions();

extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfontconfig\nleak:libgmsh\nleak:libTK\n";
}
