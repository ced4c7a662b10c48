#include "output/line_plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "base/files.hpp"
#include "output/plot_canvas.hpp"
#include "tests/input_error.hpp"
#include "tests/output/vtk_reading.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/write_error.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;
using Eigen::Vector2d;
using Pixel = std::array<int, 3>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
const Pixel blue = {0, 90, 165}, orange = {213, 80, 0}, limit_grey = {105, 105, 105};

bool is_near(const Pixel& a, const Pixel& b, int tolerance = 40) {
  return std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]) <= tolerance;
}

ReadImage drawn(const LinePlot& plot) {
  const TemporaryFolder folder;
  write_line_plot(folder / "a.png", plot);
  return read_png(folder / "a.png");
}

PlotCurve curve(const VectorXd& t, const VectorXd& y) {
  return {"u_1", t, y, {}, {}};
}

/// From 0 to 1 over 0 to 1 s, in 11 points.
PlotCurve ramp() {
  return curve(VectorXd::LinSpaced(11, 0.0, 1.0), VectorXd::LinSpaced(11, 0.0, 1.0));
}

LinePlot one_panel(const std::vector<PlotCurve>& curves, const std::vector<PlotLimit>& limits = {}) {
  return {{{"title", "u in N m", curves, limits}}};
}

/// The frame of a panel, found as the long dark lines of the picture. Fractions count from the lower left.
struct Frame {
  double left = 0, right = 0, low = 0, high = 0;

  int x(double fraction) const { return static_cast<int>(std::lround(left + fraction * (right - left))); }
  /// Of the span of the curves, which leaves 6 % free on either side.
  int y(double fraction) const {
    return static_cast<int>(std::lround(low + (0.06 + fraction) / 1.12 * (high - low)));
  }
};

/// @param panel  from above
Frame frame_of(const ReadImage& image, int panel = 0) {
  const int top = image.height - panel * plot_panel_height;
  const auto is_dark = [&](int x, int y) { return image.at(x, y)[0] < 80 && image.at(x, y)[2] < 80; };
  std::vector<int> columns, rows;
  for (int x = 0; x < image.width; ++x) {
    int n = 0;
    for (int y = top - plot_panel_height; y < top; ++y) n += is_dark(x, y);
    if (n > 0.8 * plot_panel_height) columns.push_back(x);
  }
  for (int y = top - plot_panel_height; y < top; ++y) {
    int n = 0;
    for (int x = 0; x < image.width; ++x) n += is_dark(x, y);
    if (n > 0.5 * image.width) rows.push_back(y);
  }
  if (columns.size() < 2 || rows.size() < 2) {
    ADD_FAILURE() << "no frame";
    return {};
  }
  return {static_cast<double>(columns.front()), static_cast<double>(columns.back()),
          static_cast<double>(rows.front()), static_cast<double>(rows.back())};
}

/// Rows of a column, within the frame, that have the colour.
std::vector<int> rows_of(const ReadImage& image, const Frame& frame, int x, const Pixel& color) {
  std::vector<int> rows;
  for (int y = static_cast<int>(frame.low) + 3; y < static_cast<int>(frame.high) - 2; ++y) {
    if (is_near(image.at(x, y), color)) rows.push_back(y);
  }
  return rows;
}

TEST(LinePlot, DrawsACurveWhereItsNumbersAreWithoutADisplay) {
  unsetenv("DISPLAY");
  const ReadImage image = drawn(one_panel({ramp()}));
  EXPECT_EQ(image.width, plot_width);
  EXPECT_EQ(image.height, plot_panel_height + plot_time_axis_height);
  EXPECT_EQ(image.at(0, 0), Pixel({255, 255, 255}));
  const Frame frame = frame_of(image);
  for (const double f : {0.1, 0.35, 0.5, 0.9}) {
    EXPECT_TRUE(is_near(image.at(frame.x(f), frame.y(f)), blue)) << f;
    EXPECT_LT(rows_of(image, frame, frame.x(f), blue).size(), 8u) << f;  // a thin line
  }
}

TEST(LinePlot, CurvesOfAPanelDifferInColour) {
  std::vector<PlotCurve> curves;
  for (int i = 0; i < 8; ++i) curves.push_back(curve(Vector2d(0.0, 1.0), Vector2d::Constant(i)));
  const ReadImage image = drawn(one_panel(curves));
  const Frame frame = frame_of(image);
  std::vector<Pixel> colors;
  for (int i = 0; i < 8; ++i) {
    const Pixel color = image.at(frame.x(0.27), frame.y(i / 7.0));
    EXPECT_FALSE(is_near(color, {255, 255, 255}, 150)) << i;
    for (const Pixel& other : colors) EXPECT_FALSE(is_near(color, other, 80)) << i;
    colors.push_back(color);
  }
}

