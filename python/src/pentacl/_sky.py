"""Attitudes, views and coordinates on the sky."""

from __future__ import annotations

import numpy as np

from . import _arrays, errors
from ._library import ffi, lib
from ._types import Any, ArrayLike


def attitude(pointing):
    """penta_attitude * of (ra, dec), (ra, dec, roll) in degrees, a SkyCoord, (SkyCoord, roll), or a quaternion
    (w, x, y, z)."""
    place, *roll = pointing if isinstance(pointing, (tuple, list)) else [pointing]
    if hasattr(place, "icrs"):
        pointing = place.icrs.ra.deg, place.icrs.dec.deg, *roll
    numbers = [float(_arrays.in_unit(number, "deg")) for number in pointing]
    out = ffi.new("penta_attitude *")
    if len(numbers) == 4:
        errors.check(lib.penta_attitude_from_quaternion(*numbers, out))
    elif len(numbers) in (2, 3):
        errors.check(lib.penta_attitude_from_radec(*numbers[:2], (numbers + [0.0])[2], out))
    else:
        raise TypeError(
            "pointing must be (ra, dec), (ra, dec, roll), a quaternion (w, x, y, z), or a SkyCoord or WCS of astropy"
        )
    return out


def wcs_from_astropy(wcs):
    """penta_wcs * of an astropy.wcs.WCS, TAN or TAN-SIP."""
    kinds = [str(kind) for kind in wcs.wcs.ctype]
    if [kind[:8] for kind in kinds] != ["RA---TAN", "DEC--TAN"]:
        raise errors.InvalidError(f"the WCS is {' '.join(kinds)}; it must be RA---TAN DEC--TAN, with SIP or without")
    out = ffi.new("penta_wcs *")
    lib.penta_wcs_init(out)
    out.crval, out.crpix = list(wcs.wcs.crval), list(wcs.wcs.crpix)
    out.cd = [list(row) for row in wcs.pixel_scale_matrix]
    if np.isfinite(wcs.wcs.lonpole):
        out.lonpole = wcs.wcs.lonpole
    if wcs.sip is not None:
        for name in ("a", "b", "ap", "bp"):
            terms = getattr(wcs.sip, name)
            if terms is not None:
                setattr(out, f"{name}_order", len(terms) - 1)
                for p, q in np.argwhere(terms):
                    getattr(out, name)[p][q] = terms[p, q]
    errors.check(lib.penta_wcs_check(out))
    return out


def header(wcs):
    """A penta_wcs as the cards of a FITS header."""
    sip = wcs.a_order > 0 or wcs.b_order > 0
    cards = {
        "CTYPE1": "RA---TAN-SIP" if sip else "RA---TAN",
        "CTYPE2": "DEC--TAN-SIP" if sip else "DEC--TAN",
        "CUNIT1": "deg",
        "CUNIT2": "deg",
        "RADESYS": "ICRS",
        "LONPOLE": wcs.lonpole,
    }
    for i in range(2):
        cards[f"CRVAL{i + 1}"], cards[f"CRPIX{i + 1}"] = wcs.crval[i], wcs.crpix[i]
        for j in range(2):
            cards[f"CD{i + 1}_{j + 1}"] = wcs.cd[i][j]
    for name in ("a", "b", "ap", "bp") if sip else ():
        order = getattr(wcs, f"{name}_order")
        cards[f"{name.upper()}_ORDER"] = order
        for p in range(order + 1):
            for q in range(order + 1 - p):
                if getattr(wcs, name)[p][q]:
                    cards[f"{name.upper()}_{p}_{q}"] = getattr(wcs, name)[p][q]
    return cards


def at_epoch(
    ra: ArrayLike,
    dec: ArrayLike,
    pmra: ArrayLike,
    pmdec: ArrayLike,
    catalog_epoch: Any,
    epoch: Any,
    *,
    aberration: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """Where stars of a catalogue are seen from Earth at a Julian epoch (years, 1000 to 3000): (ra, dec) in degrees.

    ``pmra`` and ``pmdec`` in mas a year on the sky: the motion in RA includes cos(dec), as in Hipparcos and Gaia.
    Quantities and a Time of astropy are converted.
    """
    columns = (ra, "ra", "deg"), (dec, "dec", "deg"), (pmra, "pmra", "mas/yr"), (pmdec, "pmdec", "mas/yr")
    given = [_arrays.reals(value, name, (None,), unit) for value, name, unit in columns]
    epochs = [epoch.tdb.jyear if hasattr(epoch, "tdb") else epoch for epoch in (catalog_epoch, epoch)]
    n = len(given[0])
    for array in given[1:]:
        if len(array) != n:
            raise ValueError("ra, dec, pmra and pmdec must be of one length")
    out = np.empty(n), np.empty(n)
    columns = map(_arrays.doubles, given), map(_arrays.doubles, out)
    errors.check(lib.penta_sky_at_epoch(n, *columns[0], *epochs, aberration, *columns[1]))
    return out
