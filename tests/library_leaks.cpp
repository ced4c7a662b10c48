/// @file
/// This file tells the leak sanitizer what to overlook: fontconfig keeps its fonts where the sanitizer does not look, Gmsh 4.8 and
/// OpenCASCADE lose some of what they allocate while they mesh or read, VTK 9.1 does so where it looks which kinds
/// of cells a grid has, and urdfdom where the links of a robot carry each other in a ring.

extern "C" const char* __lsan_default_suppressions();

extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfontconfig\nleak:libgmsh\nleak:libTK\nleak:vtkGeometryFilterHelper\n"
         "leak:liburdfdom_model\n";
}
