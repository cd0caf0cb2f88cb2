/* Bodies (mass, position, velocity) from files and to files. Files are untrusted: counts are checked against the file's
 * size before any allocation. Units are the file's own; G = 1 is for the caller to assume. */
#ifndef PENTA_IO_BODIES_H
#define PENTA_IO_BODIES_H

#include <stddef.h>

#include "io/error.h"

typedef struct io_bodies {
    size_t n;
    double *rows; /* n x 7: mass, x, y, z, vx, vy, vz; malloc'ed; io_bodies_free */
    double time;  /* 0 where the file does not say */
} io_bodies;

/*
 * Reads one snapshot. The format is told by the content, not by the name:
 *   text (blanks and empty lines do not matter, # begins a comment, numbers as strtod takes them):
 *     NBabel: 8 columns, id mass x y z vx vy vz; the id is ignored
 *     .mpv: a line "N time", then N lines mass x y z vx vy vz
 *     NEMO's atos (iau25.data): N, 3, time, then all masses, all positions, all velocities
 *     CSV: a header that names mass (or m), x, y, z, vx, vy, vz in any order; other columns are ignored
 *   NPY: n x 7, float32 or float64, either byte and index order
 *   tipsy: either byte order; gas, dark matter, stars, in this order; a header of 32 bytes
 *   GADGET-2: SnapFormat 1 or 2, either byte order, float32 or float64; all particle types in order; one file
 *   GADGET's HDF5 (SWIFT, AREPO and others too): likewise; needs libhdf5, whose care with damaged files is its own
 *
 * Snapshots of comoving (cosmological) runs, told by a redshift other than 0, are refused: their positions and
 * velocities are not the physical ones. A file without bodies, a number that is not finite, and a negative mass are
 * errors. On failure *out is empty and err holds one line: file, what, where, what to do. Bodies in it count from 1, in
 * the order of the rows.
 */
bool io_bodies_read(const char *path, io_bodies *out, io_error *err);

void io_bodies_free(io_bodies *bodies); /* empties it; an empty one is fine */

/*
 * Whether this build can write bodies under this name, told by its end, in upper or lower case: .npy (float64, n x 7),
 * .csv (with a header), .tab .txt (NBabel), .mpv, .tipsy .bin (standard tipsy: big-endian, dark matter), .gadget .g2
 * (GADGET-2, SnapFormat 1, little-endian, type 1), .hdf5 .h5 (GADGET's HDF5, type 1). Looks at the name only.
 */
bool io_bodies_can_write(const char *path, io_error *err);

/* What the format of this name does not keep, such as "all but 24 bits of each number"; NULL: it keeps everything. */
const char *io_bodies_loss(const char *path);

/*
 * Writes the bodies whole or not at all. But for what io_bodies_loss says they are read back bit for bit. Bodies that
 * reading would refuse, and numbers beyond float32 in a format of float32, are errors.
 */
bool io_bodies_write(const char *path, const io_bodies *in, io_error *err);

#endif
