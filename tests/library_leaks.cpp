/// @file
/// What the leak sanitizer is to overlook: fontconfig keeps its fonts where the sanitizer does not look.

extern "C" const char* __lsan_default_suppressions();

extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfontconfig\n";
}
