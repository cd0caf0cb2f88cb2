/* Bodies (mass, position, velocity, and what a file says of them besides) from files and to files. Files are untrusted:
 * counts are checked against the file's size before any allocation. Units are the file's own; G = 1 is for the caller
 * to assume. */
#ifndef PENTACL_IO_BODIES_H
#define PENTACL_IO_BODIES_H

#include <stddef.h>
#include <stdint.h>

#include <pentacl/io/error.h>
#include <pentacl/io/shared_file.h>

PENTA_BEGIN_DECLS

/* GADGET's types of particles: gas, halo, disk, bulge, stars, boundary; 6 is SWIFT's neutrinos, 7 is nobody's. */
enum { PENTA_IO_GAS = 0, PENTA_IO_HALO = 1, PENTA_IO_STARS = 4, PENTA_IO_FAMILIES = 8 };

/* What one unit of the file is; 0: nobody says. All three are known, or none. */
typedef struct {
    double length, mass, velocity; /* cm, g, cm/s */
} penta_io_units;

/* Everything after `time` may be missing: NULL or 0. Arrays are malloc'ed, of n elements; penta_io_bodies_free. */
typedef struct penta_io_bodies {
    size_t n;
    double *rows;      /* n x 7: mass, x, y, z, vx, vy, vz */
    double time;       /* 0 where the file does not say */
    bool has_time;     /* a file gave it, and not as 0; formats without room for it then get the file beside them */
    uint64_t *id;      /* in any order; NULL: bodies are known by their row */
    uint8_t *family;   /* below PENTA_IO_FAMILIES; NULL: all are PENTA_IO_HALO */
    double *softening; /* >= 0; NULL: none, or 0 for all */
    penta_io_units units;
    char note[320]; /* one line on what of the file was not believed; "": nothing */
} penta_io_bodies;

/**
 * Reads one snapshot. The format is told by the content, not by the name:
 *   text (blanks and empty lines do not matter, # begins a comment, numbers as strtod takes them in the locale C):
 *     NBabel: 8 columns, id mass x y z vx vy vz; ids that number the rows, or are all the same, are taken as none
 *     .mpv: a line "N time", then N lines mass x y z vx vy vz
 *     NEMO's atos (iau25.data): N, 3, time, then all masses, all positions, all velocities
 *     CSV: a header that names mass (or m), x, y, z, vx, vy, vz in any order, perhaps id, family (a number), softening
 *     (or eps); other columns are ignored; comments "# time = 0.5", "# unit_length_cm = ", unit_mass_g,
 *     unit_velocity_cm_per_s
 *   NPY: n x 7, float32 or float64, either byte and index order
 *   tipsy: either byte order, float32 or float64 throughout; gas, dark matter, stars, in this order, with their eps; a
 *     header of 32 bytes
 *   GADGET-2: SnapFormat 1 or 2, either byte order, float32 or float64; all particle types in order; one file; ids may
 *     be missing
 *   GADGET's HDF5 (SWIFT, AREPO and others too): likewise; needs libhdf5, whose care with damaged files is its own;
 *     ParticleIDs, Softening (or one value a type as GADGET-4 and AREPO have it) and the units where they are (a group
 *     Units as GADGET's tools or SWIFT write it, or attributes of Header or Parameters)
 *
 * Beside any of them a file FILE.attributes.csv, as penta_io_bodies_write makes it, adds what the format has no room
 * for: its columns count instead of the file's own, and one of another number of bodies is an error.
 *
 * Attributes that cannot be right are left out, and out->note says so: ids that are all the same, softening that is
 * negative, not finite, or beyond what the bodies' extent lets one believe.
 *
 * Snapshots of comoving (cosmological) runs, told by a redshift other than 0, by Omega0 above 0 at time 1, or by
 * GADGET-4's, AREPO's and SWIFT's own flags, are refused: their positions and
 * velocities are not the physical ones. A file without bodies, a number that is not finite, and a negative mass are
 * errors. On failure *out is empty and err holds one line: file, what, where, what to do. Bodies in it count from 1, in
 * the order of the rows.
 */
PENTA_API bool penta_io_bodies_read(const char *path, penta_io_bodies *out, penta_io_error *err);

PENTA_API void penta_io_bodies_free(penta_io_bodies *bodies); /* empties it; an empty one is fine */

/**
 * Whether this build can write bodies under this name, told by its end, in upper or lower case: .npy (float64, n x 7),
 * .csv (with a header), .tab .txt (NBabel), .mpv, .tipsy .bin (standard tipsy: big-endian, dark matter), .gadget .g2
 * (GADGET-2, SnapFormat 1, little-endian, type 1), .hdf5 .h5 (GADGET's HDF5, type 1). Looks at the name only.
 */
PENTA_API bool penta_io_bodies_can_write(const char *path, penta_io_error *err);

/** What is lost in the format of this name and the file beside it, such as "all but 24 bits of each number"; NULL:
 * nothing. */
PENTA_API const char *penta_io_bodies_loss(const char *path);

/**
 * Writes the bodies whole or not at all. Attributes for which the format has no room go to FILE.attributes.csv; where
 * there are none, a file of that name is removed. tipsy and GADGET's formats hold the bodies family by family: rows are
 * sorted so, those of a family in their order, and get ids (their row, from 1) where they have none. tipsy has gas,
 * dark matter and stars only; the other families are dark there. Formats with ids get 1 to n where there are none. HDF5
 * without known units gets some in which G is 1: kpc, km/s and 4.6232e38 g, marked so that reading leaves them out.
 *
 * But for what penta_io_bodies_loss says they are read back bit for bit. Bodies that
 * reading would refuse, and numbers beyond float32 in a format of float32, are errors.
 */
PENTA_API bool penta_io_bodies_write(const char *path, const penta_io_bodies *in, penta_io_error *err);

/* ---- bodies that several processes write ---- */

/**
 * Begins an NPY file of about->n bodies, whose rows are put by several processes (pentacl/io/shared_file.h); writes
 * its head. about: its rows are not looked at. head: one of the parts.
 */
PENTA_API bool penta_io_bodies_begin(const char *path, const penta_io_bodies *about, penta_io_shared_file **out,
                                     penta_io_part *head, penta_io_error *err);

/** Writes rows (count x 7) of the bodies from `first` on. *part grows by them, and must end where they begin. */
PENTA_API bool penta_io_bodies_put(penta_io_shared_file *file, size_t first, size_t count, const double *rows,
                                   penta_io_part *part, penta_io_error *err);

/** Finishes the file, of which these parts, in any order, must be the whole, and writes FILE.attributes.csv beside it,
 * of the same bodies as at the beginning. Frees it in every case. */
PENTA_API bool penta_io_bodies_finish(penta_io_shared_file *file, const penta_io_bodies *about,
                                      const penta_io_part *parts, size_t count, penta_io_error *err);

PENTA_END_DECLS
#endif
