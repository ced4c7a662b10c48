#include "report/study_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "report/html_text.hpp"
#include "report/study_points.hpp"

namespace kurbel {

namespace {

using nlohmann::json;

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

/// Places of the values of an axis in the cells of the matrix, pixels.
class Scale {
 public:
  Scale(const StudyAxis& axis, double first, double last)
      : first_(first), last_(last), is_logarithmic_(axis.is_logarithmic()) {
    for (const double value : axis.values) {
      if (std::isnan(value)) continue;
      low_ = std::min(low_, value);
      high_ = std::max(high_, value);
    }
  }

  bool is_empty() const { return low_ > high_; }
  double low() const { return low_; }
  double high() const { return high_; }
  double operator()(double value) const {
    const double share = low_ == high_     ? 0.5
                         : is_logarithmic_ ? std::log(value / low_) / std::log(high_ / low_)
                                           : (value - low_) / (high_ - low_);
    return first_ + share * (last_ - first_);
  }

 private:
  double first_, last_;
  bool is_logarithmic_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
};

/// Draws the matrix, in pixels: a row has its name above its cells, a column below all of them.
class Matrix {
 public:
  explicit Matrix(const json& study) : study_(study), fronts_(fronts_of(study)) {
    rows_ = axes_of_functions(study);
    std::erase_if(rows_, [](const StudyAxis& axis) { return Scale(axis, 0.0, 1.0).is_empty(); });
    for (StudyAxis& key : axes_of_keys(study)) {
      if (key.varies()) columns_.push_back(std::move(key));
    }
    if (rows_.size() > 1 && rows_.front().name == "psi") columns_.push_back(rows_.front());
  }

  std::string svg() {
    if (rows_.empty() || columns_.empty()) return {};
    const double width = left(columns_.size()), height = top(rows_.size()) + below;
    svg_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"{0}\" height=\"{1}\" "
        "fill=\"white\"/>\n",
        width, height);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      text(beside, top(r) - gap, "start", cut(shown(rows_[r]), 90));
      mark_ends(Scale(rows_[r], top(r) + cell_height - inset, top(r) + inset));
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (columns_[c].name != rows_[r].name) draw_cell(r, c);
      }
    }
    for (std::size_t c = 0; c < columns_.size(); ++c) mark_column(c);
    return svg_ + "</svg>\n";
  }

 private:
  static constexpr double cell_width = 190.0, cell_height = 110.0, inset = 9.0, gap = 6.0;
  static constexpr double beside = 80.0, above = 20.0, below = 14.0, between = 14.0;

  static double left(std::size_t c) { return beside + static_cast<double>(c) * (cell_width + between); }
  static double top(std::size_t r) { return above + static_cast<double>(r) * (cell_height + above + gap); }

  Scale scale_across(std::size_t c) const {
    return {columns_[c], left(c) + inset, left(c) + cell_width - inset};
  }

  static std::string shown(const StudyAxis& axis) {
    return axis.label + (axis.is_logarithmic() ? ", logarithmic" : "");
  }

  /// The end of a long text, where keys differ.
  static std::string cut(const std::string& text, std::size_t most) {
    if (text.size() <= most) return text;
    std::size_t from = text.size() - most + 3;
    const auto is_inside_character = [&] {
      return (static_cast<unsigned char>(text[from]) & 0xC0U) == 0x80U;
    };
    while (from < text.size() && is_inside_character()) ++from;
    return "..." + text.substr(from);
  }

  void text(double x, double y, const char* anchor, const std::string& words) {
    svg_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                        escaped(words));
  }

  void mark_ends(const Scale& up) {
    if (up.low() < up.high())
      text(beside - gap, up(up.high()) + 4.0, "end", fmt::format("{:.4g}", up.high()));
    text(beside - gap, up(up.low()) + 4.0, "end", fmt::format("{:.4g}", up.low()));
  }

  void mark_column(std::size_t c) {
    const double y = top(rows_.size() - 1) + cell_height + 2.0 * gap + 2.0;
    const Scale across = scale_across(c);
    const std::vector<std::string>& categories = columns_[c].categories;
    if (categories.empty()) {
      text(left(c), y, "start", fmt::format("{:.4g}", across.low()));
      text(left(c) + cell_width, y, "end", fmt::format("{:.4g}", across.high()));
    }
    for (std::size_t k = 0; k < categories.size(); ++k) {
      const char* const anchor = k == 0 ? "start" : k + 1 == categories.size() ? "end" : "middle";
      text(across(static_cast<double>(k)), y, anchor,
           cut(categories[k], std::max<std::size_t>(5, 30 / categories.size())));
    }
    text(left(c) + 0.5 * cell_width, y + 16.0, "middle", cut(shown(columns_[c]), 32));
  }

  void draw_cell(std::size_t r, std::size_t c) {
    svg_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"#f6f7f9\" stroke=\"#c8cdd4\"/>\n",
        left(c), top(r), cell_width, cell_height);
    const Scale across = scale_across(c), up(rows_[r], top(r) + cell_height - inset, top(r) + inset);
    const std::vector<double>&x = columns_[c].values, &y = rows_[r].values;
    draw_front(r, c, across, up);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(x[i]) || std::isnan(y[i])) continue;
      const json& row = study_["rows"][i];
      svg_ += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" stroke=\"#2f6db5\" fill=\"{}\"><title>{}: "
          "{}</title></circle>\n",
          across(x[i]), up(y[i]), row.contains("violated") ? "none" : "#2f6db5",
          escaped(row["variant"].get<std::string>()), fmt::format("{:.6g}", y[i]));
    }
  }

  void draw_front(std::size_t r, std::size_t c, const Scale& across, const Scale& up) {
    for (const StudyFront& front : fronts_) {
      if (front.x != columns_[c].name || front.y != rows_[r].name) continue;
      svg_ += "<polyline fill=\"none\" stroke=\"#d9772b\" stroke-width=\"2\" points=\"";
      for (const std::size_t i : front.variants)
        svg_ += fmt::format("{:.1f},{:.1f} ", across(columns_[c].values[i]), up(rows_[r].values[i]));
      svg_ += "\"/>\n";
    }
  }

  const json& study_;
  std::vector<StudyFront> fronts_;
  std::vector<StudyAxis> rows_, columns_;
  std::string svg_;
};

}  // namespace

std::string csv_of_study(const json& study) {
  const std::vector<StudyFront> fronts = fronts_of(study);
  std::string csv = "variant";
  for (const json& key : study["keys"]) csv += "," + quoted(key);
  csv += ",status";
  for (const json& name : study["functions"]) csv += "," + quoted(name);
  csv += ",pareto_fronts\n";
  for (std::size_t i = 0; i < study["rows"].size(); ++i) {
    const json& row = study["rows"][i];
    csv += row["variant"].get<std::string>();
    for (const json& key : study["keys"]) csv += "," + quoted(row["values"][key.get<std::string>()]);
    csv += "," + quoted(row["status"]);
    const json own = row.value("functions", json::object());
    for (const std::string name : study["functions"])
      csv += own.contains(name) ? fmt::format(",{:.12g}", own[name].get<double>()) : ",";
    csv += "," + quoted(fronts_text(fronts, i)) + "\n";
  }
  return csv;
}

std::string svg_of_study(const json& study) {
  return Matrix(study).svg();
}

}  // namespace kurbel
