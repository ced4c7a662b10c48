#include "report/resources.hpp"

// The assembler puts the bytes of a file between two symbols. An empty file stands for a library that is not there.
#define KURBEL_EMBED(name, file)                \
  __asm__(".section .rodata\n.balign 8\n" #name \
          "_begin:\n"                           \
          ".incbin \"" file "\"\n" #name        \
          "_end:\n.byte 0\n"                    \
          ".previous\n");                       \
  extern "C" __attribute__((visibility("hidden"))) const char name##_begin[], name##_end[]

KURBEL_EMBED(kurbel_page_css, KURBEL_PAGE_CSS);
KURBEL_EMBED(kurbel_page_js, KURBEL_PAGE_JS);
KURBEL_EMBED(kurbel_study_js, KURBEL_STUDY_JS);
KURBEL_EMBED(kurbel_three_js, KURBEL_THREE_JS);
KURBEL_EMBED(kurbel_chart_js, KURBEL_CHART_JS);

namespace kurbel {

namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::string_view page_css() {
  return between(kurbel_page_css_begin, kurbel_page_css_end);
}
std::string_view page_js() {
  return between(kurbel_page_js_begin, kurbel_page_js_end);
}
std::string_view study_js() {
  return between(kurbel_study_js_begin, kurbel_study_js_end);
}
std::string_view three_js() {
  return between(kurbel_three_js_begin, kurbel_three_js_end);
}
std::string_view chart_js() {
  return between(kurbel_chart_js_begin, kurbel_chart_js_end);
}

}  // namespace kurbel
