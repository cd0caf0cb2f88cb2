/* Shared by GADGET's two snapshot formats. Internal to src/io. */
#pragma once

#include "io/bodies_format.h"

/* GADGET-2 has six types of particles; SWIFT's HDF5 has a seventh. */
enum { IO_GADGET_TYPES = PENTA_IO_FAMILIES };

typedef struct {
    size_t types; /* particles in this file */
    uint64_t counts[IO_GADGET_TYPES];
    double masses[IO_GADGET_TYPES]; /* mass of every particle of the type; 0: each has its own */
    double time, redshift, omega;   /* omega: Omega0, the density of matter */
    bool comoving;                  /* the file says so */
    uint64_t files;                 /* files of the snapshot; 0 or 1: only this one */
} io_gadget_header;

/* Whether the snapshot can be read: complete, not comoving, with bodies. */
bool io_gadget_usable(const char *path, const io_gadget_header *h, uint64_t *n, penta_io_error *err);
