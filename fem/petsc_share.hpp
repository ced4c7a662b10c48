/// @file
/// The share of a body's stiffness that one process holds: the rows of some of its free nodes.
///
/// Free nodes are numbered anew, those of the first process first, then those of the second, and so on. Within a process
/// they keep the order of their positions. METIS finds parts that are equally large and have few common elements.
#pragma once

#include <vector>

#include "fem/assembly.hpp"

namespace kurbel::fem {

/// Nodes and elements of a body that one process holds. Nodes that are not in the middle of an edge are vertices, and have
/// numbers of their own in the order of the nodes.
struct StiffnessShare {
  int dim = 0;
  std::vector<int> node_begin;    ///< first node of every process, and the number of all
  std::vector<int> vertex_begin;  ///< the same of vertices; empty without a coarse grid of linear elements
  std::vector<int> ends;  ///< by node of the share, two: the ends of its edge; a vertex twice; -1: clamped
  std::vector<int> corner_begin;  ///< by element that has a node of the share
  std::vector<int> corners;       ///< numbers of nodes; -1: clamped
  std::vector<int> class_of;      ///< by element: elements of a class have the same matrix
  std::vector<double> positions;  ///< dim x nodes of the share, m
};

/// Elements of a share, by which the first process sends moduli and matrices.
struct ShareElements {
  std::vector<int> elements;         ///< numbers in the mesh
  std::vector<int> representatives;  ///< an element of every class
};

/// The partition of the nodes of a body among the processes.
struct NodePartition {
  std::vector<int> node_at;             ///< by position of a free node: its number among the shares
  std::vector<int> node_begin;          ///< as in StiffnessShare
  std::vector<int> vertex_begin, ends;  ///< as in StiffnessShare, ends of all nodes
};

/// Partitions the free nodes by METIS.
/// @throws InputError if a process would get no node
NodePartition partition_nodes(const Assembly& assembly, const Mesh& mesh, int n_processes);

StiffnessShare share_of(const Assembly& assembly, const Mesh& mesh, const NodePartition& partition,
                        int process, ShareElements& elements);

}  // namespace kurbel::fem
