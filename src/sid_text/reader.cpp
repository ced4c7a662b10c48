#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "sid/sid_members.hpp"
#include "sid_text/column_orders.hpp"
#include "sid_text/parser.hpp"
#include "sid_text/sid_text.hpp"

namespace kurbel {
namespace {

using Eigen::Index;
using sid_text::error_at;
using sid_text::ModalBlock;
using sid_text::NodeBlock;
using sid_text::TaylorBlock;
using sid_text::TaylorEntry;
using Structure = Taylor::Structure;

Index stated(const TaylorBlock& block, const char* key) {
  return block.stated.at(key).value;
}

template <class Visit>
void for_each_block(const ModalBlock& modal, const Visit& visit) {
  for (const NodeBlock& node : modal.frame) {
    for (const auto& [name, block] : node.members) visit(block);
  }
  for (const auto& [name, block] : modal.members) visit(block);
}

/// Whether m1 and mn have the indices (row, col, q), as the comments state or the ranges of the indices tell.
class TermsOrder {
 public:
  TermsOrder(const ModalBlock& modal, const std::string& file) {
    if (modal.comments.find(sid_text::terms_row_q_col) != std::string::npos) return;
    if (modal.comments.find(sid_text::terms_row_col_q) != std::string::npos) {
      q_last_ = true;
      return;
    }
    int line_q_second = 0, line_q_last = 0;
    for_each_block(modal, [&](const TaylorBlock& block) {
      for (const TaylorEntry& entry : block.entries) {
        if (entry.order == 0) continue;
        const bool second = fits(block, entry, false), last = fits(block, entry, true);
        if (second && !last && line_q_second == 0) line_q_second = entry.line;
        if (last && !second && line_q_last == 0) line_q_last = entry.line;
      }
    });
    if (line_q_second > 0 && line_q_last > 0) {
      throw error_at(file, std::max(line_q_second, line_q_last),
                     fmt::format("the order of the indices, {}, is other than on line {}",
                                 line_q_second > line_q_last ? "(row, q, column)" : "(row, column, q)",
                                 std::min(line_q_second, line_q_last)));
    }
    q_last_ = line_q_last > 0;
  }

  /// The indices (row, q, column), from 0.
  std::array<Index, 3> indices(const TaylorEntry& entry) const {
    const auto& i = entry.index;
    const bool exchange = q_last_ && entry.order > 0;
    return {i[0] - 1, i[exchange ? 2 : 1] - 1, i[exchange ? 1 : 2] - 1};
  }

 private:
  static bool fits(const TaylorBlock& block, const TaylorEntry& entry, bool q_last) {
    const Index count = stated(block, entry.order == 1 ? "nq" : "nqn");
    const auto within = [](Index i, Index n) { return i >= 1 && i <= n; };
    return within(entry.index[q_last ? 2 : 1], count) &&
           within(entry.index[q_last ? 1 : 2], stated(block, "ncol"));
  }

  bool q_last_ = false;
};

/// Makes a Taylor object of a block and checks it against `expected`: its shape, and its order as the highest
/// we can use.
class TaylorBuilder {
 public:
  TaylorBuilder(const std::string& file, const TaylorBlock& block, const TermsOrder& terms, Index n_q)
      : file_(file), block_(block), terms_(terms), n_q_(n_q) {}

  Taylor assemble(const Taylor& expected) const {
    const Index order = stated(block_, "order");
    check("order", order <= 2, "must be 0, 1 or 2");
    check("structure", stated(block_, "structure") <= 4, "is outside 0 ... 4");
    check("nrow", stated(block_, "nrow") == expected.nrow(), fmt::format("must be {}", expected.nrow()));
    check("ncol", stated(block_, "ncol") == expected.ncol(), fmt::format("must be {}", expected.ncol()));
    const Index nq = stated(block_, "nq");
    check("nq", nq == n_q_ || (nq == 0 && order == 0), fmt::format("must be {}", n_q_));
    if (order == 2)
      check("nqn", stated(block_, "nqn") == n_q_ * n_q_, fmt::format("must be {}", n_q_ * n_q_));

    Taylor t = expected;
    t.structure = static_cast<Structure>(stated(block_, "structure"));
    t.M0.setZero();
    if (t.structure == Structure::unit) t.M0.setIdentity();
    for (auto* terms : {&t.M1, &t.Mn}) {
      for (MatrixXd& m : *terms) m.setZero();
    }
    fill(t);
    check_structure(t);
    return t;
  }

