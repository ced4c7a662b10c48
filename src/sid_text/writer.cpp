#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <iterator>

#include "base/errors.hpp"
#include "base/files.hpp"
#include "base/version.hpp"
#include "sid/sid_members.hpp"
#include "sid_text/sid_text.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

std::string real(double value) {
  std::string text = fmt::format("{: .16E}", value);
  std::replace(text.begin(), text.end(), 'E', 'D');
  return text;
}

/// A name as the reader would take it off its line.
const std::string& on_a_line(const std::string& name) {
  const auto is_control = [](unsigned char c) { return std::iscntrl(c) != 0; };
  const auto is_space = [](unsigned char c) { return std::isspace(c) != 0; };
  if (std::any_of(name.begin(), name.end(), is_control) ||
      (!name.empty() && (is_space(name.front()) || is_space(name.back())))) {
    std::string shown = name;
    std::replace_if(shown.begin(), shown.end(), is_control, '?');
    throw InputError(
        fmt::format("the name \"{}\" does not fit into SID text: it has control characters, or spaces at an "
                    "end",
                    shown));
  }
  return name;
}

/// J as the six numbers that a symmetric matrix has.
Taylor six_by_one(const Taylor& J) {
  const auto column = [](const MatrixXd& m) {
    return MatrixXd((MatrixXd(6, 1) << m(0, 0), m(1, 1), m(2, 2), m(1, 0), m(2, 0), m(2, 1)).finished());
  };
  Taylor t;
  t.structure = Taylor::Structure::full;
  t.M0 = column(J.M0);
  for (const MatrixXd& m : J.M1) t.M1.push_back(column(m));
  for (const MatrixXd& m : J.Mn) t.Mn.push_back(column(m));
  return t;
}

bool is_exactly_symmetric(const Taylor& J) {
  const auto symmetric = [](const MatrixXd& m) {
    for (Index i = 0; i < 3; ++i) {
      for (Index j = 0; j < i; ++j) {
        if (m(i, j) != m(j, i) || std::signbit(m(i, j)) != std::signbit(m(j, i))) return false;
      }
    }
    return true;
  };
  return J.structure == Taylor::Structure::symmetric && symmetric(J.M0) &&
         std::all_of(J.M1.begin(), J.M1.end(), symmetric) && std::all_of(J.Mn.begin(), J.Mn.end(), symmetric);
}

/// Columns from 3 (q - 1) + direction to (direction - 1) nq + q.
Taylor by_direction(const Taylor& t, Index n_q) {
  const auto reordered = [n_q](const MatrixXd& m) {
    MatrixXd out(m.rows(), m.cols());
    for (Index k = 0; k < n_q; ++k) {
      for (Index d = 0; d < 3; ++d) out.col(d * n_q + k) = m.col(3 * k + d);
    }
    return out;
  };
  Taylor out = t;
  out.M0 = reordered(t.M0);
  std::transform(t.M1.begin(), t.M1.end(), out.M1.begin(), reordered);
  return out;
}

class Writer {
 public:
  explicit Writer(const Sid& sid) : sid_(sid), n_q_(sid.n_q()) {}

  std::string text() {
    write_head();
    write_refmod();
    line(10, "frame");
    for (const SidNode& node : sid_.frame) write_node(node);
    line(10, "end frame");
    for (const SidMember& member : sid_members) write_member(member);
    line(6, "end modal");
    line(1, "end part");
    return std::move(text_);
  }

 private:
  void line(int indent, const std::string& word) {
    fmt::format_to(std::back_inserter(text_), "{:{}}{}\n", "", indent, word);
  }
  void line(int indent, const std::string& key, const std::string& value) {
    fmt::format_to(std::back_inserter(text_), "{:{}}{:<{}}={}\n", "", indent, key, 48 - indent, value);
  }
  void integer(int indent, const char* key, Index value) { line(indent, key, fmt::format(" {:>3}", value)); }

