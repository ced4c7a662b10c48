#include "sid/sid_hdf5.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sid/sid_members.hpp"

namespace kurbel {
namespace {

using Eigen::Index;
using Structure = Taylor::Structure;

const std::vector<std::string> oe_columns = {"w1^2", "w2^2", "w3^2", "w1 w2", "w2 w3", "w1 w3"};

std::string group_of(const std::string& body) {
  return "bodies/" + body;
}

/// nrow x ncol x count, row-major.
Hdf5Array stacked(const std::vector<MatrixXd>& matrices, Index nrow, Index ncol) {
  Hdf5Array array{{static_cast<std::size_t>(nrow), static_cast<std::size_t>(ncol), matrices.size()}, {}};
  array.values.reserve(matrices.size() * static_cast<std::size_t>(nrow * ncol));
  for (Index i = 0; i < nrow; ++i) {
    for (Index j = 0; j < ncol; ++j) {
      for (const MatrixXd& m : matrices) array.values.push_back(m(i, j));
    }
  }
  return array;
}

std::vector<MatrixXd> unstacked(const Hdf5Array& array, Index nrow, Index ncol, Index count) {
  std::vector<MatrixXd> matrices(static_cast<std::size_t>(count), MatrixXd(nrow, ncol));
  auto value = array.values.begin();
  for (Index i = 0; i < nrow; ++i) {
    for (Index j = 0; j < ncol; ++j) {
      for (MatrixXd& m : matrices) m(i, j) = *value++;
    }
  }
  return matrices;
}

void write_taylor(Hdf5File& file, const std::string& group, const Taylor& t, Index n_q, const char* unit) {
  file.make_group(group);
  file.set_attribute(group, "order", std::int64_t{t.order()});
  file.set_attribute(group, "nrow", std::int64_t{t.nrow()});
  file.set_attribute(group, "ncol", std::int64_t{t.ncol()});
  file.set_attribute(group, "nq", std::int64_t{n_q});
  file.set_attribute(group, "nqn", static_cast<std::int64_t>(t.Mn.size()));
  file.set_attribute(group, "structure", static_cast<std::int64_t>(t.structure));
  file.set_attribute(group, "unit", std::string(unit));
  file.write_matrix(group + "/M0", t.M0);
  if (!t.M1.empty()) file.write_array(group + "/M1", stacked(t.M1, t.nrow(), t.ncol()));
  if (!t.Mn.empty()) file.write_array(group + "/Mn", stacked(t.Mn, t.nrow(), t.ncol()));
}

/// Reads a Taylor object and checks it against `expected`: its shape, and its order as the highest we can
/// use.
class TaylorReader {
 public:
  TaylorReader(const Hdf5File& file, std::string group, Taylor expected, Index n_q)
      : file_(file), group_(std::move(group)), expected_(std::move(expected)), n_q_(n_q) {}

  Taylor read() const {
    if (!file_.has(group_)) throw file_.error(group_, "missing");
    Taylor t = expected_;
    t.structure = read_structure();
    check_attributes();
    const int order = static_cast<int>(integer("order"));
    t.M0 = read_M0(t.structure);
    check_structure(t.structure, "M0", t.M0);
    if (order >= 1) t.M1 = read_terms("M1", n_q_, t.structure, expected_.order() < 1);
    if (order >= 2) t.Mn = read_terms("Mn", n_q_ * n_q_, t.structure, expected_.order() < 2);
    return t;
  }

 private:
  std::int64_t integer(const char* name) const { return file_.integer_attribute(group_, name); }

  Structure read_structure() const {
    const std::int64_t code = integer("structure");
    if (code < 0 || code > 4)
      throw file_.error(group_, fmt::format("structure = {} is outside 0 ... 4", code));
    return static_cast<Structure>(code);
  }

  void check_attributes() const {
    const auto check = [&](const char* name, Index expected) {
      const std::int64_t value = integer(name);
      if (value != expected)
        throw file_.error(group_, fmt::format("{} = {}; expected {}", name, value, expected));
    };
    check("nrow", expected_.nrow());
    check("ncol", expected_.ncol());
    check("nq", n_q_);
    const std::int64_t order = integer("order");
    if (order < 0 || order > 2)
      throw file_.error(group_, fmt::format("order = {} is outside 0 ... 2", order));
  }

