"""pentacl.nbody against forces summed by NumPy, orbits by SciPy and conserved quantities."""

import numpy as np
import pytest
import scipy.integrate
from astropy import constants, units
from astropy.coordinates import SkyCoord

import pentacl
from pentacl.nbody import Simulation, initial


def forces(bodies, points, eps):
    """Accelerations and potentials at points, which may be the bodies: those at one place do not count."""
    step = bodies[None, :, 1:4] - points[:, None]
    r2 = (step**2).sum(-1)
    apart = r2 > 0
    r = np.sqrt(np.where(apart, r2 + eps**2, 1))
    mass = np.where(apart, bodies[:, 0], 0)
    return (mass[..., None] * step / r[..., None] ** 3).sum(1), -(mass / r).sum(1)


@pytest.mark.parametrize("n", [2, 3, 100, 515])
@pytest.mark.parametrize("precision, close", [("single", 2e-6), ("ds", 2e-6), ("double", 1e-12)])
def test_forces(n, precision, close):
    bodies = initial("plummer", n, seed=n)
    simulation = Simulation(bodies, eps=0.05, precision=precision)
    assert simulation.precision == precision
    acceleration, potential = simulation.forces()
    wanted, phi = forces(bodies, bodies[:, 1:4], 0.05)
    np.testing.assert_allclose(acceleration, wanted, atol=close * np.abs(wanted).max())
    np.testing.assert_allclose(potential, phi, rtol=1e-12)


def test_field_at_other_points(rng):
    bodies = initial("hernquist", 200, seed=5)
    points = rng.normal(size=(17, 3))
    acceleration, potential = Simulation(bodies, eps=0.1).field(points)
    wanted, phi = forces(bodies, points, 0.1)
    # A body at a point would count with eps > 0; none is.
    np.testing.assert_allclose(acceleration, wanted, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(potential, phi, rtol=1e-12)


@pytest.mark.parametrize("integrator, close", [("leapfrog", 2e-4), ("yoshida4", 1e-6), ("hermite4", 1e-7)])
def test_three_bodies_against_scipy(integrator, close):
    bodies = np.array([[1, 1, 0, 0, 0, 0.5, 0.1], [2, -0.5, 0.3, 0, 0, -0.3, 0], [0.5, 0, -1.2, 0.4, 0.6, 0.1, 0.0]])

    def rate(t, y):
        b = np.column_stack([bodies[:, 0], y[:9].reshape(3, 3), y[9:].reshape(3, 3)])
        return np.concatenate([y[9:], forces(b, b[:, 1:4], 0.1)[0].ravel()])

    start = np.concatenate([bodies[:, 1:4].ravel(), bodies[:, 4:].ravel()])
    end = scipy.integrate.solve_ivp(rate, (0, 1), start, rtol=1e-12, atol=1e-12, method="DOP853").y[:, -1]
    simulation = Simulation(bodies, eps=0.1, dt=1 / 512, integrator=integrator, precision="double")
    assert simulation.run(512) == 512 and simulation.time == 1 and simulation.step == 512
    np.testing.assert_allclose(simulation.positions.ravel(), end[:9], atol=close)
    np.testing.assert_allclose(simulation.velocities.ravel(), end[9:], atol=close)


def test_diagnostics():
    bodies = initial("plummer", 300, seed=2)
    d = Simulation(bodies, eps=0.01).diagnose()
    m, r, v = bodies[:, 0], bodies[:, 1:4], bodies[:, 4:]
    kinetic = (m * (v**2).sum(1)).sum() / 2
    potential = (m * forces(bodies, r, 0.01)[1]).sum() / 2
    assert d.kinetic == pytest.approx(kinetic) and d.potential == pytest.approx(potential)
    assert d.energy == pytest.approx(kinetic + potential) and d.virial == pytest.approx(-kinetic / potential)
    np.testing.assert_allclose(d.momentum, (m[:, None] * v).sum(0), atol=1e-14)
    np.testing.assert_allclose(d.angular, (m[:, None] * np.cross(r, v)).sum(0), atol=1e-14)
    assert d.mass == pytest.approx(1) and (np.diff(d.radii) > 0).all()


def test_callbacks():
    simulation = Simulation(initial("plummer", 64), eps=0.05, dt=1 / 64)
    seen = []
    assert simulation.run(10, lambda s: seen.append((s.step, s.time, s.get().shape)), every=4) == 10
    assert [step for step, _, _ in seen] == [4, 8, 10] and seen[-1][1:] == (10 / 64, (64, 7))
    assert simulation.run(10, lambda s: s.step >= 13) == 3 and simulation.step == 13

    def fails(s):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        simulation.run(5, fails)
    assert simulation.step == 14 and simulation.run(0) == 0


def test_every_callback_changes_no_bit():
    one, other = (Simulation(initial("disc", 100), eps=0.05, dt=1 / 128) for _ in range(2))
    one.run(20)
    other.run(20, lambda s: None, every=3)
    np.testing.assert_array_equal(one.bodies, other.bodies)


def test_state_goes_on_with_the_same_bits():
    simulation = Simulation(initial("plummer", 50), eps=0.05, dt=1 / 64, integrator="hermite4", step_mode="block")
    simulation.run(3)
    state = simulation.save()
    simulation.run(4)
    ends = simulation.bodies
    simulation.load(state)
    assert simulation.step == 3
    simulation.run(4)
    np.testing.assert_array_equal(simulation.bodies, ends)
    with pytest.raises(pentacl.InvalidError):
        simulation.load(state[:-1])


def test_units_of_astropy():
    earth, still, speed = (
        [1, 0, 0],
        0 * units.mas / units.yr,
        np.sqrt(constants.G * units.solMass / units.AU).to("km/s"),
    )
    places, motions = [[0, 0, 0], earth] * units.AU, [[0, 0, 0], [0, 1, 0]] * speed
    bodies, u = pentacl.nbody.with_units([1, 1e-9] * units.solMass, places, motions)
    simulation = Simulation(bodies, eps=0, dt=(1 * units.day).to_value(u.time))
    simulation.run(365)
    assert (simulation.time * u.time).to_value("day") == pytest.approx(365)
    np.testing.assert_allclose((simulation.positions * u.length).to_value("AU")[1], earth, atol=0.006)
    assert (simulation.masses[0] * u.mass).to_value("solMass") == pytest.approx(1)
    away = {"distance": [2] * units.pc, "radial_velocity": [3] * units.km / units.s}
    star = SkyCoord(
        [90] * units.deg, [0] * units.deg, pm_ra_cosdec=[still.value] * still.unit, pm_dec=[0] * still.unit, **away
    )
    np.testing.assert_allclose(
        pentacl.nbody.with_units([1] * units.kg, star)[0][:, 1:], [[0, 2, 0, 0, 3, 0]], atol=1e-9
    )


def test_arrays():
    bodies = initial("ngon", 6)
    simulation = Simulation(np.asfortranarray(bodies.astype(np.float32)), eps=0.1)
    out = np.empty((6, 7))
    assert simulation.get(out) is out
    np.testing.assert_array_equal(out, bodies.astype(np.float32))
    np.testing.assert_array_equal(simulation.masses, out[:, 0])
    with pytest.raises(ValueError, match="bodies has the shape"):
        Simulation(bodies[:, :6])
    with pytest.raises(pentacl.InvalidError, match="mass"):
        Simulation(bodies - 1)
    with pytest.raises(pentacl.InvalidError, match="`dt`"):
        Simulation(bodies, dt=0)
    with pytest.raises(pentacl.InvalidError, match="no model 'plumer'"):
        initial("plumer", 5)
