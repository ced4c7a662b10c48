/// @file
/// What the leak sanitizer is to overlook: fontconfig keeps its fonts where the sanitizer does not look, and Gmsh 4.8
/// loses some of what it allocates while it meshes or reads.

extern "C" const char* __lsan_default_suppressions();

extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfontconfig\nleak:libgmsh\n";
}
