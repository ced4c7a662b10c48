"""A film of designs over the iterations, of one body (.vtu) and of two (.vtm).

Usage: moving_picture_test.py KURBEL SOURCE_FOLDER          needs python3-pil and python3-vtk9, without which it is skipped
"""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

KURBEL, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
SIZE = (120, 90)
RUNS = {
    "flexible_crank_small": ["bodies.crank.mesh.divisions=[24,6]", "bodies.crank.regions.bearing.x=[0.19,0.2]",
                             "integrator.step=1e-2"],
    "four_bar": ["bodies.coupler.mesh.divisions=[40,4]", "bodies.rocker.mesh.divisions=[40,4]", "integrator.step=2e-3",
                 "integrator.t1=0.2", "filter.radius=0.012"],
}


@unittest.skipUnless(all(importlib.util.find_spec(m) for m in ("PIL", "numpy", "vtkmodules")), "needs python3-pil, python3-vtk9")
class MovingPicture(unittest.TestCase):
    def test_shows_the_designs_of_runs_side_by_side(self):
        from PIL import Image

        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for run, overrides in RUNS.items():
                sets = [word for o in [*overrides, "output.motion=false", "output.every=1", "optimizer.stop.iterations=2"]
                        for word in ("--set", o)]
                subprocess.run([KURBEL, "optimize", next((SOURCE / "inputs").rglob(f"{run}.toml")), "--quiet", "-o", folder / run, *sets],
                               check=True, capture_output=True)
            film = folder / "film.gif"
            subprocess.run([sys.executable, SOURCE / "scripts" / "moving_picture.py", *(folder / r / "density.pvd" for r in RUNS),
                            "--output", film, "--frames", "4", "--size", *map(str, SIZE)], check=True, capture_output=True)
            with Image.open(film) as picture:
                self.assertEqual(picture.size, (2 * SIZE[0], SIZE[1]))
                self.assertGreater(picture.n_frames, 1, "designs differ")
                picture.seek(picture.n_frames - 1)
                last = picture.convert("L")
            for left in (0, SIZE[0]):
                darkest, _ = last.crop((left, 0, left + SIZE[0], SIZE[1])).getextrema()
                self.assertLess(darkest, 128, "the solid is drawn")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
