"""The half MBB beam in space by the algorithm of top88 (E. Andreassen et al., 2011), with 8-node hexahedra.

A program beside kurbel: published_beams_test.cpp has what it prints. As in topoptlab (example_bc/lin_elast.py, mbb_3d), the
faces x = 0 and z = 0 are planes of symmetry, the edge x = L, y = 0 moves along x alone, and unit forces act on all nodes of
the edge x = 0, y = H. The multiplier of the volume is bisected to rounding.
Usage: mbb_in_space.py NELX NELY NELZ RMIN [LOOPS]   prints the compliance of each design
"""
import sys

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu
from scipy.spatial import cKDTree

nx, ny, nz = map(int, sys.argv[1:4])
rmin = float(sys.argv[4])
loops = int(sys.argv[5]) if len(sys.argv) > 5 else 10**6
nu, penal, e_min, volume, move = 0.3, 3.0, 1e-9, 0.5, 0.2

# Stiffness of an element, by 2 x 2 x 2 points
corner = np.array([[i, j, k] for k in (0, 1) for j in (0, 1) for i in (0, 1)])
D = np.diag([1 - nu] * 3 + [(1 - 2 * nu) / 2] * 3)
D[:3, :3] += nu * (1 - np.eye(3))
D /= (1 + nu) * (1 - 2 * nu)
KE = np.zeros((24, 24))
g = 0.5 / np.sqrt(3)
for a in (-g, g):
    for b in (-g, g):
        for c in (-g, g):
            p = np.array([a, b, c]) + 0.5
            f = np.where(corner, p, 1 - p)
            s = np.where(corner, 1, -1)
            dN = np.stack([s[:, 0] * f[:, 1] * f[:, 2], s[:, 1] * f[:, 0] * f[:, 2], s[:, 2] * f[:, 0] * f[:, 1]])
            B = np.zeros((6, 24))
            for d in range(3):
                B[d, d::3] = dN[d]
            B[3, 0::3], B[3, 1::3] = dN[1], dN[0]
            B[4, 1::3], B[4, 2::3] = dN[2], dN[1]
            B[5, 0::3], B[5, 2::3] = dN[2], dN[0]
            KE += B.T @ D @ B / 8


def node(i, j, k):
    return i + (nx + 1) * (j + (ny + 1) * k)


ek, ej, ei = np.meshgrid(range(nz), range(ny), range(nx), indexing="ij")
el = np.stack([ei.ravel(), ej.ravel(), ek.ravel()], 1)
nodes = node(el[:, :1] + corner[:, 0], el[:, 1:2] + corner[:, 1], el[:, 2:] + corner[:, 2])
dofs = (3 * nodes[:, :, None] + np.arange(3)).reshape(len(el), 24)
n = 3 * (nx + 1) * (ny + 1) * (nz + 1)
I, J, K = np.meshgrid(range(nx + 1), range(ny + 1), range(nz + 1), indexing="ij")
all_nodes = node(I, J, K)
edge = 3 * all_nodes[nx, 0]
fixed = np.concatenate([3 * all_nodes[0].ravel(), edge + 1, edge + 2, 3 * all_nodes[:, :, 0].ravel() + 2])
free = np.setdiff1d(np.arange(n), fixed)
F = np.zeros(n)
F[3 * all_nodes[0, ny] + 1] = -1.0

pairs = cKDTree(el).sparse_distance_matrix(cKDTree(el), rmin, output_type="coo_matrix")
H = sp.csr_matrix((rmin - pairs.data, (pairs.row, pairs.col)), shape=pairs.shape)
H = H.tolil()
H.setdiag(rmin)  # a distance of zero is no entry of a sparse matrix
H = H.tocsr()
Hs = np.asarray(H.sum(1)).ravel()
r, c = np.repeat(dofs, 24, 1).ravel(), np.tile(dofs, 24).ravel()

x = np.full(len(el), volume)
x_phys = x.copy()
for loop in range(loops + 1):
    E = e_min + x_phys**penal * (1 - e_min)
    A = sp.csc_matrix(((E[:, None] * KE.ravel()).ravel(), (r, c)), shape=(n, n))[free][:, free]
    U = np.zeros(n)
    U[free] = splu(A, permc_spec="MMD_AT_PLUS_A", options=dict(SymmetricMode=True), diag_pivot_thresh=0.0).solve(F[free])
    ce = np.einsum("ei,ij,ej->e", U[dofs], KE, U[dofs])
    print(loop, "%.9g" % (E @ ce), "" if loop == 0 else "%.4f" % change, flush=True)
    if loop > 0 and change <= 0.01:
        break
    dc = H @ (-penal * (1 - e_min) * x_phys ** (penal - 1) * ce / Hs)
    dv = H @ (np.ones(len(el)) / Hs)
    low, high = 0.0, 1e9
    while low < (mid := 0.5 * (low + high)) < high:
        new = np.maximum(0, np.maximum(x - move, np.minimum(1, np.minimum(x + move, x * np.sqrt(-dc / dv / mid)))))
        new_phys = H @ new / Hs
        low, high = (mid, high) if new_phys.sum() > volume * len(el) else (low, mid)
    change = np.abs(new - x).max()
    x, x_phys = new, new_phys
