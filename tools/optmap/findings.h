/* What the pictures, the report and the statistics of a movie are made from. */
#ifndef PENTA_TOOLS_OPTMAP_FINDINGS_H
#define PENTA_TOOLS_OPTMAP_FINDINGS_H

#include <pentacl/beats.h>
#include <pentacl/rotors.h>

#include "shared/cli.h"

/* All that one movie came to. Maps are beats x height x width; pointers may be NULL where there is nothing. */
typedef struct optmap_findings {
    const char *movie, *engine, *device, *version, *command; /* command: the line that was typed */
    size_t frames, height, width, valid_pixels;
    double rate, pixel_size;   /* Hz; cm */
    double real_time_factor;   /* length of the movie over the time since reading began */
    const cli_table *settings; /* in force, each given or not; the last has NULL rows; NULL: they are not told */
    const float *traces;       /* frames x height x width: before */
    const float *filtered;     /* after, at the camera's rate or that of --output */
    size_t filtered_frames;    /* of it, at filtered_rate */
    double filtered_rate;
    size_t beat_count;
    const penta_beat *beats;
    const penta_beat_maps *maps;
    const float *snr_filtered;           /* beats x height x width, dB */
    const float *velocity;               /* beats x 2 x height x width, cm/s */
    const float *alternans;              /* height x width, per cent, of APD80 */
    const float *frequency, *regularity; /* height x width */
    const float *phase;                  /* frames x height x width */
    size_t phase_pixels;                 /* that have one in at least half of the frames */
    const penta_singularity *singularities;
    size_t singularity_count;
    const penta_rotor *rotors;
    size_t rotor_count;
} optmap_findings;

#endif
