"""Activation times and durations of a movie of a heart: optmap.py INPUT OUTPUT"""
import os
import sys

from clock import answer, optional, pyplot, stage

import numpy as np
from scipy import ndimage, signal

optimap, plots = optional("optimap"), pyplot()
source, target = sys.argv[1:3]
os.makedirs(target, exist_ok=True)
RATE, REFRACTORY = 1000, 50  # Hz, ms
stage("start")


def condition(movie):
    """The light's relative change, which depolarisation makes less, upwards and smooth in space and time."""
    rest = movie.mean(axis=0)
    v = (rest - movie) / rest
    v = ndimage.gaussian_filter(v, (0, 1.179, 1.179))
    return ndimage.median_filter(v, (5, 1, 1))


def find_beats(v):
    """The frame of each upstroke of the mean signal."""
    mean = v.mean(axis=(1, 2))
    slope = np.gradient(ndimage.gaussian_filter1d(mean, 3))
    return signal.find_peaks(slope, height=0.3 * slope.max(), distance=REFRACTORY)[0]


def find_rise(beat):
    """The frame of the steepest rise of each pixel, by a parabola, or as optimap has it, that of half of the rise."""
    if optimap:
        return optimap.activation.compute_activation_map(optimap.video.normalize_pixelwise(beat), 0.5, show=False)
    slope = np.gradient(beat, axis=0)
    top = np.clip(slope.argmax(axis=0), 1, len(beat) - 2)
    left, middle, right = (np.take_along_axis(slope, top[None] + k, 0)[0] for k in (-1, 0, 1))
    with np.errstate(all="ignore"):
        return top + 0.5 * (left - right) / (left - 2 * middle + right)


def measure(v, begin, end):
    """Activation of each pixel, and its duration to 80 % of repolarisation, in ms."""
    beat = v[begin:end]
    rise = find_rise(beat)
    low, peak = beat.min(axis=0), beat.argmax(axis=0)
    level = low + 0.2 * (beat.max(axis=0) - low)
    frame = np.arange(len(beat))[:, None, None]
    below = (beat < level) & (frame > peak)
    duration = np.where(below.any(axis=0), below.argmax(axis=0) - rise, np.nan)
    return (begin + rise) * 1000 / RATE, duration * 1000 / RATE


movie = np.load(source + "/movie.npy").astype(np.float32)
stage("read")
v = condition(movie)
upstrokes = find_beats(v)
middles = (upstrokes[1:] - upstrokes[:-1]) // 2 + upstrokes[:-1]
begins, ends = [max(2 * upstrokes[0] - middles[0], 0), *middles], [*middles, len(v)]
maps = [measure(v, *span) for span in zip(begins, ends)]
activation, apd80 = (np.array([m[k] for m in maps], dtype=np.float32) for k in (0, 1))
stage("compute")
for name, array in ("filtered", v), ("activation", activation), ("apd80", apd80):
    np.save(f"{target}/{name}.npy", array)
stage("write")
if plots:
    for name, array in ("activation", activation[0]), ("apd80", apd80[0]):
        plots.figure()
        plots.imshow(array)
        plots.colorbar()
        plots.savefig(f"{target}/{name}.png")
    plots.figure()
    plots.plot(v[:, :: v.shape[1] // 2, :: v.shape[2] // 2].reshape(len(v), -1))
    plots.savefig(target + "/traces.png")
    stage("pictures")
answer()
