/* Phase singularities and their paths. */
#include <pentacl/rotors.h>

#include "core/core.h"

const penta_option penta_rotors_option_table[] = {
    PENTA_REAL_OPTION(penta_rotors_options, reach, 0, 4, 0, 1000, "px",
                      "a singularity is the last frame's if it is that near to it"),
    PENTA_INT_OPTION(penta_rotors_options, gap, 0, 2, 0, 1000, "frames",
                     "frames that the path of a singularity may miss"),
    PENTA_REAL_OPTION(penta_rotors_options, min_life, 0, 0, 0, 1e9, "ms", "paths that live shorter are dropped"),
    PENTA_OPTIONS_END};

penta_status penta_singularities(penta_context *ctx, const penta_movie_view *phase, const penta_rotors_options *opt,
                                 penta_singularity **list, size_t *count, penta_rotor **rotors, size_t *rotor_count)
{
    (void)phase, (void)opt;
    *list = NULL;
    *rotors = NULL;
    *count = *rotor_count = 0;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "to be written");
}