// As an amplitude in a panel of its own, and its phase in another one.
TEST(LinePlot, CurvesOfSeveralPanelsMayShareAColour) {
  PlotCurve second = ramp();
  second.color = 1;
  const ReadImage image = drawn({{{"", "u in m", {ramp()}, {}}, {"", "w in rad", {second}, {}}}});
  const Frame below = frame_of(image, 1);
  EXPECT_TRUE(is_near(image.at(below.x(0.35), below.y(0.35)), orange));
  EXPECT_TRUE(rows_of(image, below, below.x(0.35), blue).empty());
  const Frame above = frame_of(image);
  EXPECT_TRUE(is_near(image.at(above.x(0.35), above.y(0.35)), blue));
}

TEST(LinePlot, ANinthCurveIsDashed) {
  std::vector<PlotCurve> curves(8, curve(Vector2d(0.0, 1.0), Vector2d::Zero()));
  curves.push_back(curve(Vector2d(0.0, 1.0), Vector2d::Ones()));
  const ReadImage image = drawn(one_panel(curves));
  const Frame frame = frame_of(image);
  int n_blue = 0;
  const int first = frame.x(0.1), last = frame.x(0.9);
  for (int x = first; x < last; ++x) n_blue += is_near(image.at(x, frame.y(1.0)), blue);
  EXPECT_NEAR(n_blue, 0.6 * (last - first), 0.15 * (last - first));  // 9 of 15 pixels
}

TEST(LinePlot, LeavesAGapWhereAValueIsNotFinite) {
  for (const double missing : {nan, infinity, -infinity}) {
    PlotCurve broken = ramp();
    broken.y[5] = missing;  // its neighbours are at 0.4 and 0.6
    const ReadImage image = drawn(one_panel({broken}));
    const Frame frame = frame_of(image);
    for (const double f : {0.45, 0.5, 0.55}) {
      EXPECT_TRUE(rows_of(image, frame, frame.x(f), blue).empty()) << missing << " at " << f;
    }
    for (const double f : {0.35, 0.65}) EXPECT_TRUE(is_near(image.at(frame.x(f), frame.y(f)), blue)) << f;
  }
}

TEST(LinePlot, APointBetweenGapsIsADot) {
  PlotCurve broken = ramp();
  broken.y[4] = broken.y[6] = nan;
  const ReadImage image = drawn(one_panel({broken}));
  const Frame frame = frame_of(image);
  EXPECT_TRUE(is_near(image.at(frame.x(0.5), frame.y(0.5)), blue, 120));
  EXPECT_TRUE(rows_of(image, frame, frame.x(0.45), blue).empty());
}

TEST(LinePlot, MarksNodesByCirclesInTheColourOfTheCurve) {
  PlotCurve marked = ramp();
  marked.marker_t = Vector2d(0.25, nan);
  marked.marker_y = Vector2d(0.75, 0.5);  // beside the curve
  const ReadImage image = drawn(one_panel({curve(marked.t, VectorXd::Zero(11)), marked}));
  const Frame frame = frame_of(image);
  EXPECT_TRUE(is_near(image.at(frame.x(0.25), frame.y(0.75)), {255, 255, 255}));
  EXPECT_GE(rows_of(image, frame, frame.x(0.25), orange).size(), 4u);
  for (const int dx : {-6, 6}) {
    EXPECT_TRUE(is_near(image.at(frame.x(0.25) + dx, frame.y(0.75)), orange, 150)) << dx;
  }
}

TEST(LinePlot, DashesLimitsAndKeepsThemInTheRange) {
  const ReadImage image = drawn(one_panel({ramp()}, {{"u_max", 3.0}, {"", -1.0}, {"free", infinity}}));
  const Frame frame = frame_of(image);  // spans -1 to 3
  EXPECT_TRUE(is_near(image.at(frame.x(0.5), frame.y(1.5 / 4.0)), blue));
  for (const double f : {0.0, 1.0}) {
    int n_grey = 0;
    const int first = frame.x(0.1), last = frame.x(0.9);
    for (int x = first; x < last; ++x) n_grey += is_near(image.at(x, frame.y(f)), limit_grey, 120);
    EXPECT_NEAR(n_grey, 0.6 * (last - first), 0.15 * (last - first));  // 14 of 23 pixels
  }
}

TEST(LinePlot, PanelsShareTheTimeAxis) {
  LinePlot plot = one_panel({ramp()});
  plot.panels.push_back({"", "q in m", {curve(Vector2d(-1.0, 3.0), Vector2d(2.0, 2.0))}, {}});
  const ReadImage image = drawn(plot);
  EXPECT_EQ(image.height, 2 * plot_panel_height + plot_time_axis_height);
  const Frame above = frame_of(image, 0), below = frame_of(image, 1);
  EXPECT_EQ(above.left, below.left);
  EXPECT_EQ(above.right, below.right);
  EXPECT_TRUE(is_near(image.at(above.x(1.5 / 4.0), above.y(0.5)), blue));
  EXPECT_TRUE(rows_of(image, above, above.x(0.2), blue).empty());
  EXPECT_TRUE(rows_of(image, above, above.x(0.6), blue).empty());
  for (const double f : {0.2, 0.9}) EXPECT_TRUE(is_near(image.at(below.x(f), below.y(0.5)), blue));
}

