"""Gravity: every body attracts every other."""

from __future__ import annotations

import operator
import weakref
from typing import NamedTuple

import numpy as np

from . import _arrays, _opencl, errors
from ._library import ffi, lib, text
from ._result import Pictured, Result, density, result, short, taken
from ._tables import documented, tables
from ._types import Any, ArrayLike, Callable, Progress
from .context import Context, Plan, reporting

__all__ = ["Diagnostics", "Simulation", "Units", "gravity", "initial", "with_units"]

RADII = (1, 5, 10, 25, 50, 75, 90)  # per cent of the mass, of Diagnostics.radii
DOUBTFUL = 1e-3  # PENTA_NBODY_DOUBTFUL
_drawn = weakref.WeakValueDictionary()  # models: few bodies stand for many, so their distances say nothing
MODELS = ("plummer", "hernquist", "disc", "uniform", "galaxies", "ngon")


@result
class Diagnostics(Result):
    """Sums over all bodies, in double. ``virial`` is kinetic / |potential|; ``radii`` hold 1, 5, 10, 25, 50, 75 and
    90 per cent of the mass; ``energy_com`` is about the centre of mass. Orbits are doubtful where ``step_judged`` is
    above 0.03."""

    time: float
    mass: float
    kinetic: float
    potential: float
    energy: float
    momentum: np.ndarray
    angular: np.ndarray
    center: np.ndarray
    virial: float
    radii: np.ndarray
    energy_com: float
    step_check: float
    step_body: int
    step_judged: float


def initial(model: str, n: int, seed: int = 1) -> np.ndarray:
    """Bodies (n x 7: mass, x, y, z, vx, vy, vz) of "plummer", "hernquist", "disc", "uniform", "galaxies" or "ngon"."""
    if model not in MODELS:
        raise errors.InvalidError(f"there is no model {model!r}; there are {', '.join(MODELS)}")
    n = operator.index(n)
    if n < 1:
        raise errors.InvalidError(f"there cannot be {n} bodies")
    bodies = np.empty((n, 7))
    errors.check(lib.penta_nbody_initial(MODELS.index(model), seed, n, _arrays.doubles(bodies)))
    _drawn[id(bodies)] = bodies
    return bodies


def gravity(length: float, mass: float, velocity: float) -> float:
    """G in units of ``length`` cm, ``mass`` g and ``velocity`` cm/s. A ``Simulation`` has G = 1: masses in units with
    another G are scaled by it first."""
    return lib.penta_nbody_gravity(length, mass, velocity)


class Units(NamedTuple):
    """Units of astropy in which G is 1, as of ``with_units``: ``simulation.time * units.time``."""

    length: Any
    velocity: Any
    time: Any
    mass: Any


def with_units(mass: Any, position: Any, velocity: Any = None) -> tuple[np.ndarray, Units]:
    """(bodies, n x 7; the units that they are in) of quantities of astropy: mass (n), position and velocity (n x 3).

    Lengths and velocities keep their units; those of time and mass follow with G = 1, so that a step is
    ``dt=(1 * u.Myr).to_value(units.time)``. A SkyCoord with distances stands for positions, about the Sun, and with
    proper motions and radial velocities for velocities.
    """
    if hasattr(position, "cartesian"):
        velocity = position.velocity.d_xyz.T if velocity is None else velocity
        position = position.cartesian.xyz.T
    g = gravity(position.unit.to("cm"), mass.unit.to("g"), velocity.unit.to("cm/s"))
    units = Units(position.unit, velocity.unit, position.unit / velocity.unit, mass.unit / g)
    return np.column_stack([mass.value * g, position.value, velocity.value]), units


