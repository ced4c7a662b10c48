"""Pictures of a moving mechanism by ParaView, without a screen:

    xvfb-run -a -s -noreset pvbatch scripts/film.py outputs/four_bar/motion.pvd four_bar.png --times 0.40 0.43 0.46 --colour displacement
    xvfb-run -a -s -noreset pvbatch scripts/film.py outputs/four_bar/motion.pvd four_bar.ogv

Debian's pvbatch draws on a screen. xvfb-run makes one in memory, which has to outlast pvbatch's first look at it (-noreset); on
a desktop pvbatch alone is enough.

Several times are shown in one picture, the last one solid; without --times all frames make a film.
"""
import argparse

from paraview.simple import *  # noqa: F403

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("motion", help="motion.pvd of a run")
parser.add_argument("file", help=".png; of a film .ogv, .avi or .png (numbered)")
parser.add_argument("--times", type=float, nargs="+", default=[], help="s")
parser.add_argument("--colour", default="density", help="density, displacement, von_mises, stress, ...; none")
parser.add_argument("--range", type=float, nargs=2, help="of the colours; default: of the array over all time")
parser.add_argument("--from", dest="view_from", type=float, nargs=3, default=[0.0, 0.0, 1.0])
parser.add_argument("--up", type=float, nargs=3, default=[0.0, 1.0, 0.0])
parser.add_argument("--zoom", type=float, default=1.2)
parser.add_argument("--size", type=int, nargs=2, default=[900, 420], help="pixels")
args = parser.parse_args()

units = {"displacement": " [m]", "von_mises": " [Pa]", "von_mises_max": " [Pa]", "stress": " [Pa]"}
view = CreateView("RenderView")
view.ViewSize, view.OrientationAxesVisibility = args.size, 0
view.UseColorPaletteForBackground, view.Background = 0, [1.0, 1.0, 1.0]
film = PVDReader(FileName=args.motion)


def show(source, opacity):
    shown = Show(source, view)
    shown.DiffuseColor = shown.AmbientColor = [0.8, 0.82, 0.86]
    shown.Opacity = opacity
    places = [p for p, data in (("CELLS", film.CellData), ("POINTS", film.PointData)) if args.colour in data.keys()]
    if not places:
        return
    ColorBy(shown, (places[0], args.colour))
    colours = GetColorTransferFunction(args.colour)
    if args.range:
        colours.RescaleTransferFunction(*args.range)
    else:
        shown.RescaleTransferFunctionToDataRangeOverTime()
    bar = GetScalarBar(colours, view)
    bar.Title, bar.ComponentTitle = args.colour + units.get(args.colour, ""), ""
    bar.TitleColor = bar.LabelColor = [0.0, 0.0, 0.0]
    bar.WindowLocation, bar.Position, bar.ScalarBarLength = "Any Location", [0.86, 0.1], 0.5
    bar.AutomaticLabelFormat, bar.LabelFormat, bar.RangeLabelFormat = 0, "%.3g", "%.3g"
    shown.SetScalarBarVisibility(view, True)


film.UpdatePipeline()
for time in args.times:
    show(ForceTime(film, ForcedTime=time), 1.0 if time == args.times[-1] else 0.25)
if not args.times:
    show(film, 1.0)
view.CameraParallelProjection = int(args.view_from[:2] == [0.0, 0.0])
view.CameraFocalPoint, view.CameraPosition, view.CameraViewUp = [0.0, 0.0, 0.0], args.view_from, args.up
view.ResetCamera(False)
GetActiveCamera().Zoom(args.zoom)
if args.times:
    SaveScreenshot(args.file, view, CompressionLevel="9")
else:
    scene = GetAnimationScene()
    scene.UpdateAnimationUsingDataTimeSteps()
    SaveAnimation(args.file, view, FrameRate=25)