TEST(LinePlot, ScalesNumbersOfAnyMagnitude) {
  for (const double scale : {1e-300, 1e-9, 1e7, 1e300}) {
    const ReadImage image = drawn(one_panel({curve(ramp().t * scale, ramp().y * scale)}));
    const Frame frame = frame_of(image);
    EXPECT_LT(frame.left, 250) << scale;  // no long numbers
    if (scale < 1e-290) continue;         // counts as nothing
    EXPECT_TRUE(is_near(image.at(frame.x(0.35), frame.y(0.35)), blue)) << scale;
  }
}

TEST(LinePlot, DrawsDecadesAtEqualDistances) {
  const VectorXd t = VectorXd::LinSpaced(1001, 0.0, 1.0);
  PlotCurve growing = curve(t, t.unaryExpr([](double s) { return std::pow(10.0, 4.0 * s - 6.0); }));
  growing.y.head(101).setZero();
  LinePlot plot = one_panel({growing});
  plot.panels[0].scale = PlotPanel::Scale::logarithmic;
  const ReadImage image = drawn(plot);  // from 2e-6 to 1e-2
  const Frame frame = frame_of(image);
  const double low = std::log10(2e-6);
  for (const double f : {0.2, 0.5, 0.9}) {
    const double share = (4.0 * f - 6.0 - low) / (-2.0 - low);
    EXPECT_TRUE(
        is_near(image.at(frame.x(f), std::lround(frame.low + share * (frame.high - frame.low))), blue))
        << f;
  }
  EXPECT_TRUE(rows_of(image, frame, frame.x(0.05), blue).empty());
}

TEST(LinePlot, RoundingErrorsDoNotWidenDecades) {
  LinePlot plot = one_panel({ramp()});
  plot.panels[0].scale = PlotPanel::Scale::logarithmic;
  plot.panels[0].curves[0].y.array() += 1.0;  // from 1 to 2
  plot.panels[0].curves.push_back(curve(ramp().t, VectorXd::Constant(11, 1e-15)));
  const ReadImage image = drawn(plot);
  const Frame frame = frame_of(image);
  const double middle = std::log10(1.5) / std::log10(2.0);
  EXPECT_TRUE(
      is_near(image.at(frame.x(0.5), std::lround(frame.low + middle * (frame.high - frame.low))), blue));
}

/// Tells whether an instant lies in the middle of those from `first` to `last`.
bool is_drawn_in_the_middle(double first, double middle, double last) {
  LinePlot plot = one_panel({curve(Vector2d(first, last), Vector2d(0.0, 1.0)),
                             curve(Eigen::Vector3d(first, middle, last), Eigen::Vector3d(1.0, 0.25, 1.0))});
  plot.logarithmic_time = true;
  const ReadImage image = drawn(plot);
  const Frame frame = frame_of(image);
  return is_near(image.at(frame.x(0.5), frame.y(0.25)), orange, 60);
}

TEST(LinePlot, DrawsDecadesOfTimeAtEqualDistances) {
  EXPECT_TRUE(is_drawn_in_the_middle(1.0, 10.0, 100.0));
}

TEST(LinePlot, DrawsTimesLinearlyBetweenWhichNoTwoRoundOnesLie) {
  EXPECT_TRUE(is_drawn_in_the_middle(60.0, 75.0, 90.0));
  EXPECT_FALSE(is_drawn_in_the_middle(60.0, std::sqrt(60.0 * 90.0), 90.0));
}

TEST(LinePlot, AConstantLiesInTheMiddle) {
  for (const double value : {0.0, -3.0, 1e6}) {
    VectorXd y = VectorXd::Constant(11, value);
    y[3] = std::nextafter(value, 0.0);
    const ReadImage image = drawn(one_panel({curve(ramp().t, y)}));
    const Frame frame = frame_of(image);
    for (const double f : {0.22, 0.77})
      EXPECT_TRUE(is_near(image.at(frame.x(f), frame.y(0.5)), blue)) << value;
  }
}

TEST(LinePlot, DrawsAFrameWhereThereIsNothing) {
  const ReadImage image = drawn(one_panel({curve(ramp().t, VectorXd::Constant(11, nan)), {}}));
  const Frame frame = frame_of(image);
  for (const double f : {0.2, 0.5, 0.8}) EXPECT_TRUE(rows_of(image, frame, frame.x(f), blue).empty());
}

