/* What GADGET's two snapshot formats have in common. Internal to src/io. */
#ifndef PENTA_IO_GADGET_FORMAT_H
#define PENTA_IO_GADGET_FORMAT_H

#include "io/bodies_format.h"

/* GADGET-2 has six types of particles; SWIFT's HDF5 has a seventh. */
enum { IO_GADGET_TYPES = PENTA_IO_FAMILIES };

typedef struct {
    size_t types; /* how many the file counts */
    uint64_t counts[IO_GADGET_TYPES];
    double masses[IO_GADGET_TYPES]; /* of every particle of the type; 0: each has its own */
    double time, redshift;
    uint64_t files; /* of the snapshot; 0 or 1: this is all of it */
} io_gadget_header;

/* Whether the snapshot is one that can be read: whole, not comoving, with bodies. */
bool io_gadget_usable(const char *path, const io_gadget_header *h, uint64_t *n, penta_io_error *err);

#endif
