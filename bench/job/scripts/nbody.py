"""Bodies under their gravity, by leapfrog steps: nbody.py INPUT OUTPUT STEPS"""
import csv
import os
import sys

from clock import answer, optional, stage

import numpy as np

rebound = optional("rebound")
source, target, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
os.makedirs(target, exist_ok=True)
DT, EPS = 1 / 256, 0.05
stage("start")


def pull(place, mass):
    """Accelerations, and the potential energy."""
    force, energy = np.empty_like(place), 0.0
    for first in range(0, len(mass), 256):  # blocks that stay in the cache
        some = slice(first, first + 256)
        apart = place.T[:, None, :] - place[some].T[:, :, None]
        square = np.einsum("kij,kij->ij", apart, apart) + EPS**2
        weight = mass / (square * np.sqrt(square))
        force[some] = np.einsum("ij,kij->ik", weight, apart)
        energy -= 0.5 * mass[some] @ (weight * square).sum(axis=1)
    return force, energy + 0.5 * (mass @ mass) / EPS


def leapfrog(bodies):
    mass, place, speed = bodies[:, 0], bodies[:, 1:4].copy(), bodies[:, 4:7].copy()
    force, energy = pull(place, mass)
    rows = []
    for step in range(steps + 1):
        rows.append((step, step * DT, 0.5 * mass @ (speed**2).sum(axis=1), energy))
        if step == steps:
            return np.column_stack([mass, place, speed]), rows
        speed += 0.5 * DT * force
        place += DT * speed
        force, energy = pull(place, mass)
        speed += 0.5 * DT * force


def by_rebound(bodies):
    sim = rebound.Simulation()
    sim.integrator, sim.dt, sim.softening, sim.gravity = "leapfrog", DT, EPS, "basic"
    for m, x, y, z, vx, vy, vz in bodies:
        sim.add(m=m, x=x, y=y, z=z, vx=vx, vy=vy, vz=vz)
    rows = [(0, 0.0, sim.energy())]
    sim.steps(steps)
    sim.synchronize()
    rows.append((steps, sim.t, sim.energy()))
    return np.array([[p.m, p.x, p.y, p.z, p.vx, p.vy, p.vz] for p in sim.particles]), rows


bodies = np.load(source + "/plummer.npy")
stage("read")
final, rows = (by_rebound if rebound else leapfrog)(bodies)
stage("compute")
np.save(target + "/final.npy", final)
with open(target + "/diagnostics.csv", "w", newline="") as out:
    csv.writer(out).writerows(rows)
stage("write")
answer()
