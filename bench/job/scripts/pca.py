"""Principal components of a cube, the first ten: pca.py INPUT OUTPUT"""
import json
import os
import sys
from importlib import metadata

from clock import answer, pyplot, stage

import numpy as np

try:
    if tuple(map(int, metadata.version("scikit-learn").split(".")[:2])) < (1, 5):
        raise ImportError  # it has no solver by the covariance
    from sklearn.decomposition import PCA
except ImportError:
    PCA = None

plots = pyplot()
source, target = sys.argv[1:3]
os.makedirs(target, exist_ok=True)
KEPT = 10
stage("start")


def decompose(pixels):
    """Eigenvalues, and the first loadings and scores, of pixels x bands."""
    if PCA:
        model = PCA(KEPT, svd_solver="covariance_eigh")
        scores = model.fit_transform(pixels)
        return model.explained_variance_, model.components_, scores
    values, vectors = np.linalg.eigh(np.cov(pixels, rowvar=False))
    values, loadings = values[::-1], vectors[:, ::-1].T[:KEPT]
    return values, loadings, (pixels - pixels.mean(axis=0)) @ loadings.T


cube = np.load(source + "/scene.npy")
bands, rows, cols = cube.shape
pixels = cube.reshape(bands, -1).T.astype(float)
stage("read")
values, loadings, scores = decompose(pixels)
stage("compute")
components = scores.T.reshape(-1, rows, cols)
np.save(target + "/components.npy", components)
with open(target + "/model.json", "w") as out:
    json.dump({"mean": list(pixels.mean(axis=0)), "eigenvalues": list(values), "loadings": loadings.tolist()}, out)
stage("write")
if plots:
    plots.semilogy(values, "o")
    plots.savefig(target + "/scree.png")
    first = components[:3]
    low, high = first.min(axis=(1, 2), keepdims=True), first.max(axis=(1, 2), keepdims=True)
    plots.imsave(target + "/rgb.png", np.moveaxis((first - low) / (high - low), 0, -1))
    stage("pictures")
answer(eigenvalues=list(values[:KEPT]))
