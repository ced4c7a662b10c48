"""Mass and largest stress of a design of inputs/validation/l_bracket.toml, by a program independent of kurbel: python3 l_bracket.py RUN/final.vtu

Bilinear quadrilaterals with 2 x 2 points of integration, E = p^3 E0, relaxed von Mises stress sqrt(p) E0 D B u at the centres. Needs
NumPy, SciPy and VTK. docs/validation.md has the numbers.
"""
import sys

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg
import vtk
from vtk.util.numpy_support import vtk_to_numpy

E0, NU, RHO, THICKNESS, FORCE = 71e9, 0.33, 2800.0, 1e-3, 1500.0
D = E0 / (1 - NU**2) * np.array([[1, NU, 0], [NU, 1, 0], [0, 0, (1 - NU) / 2]])


def strain_matrix(corners, a, b):
    """B and the determinant of the Jacobian at (a, b)."""
    by_ab = np.array([[-(1 - b), 1 - b, 1 + b, -(1 + b)], [-(1 - a), -(1 + a), 1 + a, 1 - a]]) / 4
    jacobian = by_ab @ corners
    by_x, by_y = np.linalg.solve(jacobian, by_ab)
    B = np.zeros((3, 8))
    B[0, ::2] = B[2, 1::2] = by_x
    B[1, 1::2] = B[2, ::2] = by_y
    return B, np.linalg.det(jacobian)


reader = vtk.vtkXMLUnstructuredGridReader()
reader.SetFileName(sys.argv[1])
reader.Update()
grid = reader.GetOutput()
X = vtk_to_numpy(grid.GetPoints().GetData())[:, :2]
cells = vtk_to_numpy(grid.GetCells().GetConnectivityArray()).reshape(-1, 4)
p = vtk_to_numpy(grid.GetCellData().GetArray("density"))

point = 1 / np.sqrt(3)
stiffness, area = np.zeros((8, 8)), 0.0  # all elements are equal squares
for a in (-point, point):
    for b in (-point, point):
        B, det = strain_matrix(X[cells[0]], a, b)
        stiffness += B.T @ D @ B * det * THICKNESS
        area += det

dofs = np.stack([2 * cells, 2 * cells + 1], axis=2).reshape(-1, 8)
rows, columns = np.repeat(dofs, 8, axis=1), np.tile(dofs, (1, 8))
values = p[:, None] ** 3 * stiffness.ravel()
K = sparse.csc_matrix((values.ravel(), (rows.ravel(), columns.ravel())))

near = 1e-9
tip = (abs(X[:, 0] - 0.2) < near) & (X[:, 1] > 0.068 - near) & (X[:, 1] < 0.08 + near)
top = (abs(X[:, 1] - 0.2) < near) & (X[:, 0] < 0.08 + near)
corner = top & (X[:, 0] < near)
f = np.zeros(2 * len(X))
f[1::2][tip] = -FORCE / tip.sum()
free = np.stack([~corner, ~top], axis=1).ravel()
u = np.zeros_like(f)
u[free] = sparse.linalg.spsolve(K[free][:, free], f[free])

centres = X[cells].mean(axis=1)
in_fillet = (centres < 0.1).all(axis=1) & (np.hypot(*(centres - 0.1).T) > 0.02)
outside = (centres > 0.08).all(axis=1) & ~in_fillet
pad = (centres[:, 0] > 0.188) & (centres[:, 1] > 0.06) & (centres[:, 1] < 0.08)
stress = np.array([np.sqrt(p[e]) * D @ strain_matrix(X[cells[e]], 0, 0)[0] @ u[dofs[e]] for e in range(len(cells))])
von_mises = np.sqrt(stress[:, 0] ** 2 - stress[:, 0] * stress[:, 1] + stress[:, 1] ** 2 + 3 * stress[:, 2] ** 2)
mass = RHO * THICKNESS * area * np.where(p < 0.1, 1e5 * p**6, p)  # voids carry almost none
print(f"mass {1e3 * mass.sum():.7g} g, {100 * mass.sum() / (RHO * THICKNESS * area * (~outside).sum()):.4g} % of the L")
print(f"largest stress {von_mises[~outside & ~pad].max() / 1e6:.8g} MPa, displacement of the tip {f @ u / FORCE:.8g} m")
