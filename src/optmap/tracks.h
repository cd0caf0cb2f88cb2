/* Paths of phase singularities. */
#pragma once

#include <pentacl/rotors.h>

#include "core/core.h"

/* Charges of `frames` frames of phases, as optmap_charges of cl/optmap/phase.cl. */
void optmap_charges_on_host(const float *phase, size_t width, size_t height, size_t frames, int8_t *charges);

/*
 * Links singularities (sorted by frame, then y, then x) of one charge. In each frame the nearest pair of a path and a
 * singularity is linked first; of equal distances the older path, then the first of the list. Sets id. Drops
 * singularities of paths that live shorter than min_life, are not clear enough or turn too little; *count: those left.
 * rate: Hz. *rotors: by id, freed with free.
 */
penta_status optmap_track(penta_context *ctx, const penta_rotors_options *o, double rate, penta_singularity *list,
                          size_t *count, penta_rotor **rotors, size_t *rotor_count);
