"""Shapes and controls of moving, flexible mechanisms: evaluate, differentiate, simulate and optimize a problem from a file or a dict."""

from os import PathLike
from types import SimpleNamespace
from typing import Any, Callable, Literal, Mapping, TypedDict, overload

from numpy import float64, int32
from numpy.typing import ArrayLike, NDArray

__version__: str

class Problem:
    """The problem: minimize `f[0](x)` for `lower <= x <= upper` with `f[1:] <= 0`, of which the first `n_equalities` are zero.

    Meshes, factors and motions are kept between calls.
    """

    def __init__(self, file: str | PathLike[str] | dict[str, Any], overrides: Mapping[str, Any] = {}, density: str = "") -> None:
        """Reads a problem from a file or a dict.

        The keys of a dict are those of an input file, or key paths; dicts are tables. `overrides` has key paths and values,
        as `--set` of the program. `density` is a file of densities to start from, as `--density`.
        Raises `InputError`, which names the key.
        """

    @property
    def title(self) -> str:
        """The title of the problem."""

    @property
    def text(self) -> str:
        """The text of an input file that says the same, with the overrides. Relative names of files are relative to the folder of the original input."""

    @property
    def x0(self) -> NDArray[float64]:
        """The start, one value per variable."""

    @property
    def lower(self) -> NDArray[float64]:
        """Lower bounds; -inf without one."""

    @property
    def upper(self) -> NDArray[float64]:
        """Upper bounds; inf without one."""

    @property
    def names(self) -> list[str]:
        """Names of the variables."""

    @property
    def units(self) -> list[str]:
        """Units of the variables. A number with both bounds is scaled to [0, 1] between them; `values(x)` has it in its unit."""

    @property
    def functions(self) -> list[str]:
        """Names of the functions of `evaluate()`: `"objective"`, then the constraints."""

    @property
    def function_units(self) -> list[str]:
        """Units of the functions h of which `evaluate()` gives `f = (h - function_bounds) / function_scales`."""

    @property
    def function_bounds(self) -> NDArray[float64]:
        """The bound of each function in its unit; 0 for the objective."""

    @property
    def function_scales(self) -> NDArray[float64]:
        """The number that divides the distance from the bound, negative for a lower bound; 1 for the objective."""

    @property
    def outputs(self) -> list[str]:
        """Names of the rows of `[outputs.*]`, which `vjp()` differentiates."""

    @property
    def n_equalities(self) -> int:
        """The number of equality constraints, which come first."""

    @property
    def closed(self) -> bool:
        """True after `close()`."""

    def close(self) -> None:
        """Frees meshes, factors and motions at once.

        Everything but `close()` and `closed` raises `InputError` afterwards. A `with` statement closes its problem at its end.
        """

    def __enter__(self) -> Problem: ...
    def __exit__(self, *error: Any) -> None: ...
    def set_beta(self, beta: float) -> None:
        """Sets the steepness of the projection."""

    def values(self, x: ArrayLike) -> NDArray[float64]:
        """The variables at `x` in their units: densities as they are, the other numbers without the scaling to [0, 1]."""

    @overload
    def evaluate(
        self, x: ArrayLike, gradient: Literal[True] = True, sparse: Literal[False] = False
    ) -> tuple[NDArray[float64], NDArray[float64]]:
        """The functions at `x` and their exact gradients, `(f, g)`.

        `f` has `len(functions)` values, `g` is `len(functions)` by `len(x)`. Without `gradient` the result is `f` alone. With `sparse`,
        `g` is a `scipy.sparse.csr_matrix` of the entries that can be other than zero.
        Raises `SimulationError` if the motion cannot be found.
        """

    @overload
    def evaluate(
        self, x: ArrayLike, gradient: Literal[True] = True, *, sparse: Literal[True]
    ) -> tuple[NDArray[float64], Any]: ...
    @overload
    def evaluate(self, x: ArrayLike, gradient: Literal[False]) -> NDArray[float64]: ...
    def simulate(self, x: ArrayLike) -> dict[str, Series]:
        """The motion at `x`: `{name: {"values": array over time, "unit": text}}`, with the instants as `"t"`.

        For a mechanism at rest the result has the columns of the program's tables. Those of the frequency response, over
        `"frequency"`, are amplitude and phase of each output, `"hand.y"` and `"hand.y phase"` (deg): z = amplitude exp(i phase).
        Those of the modes have names such as `"modes.frequency"` and `"modes.damping ratio"`.
        """

    def vjp(self, x: ArrayLike, seeds: Mapping[str, ArrayLike]) -> NDArray[float64]:
        """The gradient by `x` of a function J of your own, the vector-Jacobian product.

        J is a function of the outputs z(t) of `simulate(x)`. `seeds` has dJ/dz by name of `outputs`, one value per instant; an output
        without a seed does not count. The result is

            dJ/dx = sum over outputs i and instants k of (dJ/dz_i(t_k)) (dz_i(t_k)/dx),

        exact for the discrete motion, by one adjoint sweep for any number of outputs and variables. Directly after `simulate(x)` the
        motion is not computed again. If J also depends on values of `evaluate()`, add their gradients.
        """

    def fields(self, x: ArrayLike) -> dict[str, Field]:
        """Meshes and densities of the flexible bodies at `x`, by body.

        `points` is n x 3 (m). `cells` has an array of corners, in VTK's order, for each kind of element. `density` and `volume` (m^3) have a value
        for each element.
        """

    def sids(self, x: ArrayLike) -> dict[str, dict[str, float | list[str] | Taylor | dict[str, dict[str, str | Taylor]]]]:
        """Standard input data of all bodies at `x`, by body.

        The keys of a body are `mass`, `elastic_coordinates`, `mdCM`, `J`, `Ct`, `Cr`, `Me`, `Gr`, `Ge`, `Oe`, `ksigma`, `Ke`, `De`, and
        `nodes`, which has `origin`, `phi`, `psi`, `AP` and `rframe` of each marker. A coefficient is

            M(q) = M0 + sum_k M1[k] q_k + sum_kl Mn[k, l] q_k q_l,

        a dict with `M0`, `unit` and, where they are not zero, `M1` and `Mn`.
        """

    def optimize(
        self,
        callback: Callable[[SimpleNamespace], bool | None] | None = None,
        log: Callable[[str], None] | None = None,
    ) -> SimpleNamespace:
        """Runs all stages as the program does.

        `callback(at)` is called after each iteration with `at.iteration`, `at.evaluations`, `at.objective`, `at.constraints`, `at.x` and
        `at.kkt_residual`; it ends the run by returning `False`. `log(text)` gets the lines of the program's log. The result has `x`,
        `objective`, `constraints`, `gradient`, `feasible`, `kkt_residual`, `status` (`"converged"`, `"limit"`, `"stalled"`, `"infeasible"`,
        `"interrupted"` or `"failed"`), `message`, `iterations` and `evaluations`.
        Constraints on smooth maxima are scaled so that they hold for true peaks (`scaling = "adaptive"`, the default); `evaluate()`
        has them without this scaling.
        """

    def save(self, x: ArrayLike, folder: str | PathLike[str]) -> None:
        """Writes a design as `kurbel optimize` leaves its result, whether the problem is a file or a dict.

        `kurbel export FOLDER`, `verify`, `report`, and `optimize --shape` or `--finer` go on from it. The design is evaluated once. A
        finished run in the folder is replaced. Raises `InputError` if a run may not write there, `SimulationError` if the design
        cannot be simulated (the folder is then as it was), `OSError` if the disk does not take it.
        """

class InputError(ValueError):
    """A wrong file, key, name or array. The message is that of the program."""

class SimulationError(RuntimeError):
    """A numerical failure, such as a motion that cannot be found. The message is that of the program."""

class Series(TypedDict):
    """A curve of `Problem.simulate()`. Only type checkers know this name; the module returns a plain dict."""

    values: NDArray[float64]
    unit: str

class Field(TypedDict):
    """The mesh of a body, of `Problem.fields()`. Only type checkers know this name; the module returns a plain dict."""

    points: NDArray[float64]
    cells: list[NDArray[int32]]
    density: NDArray[float64]
    volume: NDArray[float64]

class Taylor(TypedDict, total=False):
    """A coefficient of `Problem.sids()`. Only type checkers know this name; the module returns a plain dict."""

    M0: NDArray[float64]
    M1: NDArray[float64]
    Mn: NDArray[float64]
    unit: str
