/// @file
/// The share of a body's stiffness that one process holds: the rows of some of its free nodes.
///
/// Free nodes are numbered anew, those of the first process first, then those of the second, and so on. Within a process
/// they keep the order of their positions. METIS finds parts that are equally large and have few common elements.
#pragma once

#include <vector>

#include "fem/assembly.hpp"

namespace kurbel::fem {

/// Nodes and elements of a body that one process holds.
struct StiffnessShare {
  int dim = 0;
  std::vector<int> node_begin;    ///< first node of every process, and the number of all
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
  std::vector<int> node_at;     ///< by position of a free node: its number among the shares
  std::vector<int> node_begin;  ///< as in StiffnessShare
};

/// Partitions the free nodes by METIS.
/// @throws InputError if a process would get no node
NodePartition partition_nodes(const Assembly& assembly, int n_processes);

/// @param positions  of the nodes of the mesh, 3 x n_nodes, m
StiffnessShare share_of(const Assembly& assembly, const Mesh::Points& positions,
                        const NodePartition& partition, int process, ShareElements& elements);

}  // namespace kurbel::fem