 private:
  void check(const char* key, bool holds, const std::string& rule) const {
    if (holds) return;
    const sid_text::StatedInteger& s = block_.stated.at(key);
    throw error_at(file_, s.line, fmt::format("{} = {} of {} {}", key, s.value, block_.name, rule));
  }

  /// Sets the entries, and those of the other triangle of a symmetric matrix that are left out.
  void fill(Taylor& t) const {
    std::map<std::array<Index, 4>, int> given;
    const bool symmetric = t.structure == Structure::symmetric && t.nrow() == t.ncol();
    for (const TaylorEntry& entry : block_.entries) {
      const auto [i, k, j] = checked_indices(entry);
      const auto [it, first] = given.emplace(std::array{Index{entry.order}, i, k, j}, entry.line);
      if (!first)
        throw error_at(file_, entry.line,
                       fmt::format("{} is given twice, first on line {}", name_of(entry), it->second));
      if (MatrixXd* m = matrix(t, entry, k)) (*m)(i, j) = entry.value;
    }
    for (const TaylorEntry& entry : block_.entries) {
      const auto [i, k, j] = terms_.indices(entry);
      if (!symmetric || given.contains({Index{entry.order}, j, k, i})) continue;
      if (MatrixXd* m = matrix(t, entry, k)) (*m)(j, i) = entry.value;
    }
  }

  std::array<Index, 3> checked_indices(const TaylorEntry& entry) const {
    const std::array<Index, 3> at = terms_.indices(entry);
    const std::array<Index, 3> bound = {stated(block_, "nrow"),
                                        entry.order == 0   ? 1
                                        : entry.order == 1 ? stated(block_, "nq")
                                                           : stated(block_, "nqn"),
                                        stated(block_, "ncol")};
    if (entry.order > stated(block_, "order")) {
      throw error_at(file_, entry.line,
                     fmt::format("{} in spite of order = {}", name_of(entry), stated(block_, "order")));
    }
    for (int d = 0; d < 3; ++d) {
      if (at[d] >= 0 && at[d] < bound[d]) continue;
      const char* name = d == 0 ? "row" : d == 1 ? "elastic coordinate" : "column";
      throw error_at(file_, entry.line,
                     fmt::format("{} {} of {} is outside 1 ... {}", name, at[d] + 1, block_.name, bound[d]));
    }
    return at;
  }

  /// "m1 of Cr"
  std::string name_of(const TaylorEntry& entry) const {
    constexpr std::array<const char*, 3> keys = {"m0", "m1", "mn"};
    return fmt::format("{} of {}", keys[static_cast<std::size_t>(entry.order)], block_.name);
  }

  /// The coefficient that an entry belongs to; none for a zero of an order that we do not use.
  MatrixXd* matrix(Taylor& t, const TaylorEntry& entry, Index k) const {
    if (entry.order == 0) return &t.M0;
    std::vector<MatrixXd>& terms = entry.order == 1 ? t.M1 : t.Mn;
    if (!terms.empty()) return &terms[static_cast<std::size_t>(k)];
    if (entry.value != 0.0) {
      throw error_at(file_, entry.line,
                     fmt::format("{} is not zero, but our equations use {} up to order {} only",
                                 name_of(entry), block_.name, t.order()));
    }
    return nullptr;
  }

