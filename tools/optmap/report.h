/* Pictures of the optmap workload and its report. */
#ifndef PENTA_TOOLS_OPTMAP_REPORT_H
#define PENTA_TOOLS_OPTMAP_REPORT_H

#include <pentacl/beats.h>
#include <pentacl/rotors.h>

#include "shared/cli.h"
#include <pentacl/io/error.h>
#include <pentacl/io/output.h>

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

/* Each makes one file of that path, whole or not at all. */
bool optmap_draw_activation(const char *path, const optmap_findings *f,
                            penta_io_error *err); /* PNG: maps of all beats */
bool optmap_draw_map(const char *path, const optmap_findings *f, const char *which,
                     penta_io_error *err);                                                 /* PNG: "apd80", .. */
bool optmap_draw_traces(const char *path, const optmap_findings *f, penta_io_error *err);  /* PNG: before and after */
bool optmap_draw_movie(const char *path, const optmap_findings *f, penta_io_error *err);   /* APNG */
bool optmap_write_report(const char *path, const optmap_findings *f, penta_io_error *err); /* self-contained HTML */

#endif
