"""A frame of stars from a list: stars.py INPUT OUTPUT SIDE"""
import os
import sys

from clock import answer, optional, stage

import numpy as np

fits = optional("astropy.io.fits")
source, target, side = sys.argv[1], sys.argv[2], int(sys.argv[3])
os.makedirs(target, exist_ok=True)
ROI, SIGMA, AMPLITUDE, BASE = 10, 1.2, 50000, 2.512
stage("start")


def profile(first, centre):
    """The Gaussian of each star at ROI pixels from its first one on."""
    return np.exp(-((first[:, None] + np.arange(ROI) - centre[:, None]) ** 2) / (2 * SIGMA**2))


def draw(x, y, flux):
    """A square of ROI x ROI pixels around each star, on a frame with a margin."""
    left, top = np.ceil(x - ROI / 2).astype(int), np.ceil(y - ROI / 2).astype(int)
    seen = (left > -ROI) & (top > -ROI) & (left < side) & (top < side)
    across, down = profile(left, x), profile(top, y) * (flux / (2 * np.pi * SIGMA**2))[:, None]
    frame = np.zeros((side + 2 * ROI, side + 2 * ROI))
    for i in np.flatnonzero(seen):
        frame[top[i] + ROI : top[i] + 2 * ROI, left[i] + ROI : left[i] + 2 * ROI] += np.outer(down[i], across[i])
    return frame[ROI:-ROI, ROI:-ROI].astype(np.float32)


table = np.genfromtxt(source + "/list.csv", delimiter=",", names=True, usecols=("x", "y", "mag"))
stage("read")
frame = draw(table["x"], table["y"], AMPLITUDE * BASE ** -table["mag"])
stage("compute")
if fits:
    fits.writeto(target + "/frame.fits", frame, overwrite=True)
else:
    np.save(target + "/frame.npy", frame)
stage("write")
answer(flux_in_frame=float(frame.sum(dtype=float)))
