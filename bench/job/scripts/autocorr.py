"""The length scale of images by their autocorrelation: autocorr.py INPUT OUTPUT"""
import csv
import glob
import os
import sys

from clock import answer, pyplot, stage

import numpy as np
from PIL import Image
from scipy import fft

plots = pyplot()
source, target = sys.argv[1:3]
os.makedirs(target, exist_ok=True)
stage("start")


def correlate(image, reach):
    """At offsets up to reach, by the Fourier transform of the padded image; 1 at the origin."""
    shape = [fft.next_fast_len(n + reach, real=True) for n in image.shape]
    wave = fft.rfft2(image - image.mean(), shape, workers=-1)
    sums = fft.irfft2(wave.real**2 + wave.imag**2, shape, workers=-1)
    sums = np.roll(sums, (reach, reach), (0, 1))[: 2 * reach + 1, : 2 * reach + 1]
    offset = np.abs(np.arange(-reach, reach + 1))
    unbiased = sums / np.outer(image.shape[0] - offset, image.shape[1] - offset)
    return unbiased / unbiased[reach, reach]


def average_rings(c2d, reach):
    offset = np.arange(-reach, reach + 1)
    ring = np.floor(np.hypot(offset, offset[:, None]) + 0.5).astype(int).ravel()
    return (np.bincount(ring, c2d.ravel()) / np.bincount(ring))[: reach + 1]


def find_ring(c1d):
    """The highest bin behind the first trough that a later one exceeds, by a parabola through its neighbours."""
    trough = next(i for i in range(1, len(c1d)) if c1d[i] <= c1d[: i + 4].min())
    top = trough + np.argmax(c1d[trough : 3 * trough])
    left, middle, right = c1d[top - 1 : top + 2]
    return top + 0.5 * (left - right) / (left - 2 * middle + right)


r_max, curves = [], []
for path in sorted(glob.glob(source + "/*.png")):
    image = np.asarray(Image.open(path), dtype=float)
    stage("read")
    reach = min(image.shape) // 3
    c2d = correlate(image, reach)
    c1d = average_rings(c2d, reach)
    r_max.append(find_ring(c1d))
    curves.append(c1d)
    stage("compute")
    stem = os.path.join(target, os.path.splitext(os.path.basename(path))[0])
    np.save(stem + ".c2d.npy", c2d)
    np.savetxt(stem + ".c1d.csv", np.column_stack([np.arange(reach + 1), c1d]), "%.17g", ",")
    stage("write")
with open(target + "/series.csv", "w", newline="") as out:
    csv.writer(out).writerows(enumerate(r_max))
stage("write")
if plots:
    for name, draw in ("c1d", np.transpose(curves)), ("growth", r_max):
        plots.figure()
        plots.plot(draw)
        plots.savefig(f"{target}/{name}.png")
    plots.imsave(target + "/c2d.png", c2d)
    stage("pictures")
answer(r_max=r_max)
