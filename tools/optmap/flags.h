/* The flags of `penta optmap`: their tables, and what must hold among them. */
#pragma once

#include <pentacl/analysis.h>

#include "shared/cli.h"

/* Hz, of a camera; what a file says is checked, too. */
#define OPTMAP_LEAST_RATE 1e-3
#define OPTMAP_MOST_RATE  1e7

enum { OPTMAP_SATURATED_REFUSE = 0, OPTMAP_SATURATED_OK };

enum { OPTMAP_BAD_REJECT = 0, OPTMAP_BAD_KEEP };

enum { OPTMAP_FRAMES_AMEND = 0, OPTMAP_FRAMES_KEEP };

/* As typed. */
typedef struct optmap_flags {
    double rate;                        /* Hz; 0: as the file says */
    double pixel_size;                  /* cm; 0: not known */
    const char *raw, *variable, *ratio; /* how files are read; a second movie */
    const char *mask;                   /* NULL or "auto", "none", or a picture: 0 is left out */
    int bad_pixels;                     /* OPTMAP_BAD_... */
    int frames;                         /* OPTMAP_FRAMES_... */
    bool is_signed;
    int saturated; /* OPTMAP_SATURATED_... */
    bool keep_going, resume;
    double low, high; /* Hz, of dominant frequencies */
    bool shifts, average, phase, no_movie, no_report;
} optmap_flags;

/* All that is typed. */
typedef struct optmap_settings {
    optmap_flags flags;
    penta_optmap_options conditioning;
    penta_beats_options beats;
    penta_rotors_options rotors;
} optmap_settings;

/* Their rows in the help: what is read, and what is written. */
extern const penta_option optmap_input_rows[], optmap_output_rows[];
extern const cli_rule optmap_idle[];

bool optmap_mask_is_auto(const optmap_flags *f);
/* The mask's file; NULL: none. */
const char *optmap_mask_file(const optmap_flags *f);

/* What the library's analysis is told; it points into the settings. */
penta_analysis_options optmap_analysis_options(const optmap_settings *s);

/* What can be said before a file is opened, of so many movies. CLI_OK, or CLI_USAGE after one line on stderr. */
int optmap_check_usage(const cli_line *line, const optmap_settings *s, size_t movies);