  MatrixXd read_M0(Structure structure) const {
    const Index nrow = expected_.nrow(), ncol = expected_.ncol();
    if (!file_.has(group_ + "/M0")) {
      if (structure == Structure::zero) return MatrixXd::Zero(nrow, ncol);
      if (structure == Structure::unit) return MatrixXd::Identity(nrow, ncol);
    }
    const Hdf5Array array = file_.read_array(group_ + "/M0");
    check_shape("M0", array, {nrow, ncol});
    return unstacked(array, nrow, ncol, 1)[0];
  }

  std::vector<MatrixXd> read_terms(const char* name, Index count, Structure structure,
                                   bool must_vanish) const {
    const Index nrow = expected_.nrow(), ncol = expected_.ncol();
    if (count == 0) return {};
    const std::string object = group_ + "/" + name;
    if (!file_.has(object) && structure == Structure::zero)
      return terms_or_none({}, nrow, ncol, count, must_vanish);
    const Hdf5Array array = file_.read_array(object);
    check_shape(name, array, {nrow, ncol, count});
    const bool all_zero =
        std::all_of(array.values.begin(), array.values.end(), [](double v) { return v == 0.0; });
    if (must_vanish && !all_zero) {
      throw file_.error(object,
                        fmt::format("is not zero, but our equations use this member up to order {} only",
                                    expected_.order()));
    }
    std::vector<MatrixXd> terms = unstacked(array, nrow, ncol, count);
    if (structure != Structure::unit) {
      for (const MatrixXd& term : terms) check_structure(structure, name, term);
    }
    return terms_or_none(std::move(terms), nrow, ncol, count, must_vanish);
  }

  static std::vector<MatrixXd> terms_or_none(std::vector<MatrixXd> terms, Index nrow, Index ncol, Index count,
                                             bool none) {
    if (none) return {};
    if (terms.empty()) terms.assign(static_cast<std::size_t>(count), MatrixXd::Zero(nrow, ncol));
    return terms;
  }

  void check_shape(const char* name, const Hdf5Array& array, const std::vector<Index>& shape) const {
    const std::string object = group_ + "/" + name;
    if (!std::equal(shape.begin(), shape.end(), array.shape.begin(), array.shape.end(),
                    [](Index a, std::size_t b) { return static_cast<std::size_t>(a) == b; })) {
      throw file_.error(
          object, fmt::format("is {}; expected {}", fmt::join(array.shape, " x "), fmt::join(shape, " x ")));
    }
    const auto bad =
        std::find_if_not(array.values.begin(), array.values.end(), [](double v) { return std::isfinite(v); });
    if (bad != array.values.end()) throw file_.error(object, fmt::format("contains {}", *bad));
  }

  void check_structure(Structure structure, const char* name, const MatrixXd& m) const {
    if (agrees_with_structure(structure, m)) return;
    throw file_.error(group_ + "/" + name,
                      fmt::format("contradicts structure = {}", static_cast<int>(structure)));
  }

