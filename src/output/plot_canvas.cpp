#include "output/plot_canvas.hpp"

#include <plplot/plplot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>

namespace kurbel {
namespace {

constexpr double pixel = 25.4 / 72.0;  // mm, as PLplot's cairo driver has it
constexpr double fine = 1.0, axis_width = 2.0;

constexpr std::array<std::string_view, 10> below = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
constexpr std::array<std::string_view, 10> above = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};

std::mutex& plplot_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// A text with the escapes of PLplot.
std::string plplot_text(const std::string& text) {
  std::string out;
  for (const char c : typeset(text)) out += c == '#' ? "##" : std::string(1, c);
  return out;
}

}  // namespace

std::string typeset(const std::string& text) {
  const auto is_digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool negative = i + 1 < text.size() && text[i + 1] == '-';
    if ((text[i] != '_' && text[i] != '^') || !is_digit(i + (negative ? 2 : 1))) {
      out += text[i];
      continue;
    }
    const bool is_below = text[i] == '_';
    if (negative) out += is_below ? "₋" : "⁻";
    i += negative ? 1 : 0;
    while (is_digit(i + 1)) out += (is_below ? below : above)[static_cast<std::size_t>(text[++i] - '0')];
  }
  return out;
}

bool PlotCanvas::is_available() {
  const std::lock_guard<std::mutex> lock(plplot_mutex());
  std::array<const char*, 128> descriptions, names;
  const char **description = descriptions.data(), **name = names.data();
  int n = static_cast<int>(names.size()) - 1;  // an end mark follows
  plgDevs(&description, &name, &n);
  return std::any_of(name, name + n,
                     [](const char* device) { return std::string_view(device) == "memcairo"; });
}

PlotCanvas::PlotCanvas(int width, int height)
    : lock_(plplot_mutex()),
      width_(width),
      height_(height),
      bytes_(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 255) {
  plsdev("memcairo");
  plsmem(width, height, bytes_.data());
  plscolbg(paper[0], paper[1], paper[2]);
  plinit();
  plspause(0);
  pladv(0);
  plschr(font * pixel, 1.0);
  plsmaj(0.28 * font * pixel, 1.0);
  plvpor(0.0, 1.0, 0.0, 1.0);
  plwind(0.0, width_, 0.0, height_);
}

/// Only the stream: plend() would also unload the driver, and with it libraries that cannot be loaded twice.
PlotCanvas::~PlotCanvas() {
  plend1();
}

void PlotCanvas::pen(const Color& color, double width) const {
  plscol0(1, color[0], color[1], color[2]);
  plcol0(1);
  plwidth(width);
}

void PlotCanvas::dashes(double mark, double space) const {
  const auto micrometres = [](double length) { return static_cast<PLINT>(1000.0 * pixel * length); };
  const PLINT on = micrometres(mark), off = micrometres(space);
  plstyl(1, &on, &off);
}

void PlotCanvas::solid() const {
  plstyl(0, nullptr, nullptr);
}

void PlotCanvas::line(const std::vector<double>& x, const std::vector<double>& y) const {
  plline(static_cast<PLINT>(x.size()), x.data(), y.data());
}

void PlotCanvas::circle(double x, double y, double radius, const Color& color) const {
  constexpr int n = 32;
  std::array<double, n + 1> xs, ys;
  for (std::size_t i = 0; i <= n; ++i) {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(i) / n;
    xs[i] = x + radius * std::cos(angle);
    ys[i] = y + radius * std::sin(angle);
  }
  pen(paper, axis_width);
  plfill(n, xs.data(), ys.data());
  pen(color, axis_width);
  plline(n + 1, xs.data(), ys.data());
}

void PlotCanvas::text(double x, double y, double anchor, const std::string& text) const {
  plptex(x, y, 1.0, 0.0, anchor, plplot_text(text).c_str());
}

void PlotCanvas::text_upwards(double x, double y, const std::string& text) const {
  plptex(x, y, 0.0, 1.0, 0.5, plplot_text(text).c_str());
}

void PlotCanvas::axes(const PlotAxis& x, const PlotAxis& y, bool x_numbers, const Color& grid,
                      const Color& frame) const {
  plvpor(x.first_pixel / width_, x.last_pixel / width_, y.first_pixel / height_, y.last_pixel / height_);
  plwind(x.low, x.high, y.low, y.high);
  pen(grid, fine);
  plbox(x.logarithmic ? "" : "g", x.step, 0, y.logarithmic ? "" : "g", y.step, 0);
  pen(frame, axis_width);
  const char* x_marks = x.logarithmic ? "bc" : x_numbers ? "bcntf" : "bct";
  plbox(x_marks, x.step, 0, y.logarithmic ? "bc" : "bcntvf", y.step, 0);
  plvpor(0.0, 1.0, 0.0, 1.0);
  plwind(0.0, width_, 0.0, height_);
  if (x.logarithmic) logarithmic_marks(x, y, true, x_numbers, grid, frame);
  if (y.logarithmic) logarithmic_marks(y, x, false, true, grid, frame);
}

void PlotCanvas::logarithmic_marks(const PlotAxis& axis, const PlotAxis& other, bool is_x, bool numbers,
                                   const Color& grid, const Color& frame) const {
  const auto mark = [&](double along, double from, double to) {
    if (is_x) {
      line({along, along}, {from, to});
    } else {
      line({from, to}, {along, along});
    }
  };
  for (const PlotTick& tick : axis.logarithmic_ticks()) {
    const double length = tick.label.empty() ? 0.14 * font : 0.28 * font;
    if (!tick.label.empty() && tick.pixel > axis.first_pixel + 1.0 && tick.pixel < axis.last_pixel - 1.0) {
      pen(grid, fine);
      mark(tick.pixel, other.first_pixel + length, other.last_pixel - length);
    }
    pen(frame, axis_width);
    mark(tick.pixel, other.first_pixel, other.first_pixel + length);
    mark(tick.pixel, other.last_pixel - length, other.last_pixel);
    if (!numbers) continue;
    if (is_x) {
      text(tick.pixel, other.first_pixel - 1.1 * font, 0.5, tick.label);
    } else {
      text(other.first_pixel - 0.5 * font, tick.pixel, 1.0, tick.label);
    }
  }
}

RgbImage PlotCanvas::image() {
  pleop();
  const auto width = static_cast<std::size_t>(width_), height = static_cast<std::size_t>(height_);
  RgbImage out{width_, height_, std::vector<Color>(width * height)};
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      std::copy_n(&bytes_[3 * ((height - 1 - y) * width + x)], 3, out.pixels[y * width + x].begin());
    }
  }
  return out;
}

}  // namespace kurbel
