"""A moving picture of several runs side by side, without a screen: of their motions, or of their designs over the iterations.

    scripts/moving_picture.py outputs/flexible_crank/motion.pvd outputs/arm_codesign/motion.pvd --output moving.webp
    scripts/moving_picture.py outputs/four_bar/density.pvd --output design.webp

Needs Debian's python3-vtk9 and python3-pil. The mechanisms are drawn from above, solid where the density is above one half. Motions are
coloured by the elastic displacement in each run's own range; designs, which have none, are drawn in one colour.
"""
import argparse
import xml.etree.ElementTree as xml
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkDataObject
from vtkmodules.vtkFiltersCore import vtkThreshold
from vtkmodules.vtkFiltersGeometry import vtkGeometryFilter
from vtkmodules.vtkIOXML import vtkXMLMultiBlockDataReader, vtkXMLUnstructuredGridReader

STILL, MOVED, RIGID = (np.array(c) for c in [(0.16, 0.25, 0.36), (0.86, 0.38, 0.16), (0.62, 0.65, 0.69)])


def frames(motion, count):
    """Files of about `count` of the instants of a .pvd, evenly spaced."""
    files = [motion.parent / item.get("file") for item in xml.parse(motion).iter("DataSet")]
    return [files[round(i)] for i in np.linspace(0, len(files) - 1, count)]


def grids(file):
    """The meshes of one instant: those of the blocks of a .vtm, or the one of a .vtu."""
    reader = vtkXMLMultiBlockDataReader() if file.suffix == ".vtm" else vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(file))
    reader.Update()
    read = reader.GetOutput()
    if file.suffix != ".vtm":
        return [read]
    iterator, found = read.NewIterator(), []
    while not iterator.IsDoneWithTraversal():
        found.append(iterator.GetCurrentDataObject())
        iterator.GoToNextItem()
    return found


def surfaces(file):
    """The solid of one instant as a surface."""
    found = []
    for grid in grids(file):
        if grid.GetCellData().GetArray("density"):
            threshold = vtkThreshold()
            threshold.SetInputData(grid)
            threshold.SetInputArrayToProcess(0, 0, 0, vtkDataObject.FIELD_ASSOCIATION_CELLS, "density")
            threshold.SetLowerThreshold(0.5)
            threshold.Update()
            grid = threshold.GetOutput()
        skin = vtkGeometryFilter()
        skin.SetInputData(grid)
        skin.Update()
        if skin.GetOutput().GetNumberOfPoints() > 0:
            found.append(skin.GetOutput())
    return found


def displacement(surface):
    array = surface.GetPointData().GetArray("displacement")
    return np.linalg.norm(vtk_to_numpy(array), axis=1) if array else np.zeros(1)


def polygons(surface):
    """Corners of the faces, (n, 2) each, with the height of each face and the mean displacement of its corners."""
    points = vtk_to_numpy(surface.GetPoints().GetData())
    moved = np.broadcast_to(displacement(surface), len(points))
    offsets = vtk_to_numpy(surface.GetPolys().GetOffsetsArray())
    corners = vtk_to_numpy(surface.GetPolys().GetConnectivityArray())
    for begin, end in zip(offsets[:-1], offsets[1:]):
        face = corners[begin:end]
        yield points[face, 2].mean(), points[face, :2], moved[face].mean()


class View:
    """Pictures of one run, in one frame of reference and with one range of colours."""

    oversampling = 3

    def __init__(self, files, size):
        scenes = [surfaces(file) for file in files]
        corners = np.array([surface.GetBounds() for scene in scenes for surface in scene])
        low, high = corners[:, [0, 2]].min(axis=0), corners[:, [1, 3]].max(axis=0)
        self.largest = max(displacement(surface).max() for scene in scenes for surface in scene) or 1.0
        self.files, self.pixels = files, np.array(size) * self.oversampling
        self.scale = 0.92 * (self.pixels / (high - low)).min()
        self.centre = (low + high) / 2

    def picture(self, file):
        image = Image.new("RGB", tuple(self.pixels), "white")
        draw = ImageDraw.Draw(image)
        faces = [(*face, has_colour) for s in surfaces(file) for has_colour in [s.GetPointData().HasArray("density") or
                 s.GetCellData().HasArray("density")] for face in polygons(s)]
        for _, corners, moved, has_colour in sorted(faces, key=lambda face: (face[3], face[0])):
            share = moved / self.largest
            colour = STILL * (1 - share) + MOVED * share if has_colour else RIGID
            at = (corners - self.centre) * [self.scale, -self.scale] + self.pixels / 2
            draw.polygon([tuple(p) for p in at], fill=tuple(int(255 * c) for c in colour))
        return image.resize(tuple(self.pixels // self.oversampling), Image.LANCZOS)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("motions", type=Path, nargs="+", help="motion.pvd or density.pvd of runs")
    parser.add_argument("--output", type=Path, default=Path("moving.webp"), help=".webp or .gif")
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--size", type=int, nargs=2, default=[420, 300], help="of one run, pixels")
    parser.add_argument("--milliseconds", type=int, default=50, help="of a frame")
    args = parser.parse_args()

    views = [View(frames(motion, args.frames), args.size) for motion in args.motions]
    pictures = [Image.fromarray(np.hstack([view.picture(view.files[i]) for view in views])) for i in range(args.frames)]
    pictures[0].save(args.output, save_all=True, append_images=pictures[1:], duration=args.milliseconds, loop=0, quality=70, method=6)
    print(f"{args.output}: {args.output.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
