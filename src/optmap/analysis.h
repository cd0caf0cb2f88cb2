/* Internals of an analysis, shared by analysis*.c. */
#pragma once

#include <pentacl/analysis.h>

#include "core/core.h"

struct penta_analysis {
    penta_resources resources;
    penta_analysis_options options; /* its three pointers point to these */
    penta_optmap_options conditioning;
    penta_beats_options beats;
    penta_rotors_options rotors;
    penta_optmap *optmap; /* plan for movies of this shape; NULL: none yet */
    size_t width, height, frames;
    penta_phases *phases; /* NULL: none yet */
};

/* What is surveyed and conditioned: the recording's movie, or the one that was made of it. */
static inline const penta_movie *analysis_movie(const penta_recording *r, const penta_findings *f)
{
    return f->amends.movie.frames ? &f->amends.movie : &r->movie;
}

/* Frames per second of the filtered movie. */
double analysis_filtered_rate(const penta_optmap_options *o, double frame_rate_hz);
