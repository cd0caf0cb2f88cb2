/* What the parts of `penta optmap` share. */
#pragma once

#include <stdio.h>

#include <pentacl/analysis.h>
#include <pentacl/io/movie.h>
#include "optmap/ahead.h"
#include "shared/inputs.h"
#include "shared/job.h"
#include "shared/leftovers.h"
#include "optmap/flags.h"
#include "optmap/findings.h"

typedef struct optmap_run {
    job job;
    optmap_settings settings;
    const cli_table *tables;   /* of the flags that fill settings and job.common */
    char *command;             /* the line that was typed */
    penta_analysis **analyses; /* one a member, made by it when first needed; NULL: no device yet */
    bool several;              /* movies are analysed side by side, by devices or ranks */
    pid_t ahead;               /* the process that compiles ahead; 0: none, as where there are several workers */
} optmap_run;

/* One movie and all that comes of it. */
typedef struct optmap_study {
    optmap_run *run;
    const char *path, *directory;
    size_t member; /* whose device it is on */
    bool alone;    /* there is no other movie */
    double start;
    penta_io_movie movie, under; /* under: of --ratio, or empty */
    leftovers *before;           /* files of an earlier run; or NULL */
    penta_io_run *files;         /* of the directory; NULL until it is made */
    uint8_t *mask;               /* of --mask; or NULL */
    double rate;                 /* Hz, of the camera */
    penta_findings found;
    double conditioning; /* s */
    double total;        /* s, from reading to writing; 0: not yet written */
    double device;       /* s, of commands on the device */
} optmap_study;

/* The movies of a run, and what became of them. */
typedef struct optmap_movies {
    char **paths, **directories;
    size_t count, failed;
    size_t all;          /* on the line; those that a run before has done are not in `count` */
    double read, device; /* s */
    json_t *answers;
} optmap_movies;

/* Does all of them, one after another or, on several devices or by several ranks, side by side, each on one; results,
 * messages and answers are in order, and those behind an error that ends the run are left out. Ranks but the first have
 * no more to do then. */
int optmap_do_movies(optmap_run *run, optmap_movies *list);

/* --resume: takes movies out of the list that a run before has done; on every rank. */
int optmap_leave_done(optmap_run *run, optmap_movies *list);
/* What says that a movie is done, beside its files, which wait. */
int optmap_keep_record(const optmap_study *s);

/* Opens what -d names, of several ranks all together, unless it is open. */
int optmap_need_device(optmap_run *run);
/* From reading to files that wait for their commit; on the member's thread. */
int optmap_do_movie(optmap_study *s);

/* The context that the movie is analysed on. */
penta_context *optmap_context(const optmap_study *s);

/* Functions that can fail say so on stderr, naming the movie, and return an exit code. */

/* The movies, the rate; whether they can be used. */
int optmap_open_study(optmap_study *s);
/* Saturation, numbers that wrapped round. */
int optmap_inspect(optmap_study *s);
/* Tissue, bad pixels, bleaching, motion. */
int optmap_look_over(optmap_study *s);
/* Filtered movie, shifts. */
int optmap_condition(optmap_study *s);
/* Beats, maps, phases. */
int optmap_analyse(optmap_study *s);

/* Whether results in the directory would be written over one of the inputs: wrong usage. */
int optmap_check_place(const optmap_run *run, input_files *inputs, const char *directory);
/* What is in the directory, which is there, of files that a run may write. */
void optmap_look_around(optmap_study *s);
/* All files, which appear with the commit: each whole, or none, after an error. */
int optmap_write_results(optmap_study *s);
int optmap_commit_results(const optmap_study *s);
void optmap_close_study(optmap_study *s);

/* What --json says of the survey, NULL when memory runs out. */
json_t *optmap_survey_details(const optmap_study *s);

/* What of the movie or its analysis should be looked at: how many notes there are. */
size_t optmap_list_notes(const optmap_study *s, optmap_note notes[PENTA_DOUBT_KINDS]);
/* On stderr, unless --quiet: what of the movie or its analysis should be looked at. */
void optmap_print_notes(const optmap_study *s);
/* Seconds of the movie by seconds of the whole job so far: reading, conditioning, analysis, writing. */
double optmap_real_time_factor(const optmap_study *s);
/* What --json says of a movie, NULL when memory runs out; and for people. */
json_t *optmap_details(const optmap_study *s);
void optmap_print(const optmap_study *s, FILE *out);

/* The library's last error, or that of Ctrl-C, of the movie at this path. */
int optmap_fail(const optmap_study *s, const char *path, penta_status status);
/* Ctrl-C, as a callback of the library's. */
bool optmap_is_stopped(void *user, double done, double total);
/* Says that Ctrl-C ended it. Returns CLI_ERROR. */
int optmap_interrupted(const optmap_study *s);