@documented("nbody")
class Simulation(Pictured, Plan):
    """Bodies in motion, with G = 1.

    Parameters
    ----------
    bodies : n x 7
        Mass, x, y, z, vx, vy, vz of each. An array of pyopencl is read where it is.
    device : Context, str or int, optional
        As for ``pentacl.Context``.
    {options}

    >>> pair = [[0.5, -0.5, 0, 0, 0, -0.5, 0], [0.5, 0.5, 0, 0, 0, 0.5, 0]]  # a circle, once round in 2 pi
    >>> simulation = pentacl.nbody.Simulation(pair, eps=0, dt=2 * np.pi / 1000, integrator="hermite4")
    >>> simulation.run(500), simulation.positions[:, 0].round(6).tolist()
    (500, [0.5, -0.5])
    """

    def __init__(self, bodies: ArrayLike, *, device: Context | str | int | None = None, **options):
        context = _opencl.context_of(device, bodies)
        if _opencl.is_array(bodies):
            _opencl.check(bodies, "bodies", [float], 2)
        else:
            bodies = _arrays.reals(bodies, "bodies", (None, 7))
        made, self._keep = tables["nbody"].make(options)
        super().__init__(context, lib.penta_nbody_destroy, lib.penta_nbody_create, len(bodies), made)
        self.n = len(bodies)
        self._options = made
        try:
            self.set(bodies)
        except BaseException:
            self.close()
            raise

    def set(self, bodies: ArrayLike) -> None:
        """Other bodies, as many as before; the time becomes 0."""
        shape, pairs = (self.n, 7), _drawn.get(id(bodies)) is not bodies
        if _opencl.is_array(bodies):
            bodies = _opencl.lend(self.context, bodies, "bodies", shape, np.dtype(float))
        else:
            bodies = _arrays.reals(bodies, "bodies", shape)
        self.call(lib.penta_nbody_set, _arrays.doubles(bodies))
        self._orbit_step, self._energy, self._other_units = 0.0, None, False
        eps, few = self._options.eps, self.n <= lib.PENTA_NBODY_FEW
        rows = _arrays.doubles(self.get()) if few or eps > 0 else ffi.NULL
        if few:
            self._orbit_step = lib.penta_nbody_orbit_step(self.n, rows, eps)
        errors.warn_line(lib.penta_nbody_doubt_softening, self.n, rows, eps, pairs)
        met = ffi.new("bool *")
        why = text(lib.penta_nbody_need(self.handle, met))
        if why and not met[0]:
            rest = "leave it to `precision` auto" if self.context.device.fp64 else "the device has no double precision"
            errors.warn(f"{why}, which precision {self.precision} does not resolve; {rest}")

    def get(self, out: np.ndarray | None = None) -> np.ndarray:
        """The bodies now, n x 7; written to ``out`` where it is given, an array of NumPy or pyopencl."""
        shape, dtype = (self.n, 7), np.dtype(float)
        if _opencl.is_array(out):
            out = _opencl.lend(self.context, out, "out", shape, dtype)
        else:
            out = _arrays.output(out, shape, dtype)
        self.call(lib.penta_nbody_get, _arrays.doubles(out))
        return _opencl.returned(out)

    def run(
        self,
        steps: int,
        callback: Callable[[Simulation], object] | None = None,
        *,
        every: int = 1,
        progress: Progress = None,
    ) -> int:
        """Goes on for ``steps`` steps and returns how many were done.

        ``callback(simulation)`` is called after every ``every`` steps and after the last; it may look at the bodies,
        and ends the run by returning True. ``progress(done, total)`` is called more often, and must not use the
        simulation; it cancels by returning True (``pentacl.CancelledError``). After that, and after Ctrl-C, the bodies
        are at the end of the last whole step.
        """
        steps, every = operator.index(steps), operator.index(every)
        if steps < 0 or every < 1:
            raise errors.InvalidError(f"cannot do {steps} steps with a callback every {every}")
        done = 0
        with reporting(progress) as progress:
            while done < steps:
                count = steps - done if callback is None else min(every, steps - done)
                self.call(lib.penta_nbody_advance, count, progress=_shifted(progress, done, steps))
                done += count
                if callback is not None and callback(self):
                    break
            if progress is not None and done:
                progress(done, done)
        return done

    @property
    def bodies(self) -> np.ndarray:
        """A copy of the bodies, n x 7: mass, x, y, z, vx, vy, vz."""
        return self.get()

    @property
    def masses(self) -> np.ndarray:
        """A copy of the masses."""
        return self.get()[:, 0]

    @property
    def positions(self) -> np.ndarray:
        """A copy of the positions, n x 3."""
        return self.get()[:, 1:4]

    @property
    def velocities(self) -> np.ndarray:
        """A copy of the velocities, n x 3."""
        return self.get()[:, 4:7]

    @property
    def time(self) -> float:
        """The present time."""
        return self._ask(lib.penta_nbody_time)

    @property
    def step(self) -> int:
        """Whole steps since the bodies were set."""
        return self._ask(lib.penta_nbody_step)

    @property
    def interactions(self) -> float:
        """How many forces between two bodies have been computed."""
        return self._ask(lib.penta_nbody_interactions)

    @property
    def kernel(self) -> str:
        """The name of what adds up the forces."""
        return text(self._ask(lib.penta_nbody_kernel_name))

    @property
    def precision(self) -> str:
        """The precision of the forces: "single", "ds" or "double"."""
        return text(self._ask(lib.penta_nbody_precision_name))

    def diagnose(self) -> Diagnostics:
        """Energy, momentum and so on at the present time. Energies are held against the first that was asked for."""
        d = ffi.new("penta_nbody_diagnostics *")
        self.call(lib.penta_nbody_diagnose, d)
        self._warn(d)
        vectors = {name: np.array(list(getattr(d, name))) for name in ("momentum", "angular", "center", "radii")}
        return taken(Diagnostics, d, time=self.time, **vectors)

    def _warn(self, d):
        """Of orbits that these diagnostics show to be doubtful."""
        if self._energy is None:
            self._energy = ffi.new("penta_nbody_energy *")
            lib.penta_nbody_energy_begin(self._energy, d.energy_com, d.potential)
            kinetic = d.energy_com - d.potential
            self._other_units = errors.warn_line(lib.penta_nbody_doubt_units, self.n, kinetic, d.potential)
        lib.penta_nbody_energy_add(self._energy, d.energy_com)
        worst = lib.penta_nbody_energy_worst(self._energy)
        advice = errors.line(lib.penta_nbody_advise_step, self._options, self.n, d, self._orbit_step)
        if self._other_units:
            return
        if worst > DOUBTFUL:
            advice = advice or "take a smaller `dt`, more `eps`, or `integrator` hermite4 with `step_mode` block"
            errors.warn(f"the largest relative energy error was {worst:.2g}; orbits are doubtful: {advice}")
        elif advice:
            errors.warn(f"orbits are doubtful: {advice}")

    def forces(self) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations (n x 3) by the simulation's kernel, and potentials (n)."""
        acceleration, potential = np.empty((self.n, 3)), np.empty(self.n)
        self.call(lib.penta_nbody_forces, _arrays.doubles(acceleration), _arrays.doubles(potential))
        return acceleration, potential

    def field(self, points: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations (m x 3) and potentials (m) at other points, m x 3, in double."""
        points = _arrays.reals(points, "points", (None, 3))
        acceleration, potential = np.empty(points.shape), np.empty(len(points))
        self.call(lib.penta_nbody_field, len(points), *map(_arrays.doubles, (points, acceleration, potential)))
        return acceleration, potential

    def save(self) -> np.ndarray:
        """The whole state, an array of doubles, from which ``load`` goes on with the same bits."""
        state = np.empty(self._ask(lib.penta_nbody_state_size))
        self.call(lib.penta_nbody_save, _arrays.doubles(state))
        return state

    def load(self, state: ArrayLike) -> None:
        """Goes on from a state that ``save`` gave for as many bodies and the same integrator and step mode."""
        state = _arrays.reals(state, "state", (None,))
        self.call(lib.penta_nbody_load, _arrays.doubles(state), len(state))
        self._energy = None

    def to_dict(self) -> dict[str, Any]:
        """The present ``time``, ``step``, ``bodies`` and ``diagnose()`` by name."""
        return {"time": self.time, "step": self.step, "bodies": self.bodies, "diagnostics": self.diagnose().to_dict()}

    def _lines(self):
        if not self._end.alive:
            return [("closed", "")]
        known = {"bodies": self.n, "time": self.time, "step": self.step}
        known.update(kernel=self.kernel, precision=self.precision, device=self.context.device.name)
        return [(name, short(value)) for name, value in known.items()]

    def _panels(self):
        if not self._end.alive:
            return []
        return [density(*self.positions.T[:2], f"t = {self.time:.6g}", ("x", "y"))]

    def _ask(self, function):
        with self.context.lock:
            self.check()
            return function(self.handle)


def _shifted(progress, before, total):
    """Progress of a part of a run as that of the whole."""
    return None if progress is None else lambda done, _: progress(before + done, total)
