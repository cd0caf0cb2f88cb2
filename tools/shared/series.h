/* A series of frames whose length scale was measured: a row per frame, times, growth fits, and their files. */
#pragma once

#include <jansson.h>
#include <pentacl/autocorr.h>

#include "shared/frames.h"

enum series_state { SERIES_PENDING = 0, SERIES_DONE, SERIES_FAILED };

typedef struct series_row {
    enum series_state state;
    double time;
    size_t width, height, max_offset;
    const char *method, *fft;
    penta_peak peak;
    double correlation_length; /* px */
    size_t nan_pixels;         /* left out, of the frame as it was read */
    bool outlier;
    penta_displacement shift; /* of a series that is cross-correlated, which has no peak */
} series_row;

typedef struct series {
    const frame_list *list;
    series_row *rows; /* one per frame of the list */
    bool seconds;     /* times are in s, else frame numbers */
    bool cross;       /* with a second image: displacements, no length scale */
    bool fitted;
    bool is_part; /* of a series, which is not fitted */
    size_t first; /* number of its first frame in the whole series */
    penta_growth_fit fits[PENTA_GROWTH_MODELS];
} series;

/*
 * Rows with their times: from a CSV file (a column `time` or `t`, by a column `file` where there is one, else in
 * order), or index * interval for interval > 0, or the index.
 */
bool series_open(series *s, const frame_list *list, const char *times_csv, double interval, penta_io_error *err);
void series_close(series *s);

/* Leaves so many rows from this one on; before the list is cut alike. */
void series_cut(series *s, size_t first, size_t count);

size_t series_done(const series *s);

/* Growth fits over the frames with a peak, weighted by their standard errors if all have one; marks outliers. */
bool series_fit(series *s, penta_io_error *err);

/* Frames that the fits are of: those with a peak, outliers aside. */
size_t series_fit_points(const series *s);
/* Frames with a peak whose standard error there is not. */
size_t series_without_error(const series *s);

/* R_max over time of the frames that were finished, as it is drawn: NaN of those without a peak that is relied on. */
typedef struct series_points {
    size_t n;
    double *t, *r, *r_se;
    bool *outlier;
    size_t weak; /* of those without */
} series_points;

/* False: out of memory. */
bool series_points_make(const series *s, series_points *out);
void series_points_free(series_points *p);

/* "ok", "outlier", "weak", "no_trough", "at_edge", "flat" or "error". */
const char *series_status(const series *s, const series_row *row);

/* index,file,time,r_max,r_max_se,c_max,r_min,c_min,status of every frame that was finished or skipped. */
bool series_write_csv(const series *s, const char *path, penta_io_error *err);

/* Of the JSON answer: one of its "frames" (NULL: it has not run), and the array "growth". */
json_t *series_frame_json(const series *s, size_t i);
json_t *series_growth_json(const series *s);