  const Hdf5File& file_;
  std::string group_;
  Taylor expected_;
  Index n_q_;
};

/// Brings the columns of Oe into our order.
void order_columns(const Hdf5File& file, const std::string& group, Taylor& Oe) {
  std::vector<std::string> columns = file.texts_attribute(group, "columns");
  if (columns == oe_columns) return;
  if (columns.size() == 6) std::swap(columns[4], columns[5]);
  if (columns != oe_columns) {
    throw file.error(group, fmt::format("columns must be {} (or with the last two exchanged)",
                                        fmt::join(oe_columns, ", ")));
  }
  exchange_last_columns(Oe);
}

SidRefmod read_refmod(const Hdf5File& file, const std::string& group) {
  SidRefmod refmod;
  const bool augmented = file.has_attribute(group + "/mass", "nd");
  refmod.mass = augmented ? file.read_matrix(group + "/mass/M0").sum() : file.read_number(group + "/mass");
  if (!(refmod.mass >= 0.0) || !std::isfinite(refmod.mass)) {
    throw file.error(group + "/mass", fmt::format("{} is not a mass", refmod.mass));
  }
  refmod.ielastq = file.read_texts(group + "/ielastq");
  if (refmod.nelastq() > most_elastic_coordinates) {
    throw file.error(group, fmt::format("names {} elastic coordinates, more than the {} that we can use",
                                        refmod.nelastq(), most_elastic_coordinates));
  }
  const std::int64_t nelastq = file.integer_attribute(group, "nelastq");
  if (nelastq != refmod.nelastq()) {
    throw file.error(group, fmt::format("nelastq = {}, but ielastq names {} elastic coordinates", nelastq,
                                        refmod.nelastq()));
  }
  return refmod;
}

std::vector<SidNode> read_frame(const Hdf5File& file, const std::string& group, Index n_q) {
  std::vector<SidNode> frame;
  if (!file.has(group)) return frame;
  for (const std::string& number : file.members(group)) {
    const std::string node_group = group + "/" + number;
    SidNode node =
        make_sid_node(file.text_attribute(node_group, "name"), Vector3d::Zero(), Matrix3d::Zero(), n_q);
    node.rframe = file.text_attribute(node_group, "rframe");
    node.phi = Taylor::zero(3, n_q, n_q, 1);
    for (const SidNodeMember& member : sid_node_members) {
      Taylor& taylor = node.*member.taylor;
      taylor = TaylorReader(file, node_group + "/" + member.name, taylor, n_q).read();
    }
    drop_vanishing_terms(node.phi);
    frame.push_back(std::move(node));
  }
  return frame;
}

}  // namespace

void write_sid(Hdf5File& file, const std::string& name, const Sid& sid) {
  if (name.empty() || name == "." || name.find('/') != std::string::npos) {
    throw InputError(fmt::format("{}: a body cannot be named '{}' in a file", file.path().string(), name));
  }
  const std::string group = group_of(name);
  file.remove(group);
  file.make_group(group);
  file.set_attribute(group, "q",
                     std::string("[q]: unit of an elastic coordinate, kg^(1/2) m for mass-normalised modes"));
  file.make_group(group + "/refmod");
  file.set_attribute(group + "/refmod", "nelastq", std::int64_t{sid.n_q()});
  file.write_number(group + "/refmod/mass", sid.refmod.mass);
  file.set_attribute(group + "/refmod/mass", "unit", std::string("kg"));
  file.write_texts(group + "/refmod/ielastq", sid.refmod.ielastq);
  file.make_group(group + "/frame");
  for (std::size_t i = 0; i < sid.frame.size(); ++i) {
    const std::string node_group = fmt::format("{}/frame/{}", group, i);
    file.make_group(node_group);
    file.set_attribute(node_group, "name", sid.frame[i].name);
    file.set_attribute(node_group, "rframe", sid.frame[i].rframe);
    for (const SidNodeMember& member : sid_node_members) {
      write_taylor(file, node_group + "/" + member.name, sid.frame[i].*member.taylor, sid.n_q(), member.unit);
    }
  }
  for (const SidMember& member : sid_members) {
    write_taylor(file, group + "/" + member.name, sid.*member.taylor, sid.n_q(), member.unit);
  }
  file.set_attribute(group + "/Oe", "columns", oe_columns);
}

Sid read_sid(const Hdf5File& file, const std::string& name) {
  const std::string group = group_of(name);
  if (!file.has(group)) throw file.error(group, "missing");
  SidRefmod refmod = read_refmod(file, group + "/refmod");
  Sid sid = Sid::zeros(refmod.ielastq, {});
  sid.refmod = std::move(refmod);
  sid.Ct = Taylor::zero(sid.n_q(), 3, sid.n_q(), 1);
  for (const SidMember& member : sid_members) {
    Taylor& taylor = sid.*member.taylor;
    taylor = TaylorReader(file, group + "/" + member.name, taylor, sid.n_q()).read();
  }
  drop_vanishing_terms(sid.Ct);
  order_columns(file, group + "/Oe", sid.Oe);
  sid.frame = read_frame(file, group + "/frame", sid.n_q());
  return sid;
}

std::vector<std::string> sid_names(const Hdf5File& file) {
  return file.has("bodies") ? file.members("bodies") : std::vector<std::string>();
}

void write_sid_file(const std::filesystem::path& path, const std::vector<NamedSid>& bodies,
                    FileHeader header) {
  Hdf5File file = Hdf5File::create(path);
  header.content = "sid";
  write_file_header(file, header);
  for (const NamedSid& body : bodies) write_sid(file, body.name, body.sid);
  file.commit();
}

}  // namespace kurbel
