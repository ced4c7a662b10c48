#include "restated.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace kurbel::random_problems {

namespace {

/// act(leaf) for every value that is neither a list nor a table.
template <class Action>
void for_each_leaf(Value& value, const Action& act) {
  if (List* list = std::get_if<List>(&value.data)) {
    for (Value& element : *list) for_each_leaf(element, act);
  } else if (Table* table = std::get_if<Table>(&value.data)) {
    for (Entry& entry : *table) for_each_leaf(entry.value, act);
  } else {
    act(value);
  }
}

template <class Action>
void for_each_leaf(Table& table, const Action& act) {
  for (Entry& entry : table) for_each_leaf(entry.value, act);
}

Matrix3d rotation_matrix(const Vector3d& rotation) {
  const double angle = rotation.norm();
  if (angle == 0.0) return Matrix3d::Identity();
  return Eigen::AngleAxisd(angle, rotation / angle).toRotationMatrix();
}

void place(Value& value, const Matrix3d& A, const Vector3d& r) {
  if (VectorTimeHistory* time_history = std::get_if<VectorTimeHistory>(&value.data))
    time_history->direction = A * time_history->direction;
  Vector* v = std::get_if<Vector>(&value.data);
  if (!v) return;
  switch (v->nature) {
    case Vector::Nature::point:
      v->value = A * v->value + r;
      return;
    case Vector::Nature::direction:
      v->value = A * v->value;
      return;
    case Vector::Nature::attitude: {
      const Eigen::AngleAxisd turned(Matrix3d(A * rotation_matrix(v->value)));
      v->value = turned.angle() * turned.axis();
      return;
    }
  }
}

/// The inertial frame itself does not move with the mechanism; a marker at its origin does.
void hold_on_to_a_marker(Table& root) {
  const std::string name = "old_origin";
  Table& markers = sub_table(sub_table(root, "ground"), "markers");
  set(markers, name,
      Table{{"position", Vector{Vector3d::Zero(), Vector::Nature::point, length}},
            {"rotation", Vector{Vector3d::Zero(), Vector::Nature::attitude}}});
  for (const char* section : {"joints", "springs", "torsion_springs"}) {
    if (!find(root, section)) continue;
    for (Entry& link : sub_table(root, section)) {
      Table& table = std::get<Table>(link.value.data);
      for (const char* end : {"from", "to"}) {
        Value* place = find(table, end);
        if (std::get<std::string>(place->data) == "ground") *place = "ground." + name;
      }
    }
  }
}

/// The vector of the inertial frame under the key, such as "bodies.b.initial.velocity"; nullptr: it is none.
const Vector* find_vector(const Table& root, const std::string& key) {
  const Table* table = &root;
  std::size_t begin = 0;
  for (std::size_t dot; (dot = key.find('.', begin)) != std::string::npos; begin = dot + 1) {
    const Value* next = find(*table, key.substr(begin, dot - begin));
    table = next ? std::get_if<Table>(&next->data) : nullptr;
    if (!table) return nullptr;
  }
  const Value* value = find(*table, key.substr(begin));
  return value ? std::get_if<Vector>(&value->data) : nullptr;
}

/// Bounds around the components that vectors have now.
void bound_vectors(Table& root) {
  if (!find(root, "variables")) return;
  for (Entry& variable : sub_table(root, "variables")) {
    Table& table = std::get<Table>(variable.value.data);
    const Vector* vector = find_vector(root, std::get<std::string>(find(table, "quantity")->data));
    if (!vector) continue;
    Scalar& lower = std::get<Scalar>(find(table, "lower")->data);
    Scalar& upper = std::get<Scalar>(find(table, "upper")->data);
    const double half = 0.5 * (upper.value - lower.value);
    const double at = vector->value[std::get<std::string>(find(table, "component")->data)[0] - 'x'];
    lower.value = at - half, upper.value = at + half;
  }
}

void reorder(Value& value, Random& random) {
  if (Table* table = std::get_if<Table>(&value.data)) {
    random.shuffle(*table);
    for (Entry& entry : *table) reorder(entry.value, random);
  }
}

}  // namespace

Table placed(Table root, const Matrix3d& A, const Vector3d& r) {
  hold_on_to_a_marker(root);
  for_each_leaf(root, [&](Value& value) { place(value, A, r); });
  bound_vectors(root);
  return root;
}

Table reordered(Table root, Random& random) {
  random.shuffle(root);
  for (Entry& entry : root) {
    reorder(entry.value, random);
    if (List* terms = std::get_if<List>(&entry.value.data)) random.shuffle(*terms);
  }
  if (find(root, "design")) {
    if (Value* bodies = find(sub_table(root, "design"), "bodies"))
      random.shuffle(std::get<List>(bodies->data));
  }
  return root;
}

double Units::factor(Dimension dimension) const {
  return std::pow(length, dimension.length) * std::pow(mass, dimension.mass);
}

Table converted(Table root, const Units& units) {
  for_each_leaf(root, [&](Value& value) {
    if (Scalar* s = std::get_if<Scalar>(&value.data)) s->value *= units.factor(s->dimension);
    if (Vector* v = std::get_if<Vector>(&value.data)) v->value *= units.factor(v->dimension);
    if (VectorTimeHistory* v = std::get_if<VectorTimeHistory>(&value.data))
      v->direction *= units.factor(v->dimension);
  });
  return root;
}

}  // namespace kurbel::random_problems