TEST(LinePlot, LongHistoriesKeepTheirPeaksInASmallFile) {
  constexpr int n = 1000000;
  VectorXd y = VectorXd::Zero(n);
  y[n / 4] = 1.0;
  y[n / 2] = -1.0;
  const TemporaryFolder folder;
  write_line_plot(folder / "a.png", one_panel({curve(VectorXd::LinSpaced(n, 0.0, 1.0), y)}));
  EXPECT_LT(fs::file_size(folder / "a.png"), 200000u);
  const ReadImage image = read_png(folder / "a.png");
  const Frame frame = frame_of(image);
  const auto shows = [&](double time, double fraction) {
    const int x = frame.x(time), y_pixel = frame.y(fraction);
    return is_near(image.at(x - 1, y_pixel), blue) || is_near(image.at(x, y_pixel), blue) ||
           is_near(image.at(x + 1, y_pixel), blue);
  };
  EXPECT_TRUE(shows(0.25, 0.95) && shows(0.25, 0.75));
  EXPECT_TRUE(shows(0.5, 0.05) && shows(0.5, 0.25));
  EXPECT_FALSE(shows(0.25, 0.25) || shows(0.5, 0.75) || shows(0.75, 0.95));
}

TEST(LinePlot, ThinningChangesNothingThatCanBeSeen) {
  const auto wave = [](double t) { return std::sin(9.0 * t) * std::exp(-t); };
  const VectorXd coarse = VectorXd::LinSpaced(2001, 0.0, 1.0), fine = VectorXd::LinSpaced(200001, 0.0, 1.0);
  const ReadImage a = drawn(one_panel({curve(coarse, coarse.unaryExpr(wave))}));
  const ReadImage b = drawn(one_panel({curve(fine, fine.unaryExpr(wave))}));
  int n_different = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) n_different += !is_near(a.pixels[i], b.pixels[i], 200);
  EXPECT_LE(n_different, 3);  // of some 6000 on the curve; the others differ in the shade of its edge
}

TEST(LinePlot, LegendMakesRoomForLongNames) {
  const auto right_edge = [](const std::string& name) {
    PlotCurve named = ramp();
    named.name = name;
    return frame_of(drawn(one_panel({named}))).right;
  };
  EXPECT_LT(right_edge("equivalent stress"), right_edge("u_1") - 100);
  EXPECT_GT(right_edge(""), right_edge("u_1"));
}

TEST(LinePlot, EqualPlotsGiveEqualBytes) {
  const TemporaryFolder folder;
  for (const char* name : {"a.png", "b.png"})
    write_line_plot(folder / name, one_panel({ramp()}, {{"", 2.0}}));
  EXPECT_EQ(read_text_file(folder / "a.png"), read_text_file(folder / "b.png"));
}

TEST(LinePlot, RefusesWhatItCannotDraw) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& file, const LinePlot& plot,
                           const std::vector<std::string>& parts) {
    expect_input_error([&] { write_line_plot(folder / file, plot); }, parts);
  };
  refused("a.png", {}, {"cannot draw", "a.png", "no panel"});
  refused("a.png", one_panel({curve(VectorXd::Zero(3), VectorXd::Zero(2))}),
          {"a.png", "'u_1'", "2 values at 3 times"});
  PlotCurve marked = ramp();
  marked.marker_t = VectorXd::Zero(4);
  refused("a.png", one_panel({marked}), {"a.png", "'u_1'", "markers", "0 values at 4 times"});
  expect_write_error([&] { write_line_plot(folder / "none/a.png", one_panel({ramp()})); },
                     {"cannot write", "none/a.png"});
  LinePlot tall;
  tall.panels.resize(plot_most_panels + 1);
  refused("a.png", tall, {"a.png", "51 panels", "at most 50"});
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(LinePlot, DrawsAsManyPanelsAsItAllows) {
  LinePlot plot;
  plot.panels.assign(plot_most_panels, {"", "u", {ramp()}, {}});
  const ReadImage image = drawn(plot);
  for (const int panel : {0, plot_most_panels - 1}) {
    const Frame frame = frame_of(image, panel);
    EXPECT_TRUE(is_near(image.at(frame.x(0.35), frame.y(0.35)), blue)) << panel;
  }
}

TEST(PlotCanvas, SetsDigitsBelowAndAboveTheLine) {
  EXPECT_EQ(typeset("u_12 in m/s^2"), "u₁₂ in m/s²");
  EXPECT_EQ(typeset("×10^-6, R_-1"), "×10⁻⁶, R₋₁");
  EXPECT_EQ(typeset("theta_dot a^b _ ^- _-x x_"), "theta_dot a^b _ ^- _-x x_");
}

}  // namespace
}  // namespace kurbel