  void write_head() {
    text_ = fmt::format("{:>5}{:>5} :No. nodes, No. modes: {} {}; {} {} {}\n", sid_.frame.size(), n_q_,
                        sid_text::stamp, version(), sid_text::terms_row_q_col, sid_text::columns_by_direction,
                        sid_text::products_23_13);
    line(1, "part");
    line(6, "new modal", "");
  }

  void write_refmod() {
    line(10, "refmod");
    line(14, "mass", real(sid_.refmod.mass));
    integer(14, "nelastq", n_q_);
    for (Index k = 0; k < n_q_; ++k) {
      line(14, fmt::format("ielastq ({:>4})", k + 1),
           " " + on_a_line(sid_.refmod.ielastq[static_cast<std::size_t>(k)]));
    }
    line(10, "end refmod");
  }

  void write_node(const SidNode& node) {
    line(14, "new node", " " + on_a_line(node.name));
    line(18, "rframe", " " + on_a_line(node.rframe));
    for (const SidNodeMember& member : sid_node_members) write_taylor(18, member.name, node.*member.taylor);
    line(14, "end node");
  }

  void write_member(const SidMember& member) {
    const Taylor& t = sid_.*member.taylor;
    if (member.taylor == &Sid::Gr || member.taylor == &Sid::Ge) {
      write_taylor(10, member.name, by_direction(t, n_q_));
    } else if (member.taylor == &Sid::J && is_exactly_symmetric(t)) {
      write_taylor(10, member.name, six_by_one(t));
    } else {
      write_taylor(10, member.name, t);
    }
  }

  void write_taylor(int indent, const char* name, const Taylor& t) {
    line(indent, fmt::format("{:<8}", name));
    integer(22, "order", t.order());
    integer(22, "nrow", t.nrow());
    integer(22, "ncol", t.ncol());
    integer(22, "nq", n_q_);
    integer(22, "nqn", static_cast<Index>(t.Mn.size()));
    integer(22, "structure", static_cast<Index>(t.structure));
    const bool symmetric = t.structure == Taylor::Structure::symmetric && t.nrow() == t.ncol();
    entries(t.M0, t.structure == Taylor::Structure::unit, symmetric,
            [](Index i, Index j) { return fmt::format("m0({:>2},{:>2})", i + 1, j + 1); });
    const auto terms = [&](const char* key, const std::vector<MatrixXd>& coefficients) {
      for (std::size_t k = 0; k < coefficients.size(); ++k) {
        entries(coefficients[k], false, symmetric, [&](Index i, Index j) {
          return fmt::format("{}({:>2},{:>2},{:>2})", key, i + 1, k + 1, j + 1);
        });
      }
    };
    terms("m1", t.M1);
    terms("mn", t.Mn);
    line(indent, fmt::format("end {:<8}", name));
  }

  /// Writes what the reader would not fill in by itself: zeros without a sign, the unit matrix, and of a symmetric
  /// matrix a zero whose counterpart is none.
  template <class Key>
  void entries(const MatrixXd& m, bool unit, bool symmetric, const Key& key) {
    const auto differs = [](double a, double b) { return a != b || std::signbit(a) != std::signbit(b); };
    for (Index i = 0; i < m.rows(); ++i) {
      for (Index j = 0; j < m.cols(); ++j) {
        const double absent = unit && i == j ? 1.0 : 0.0;
        if (differs(m(i, j), absent) || (symmetric && differs(m(j, i), absent)))
          line(22, key(i, j), real(m(i, j)));
      }
    }
  }

  const Sid& sid_;
  Index n_q_;
  std::string text_;
};

}  // namespace

std::string sid_to_text(const Sid& sid) {
  return Writer(sid).text();
}

void write_sid_text_file(const std::filesystem::path& path, const Sid& sid) {
  write_text_file(path, sid_to_text(sid));
}

bool is_own_sid_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string first;
  return std::getline(file, first) && first.find(sid_text::stamp) != std::string::npos;
}

}  // namespace kurbel