  void check_structure(const Taylor& t) const {
    const auto refuse = [&](const char* name) {
      throw error_at(file_, block_.stated.at("structure").line,
                     fmt::format("structure = {} of {} contradicts its {}", static_cast<int>(t.structure),
                                 block_.name, name));
    };
    if (!agrees_with_structure(t.structure, t.M0)) refuse("m0");
    if (t.structure == Structure::unit) return;
    for (const MatrixXd& m : t.M1) {
      if (!agrees_with_structure(t.structure, m)) refuse("m1");
    }
    for (const MatrixXd& m : t.Mn) {
      if (!agrees_with_structure(t.structure, m)) refuse("mn");
    }
  }

  const std::string& file_;
  const TaylorBlock& block_;
  const TermsOrder& terms_;
  Index n_q_;
};

/// (xx, yy, zz, xy, xz, yz) -> 3 x 3
Taylor three_by_three(const Taylor& six) {
  const auto square = [](const MatrixXd& v) {
    Matrix3d m;
    m << v(0), v(3), v(4), v(3), v(1), v(5), v(4), v(5), v(2);
    return MatrixXd(m);
  };
  Taylor J;
  J.structure = six.structure == Structure::zero ? Structure::zero : Structure::symmetric;
  J.M0 = square(six.M0);
  for (const MatrixXd& m : six.M1) J.M1.push_back(square(m));
  for (const MatrixXd& m : six.Mn) J.Mn.push_back(square(m));
  return J;
}

/// Memory grows with the square of the coordinates: not before there is something to keep in it.
void require_coefficients(const ModalBlock& modal, const std::string& file) {
  constexpr std::size_t few = 100;
  std::size_t count = 0;
  for_each_block(modal, [&](const TaylorBlock& block) { count += block.entries.size(); });
  if (modal.ielastq.size() <= std::max(few, count)) return;
  throw error_at(
      file, modal.refmod_line,
      fmt::format("nelastq = {}, but the file has {} coefficients in all", modal.ielastq.size(), count));
}

}  // namespace

Sid read_sid_text(const std::string& text, const std::string& file, SidPrecision* precision) {
  const ModalBlock modal = sid_text::parse(text, file);
  const TermsOrder terms(modal, file);
  const Index n_q = static_cast<Index>(modal.ielastq.size());
  const auto assemble = [&](const auto& blocks, const char* name, int owner_line, const Taylor& expected) {
    const auto block = blocks.find(name);
    if (block == blocks.end()) throw error_at(file, owner_line, fmt::format("{} is missing here", name));
    return TaylorBuilder(file, block->second, terms, n_q).assemble(expected);
  };

  require_coefficients(modal, file);

  Sid sid = Sid::zeros(modal.ielastq, {});
  sid.refmod.mass = modal.mass;
  sid.Ct = Taylor::zero(n_q, 3, n_q, 1);
  const auto J = modal.members.find("J");
  const bool six = J != modal.members.end() && stated(J->second, "nrow") == 6;
  for (const SidMember& member : sid_members) {
    Taylor& taylor = sid.*member.taylor;
    if (member.taylor == &Sid::J && six) {
      taylor = three_by_three(assemble(modal.members, "J", modal.end_line, Taylor::zero(6, 1, n_q, 2)));
    } else {
      taylor = assemble(modal.members, member.name, modal.end_line, taylor);
    }
  }
  drop_vanishing_terms(sid.Ct);
  for (const NodeBlock& block : modal.frame) {
    SidNode node = make_sid_node(block.name, Vector3d::Zero(), Matrix3d::Zero(), n_q);
    node.rframe = block.rframe;
    node.phi = Taylor::zero(3, n_q, n_q, 1);
    for (const SidNodeMember& member : sid_node_members) {
      Taylor& taylor = node.*member.taylor;
      taylor = assemble(block.members, member.name, block.line, taylor);
    }
    drop_vanishing_terms(node.phi);
    sid.frame.push_back(std::move(node));
  }
  if (n_q > 0) choose_column_orders(modal.comments, modal.precision, sid);
  if (precision) *precision = modal.precision;
  return sid;
}

}  // namespace kurbel
