"""Photographs flattened, cleaned and put in place: prepare.py INPUT OUTPUT"""
import csv
import glob
import os
import sys

from clock import answer, optional, pyplot, stage

import numpy as np
from PIL import Image
from scipy import fft, ndimage

registration, plots = optional("skimage.registration"), pyplot()
source, target = sys.argv[1:3]
os.makedirs(target, exist_ok=True)
stage("start")


def flatten(image):
    return image / ndimage.gaussian_filter(image, min(image.shape) / 8)


def find_dust(flat):
    """Pixels far from the median, by robust standard deviations, and those about them."""
    away = np.abs(flat - np.median(flat))
    return ndimage.binary_dilation(away > 3.5 * 1.4826 * np.median(away), iterations=3)


def parabola(left, middle, right):
    return 0.5 * (left - right) / (left - 2 * middle + right)


def find_shift(first, other):
    """Where the content of the other lies against the first: x, y."""
    if registration:
        dy, dx = registration.phase_cross_correlation(first, other, upsample_factor=50, normalization=None)[0]
        return -dx, -dy
    shape = [2 * n for n in first.shape]
    sums = fft.irfft2(np.conj(fft.rfft2(first, shape, workers=-1)) * fft.rfft2(other, shape, workers=-1), shape)
    y, x = np.unravel_index(sums.argmax(), sums.shape)
    dy = y + parabola(sums[y - 1, x], sums[y, x], sums[(y + 1) % shape[0], x])
    dx = x + parabola(sums[y, x - 1], sums[y, x], sums[y, (x + 1) % shape[1]])
    return (dx + first.shape[1]) % shape[1] - first.shape[1], (dy + first.shape[0]) % shape[0] - first.shape[0]


rows, shown, first = [], [], None
for path in sorted(glob.glob(source + "/frame-*.png")):
    image = np.asarray(Image.open(path), dtype=np.float32)
    stage("read")
    flat = flatten(image)
    dust = find_dust(flat)
    clean = np.where(dust, 0, flat - flat[~dust].mean())
    first = clean if first is None else first
    dx, dy = find_shift(first, clean)
    moved = ndimage.shift(flat, (-dy, -dx), order=3, mode="nearest")
    mask = ndimage.shift(dust.astype(float), (-dy, -dx), order=1, cval=1) < 0.5
    grey = np.clip(moved * 32767.5, 0, 65535).astype(np.uint16)
    rows.append((os.path.basename(path), float(dx), float(dy)))
    stage("compute")
    stem = os.path.join(target, os.path.splitext(os.path.basename(path))[0])
    Image.fromarray(grey).save(stem + ".png")
    Image.fromarray(np.uint8(255) * mask).save(stem + ".mask.png")
    stage("write")
    shown.append((image[::8, ::8], grey[::8, ::8]))
with open(target + "/drift.csv", "w", newline="") as out:
    csv.writer(out).writerows(rows)
stage("write")
if plots:
    figure, panels = plots.subplots(2, len(shown), squeeze=False)
    for i, pair in enumerate(shown):
        for k in range(2):
            panels[k, i].imshow(pair[k], cmap="gray")
    figure.savefig(target + "/sheet.png")
    stage("pictures")
answer(dx=[r[1] for r in rows], dy=[r[2] for r in rows])
