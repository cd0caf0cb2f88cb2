/* drift.csv: index,file,dx,dy,angle,score,places,others of a series; read again when a watched series goes on. */
#ifndef PENTA_TOOLS_PREPARE_DRIFT_CSV_H
#define PENTA_TOOLS_PREPARE_DRIFT_CSV_H

#include <pentacl/prepare.h>

#include <pentacl/io/error.h>

typedef struct drift_row {
    char *file;   /* as given */
    bool done;    /* it is of the series */
    bool skipped; /* it is not: status is the reason, OK standing for a frame that could not be read */
    enum penta_prepared status;
    penta_drift drift;
    size_t dust_pixels;
} drift_row;

/* Rows of frames that are done, numbers with the digits that give them back, index counting these from 0; whole or not
 * at all. A column of `angle` is there always, 0 without rotation; score is empty where not measured; places: how many
 * fit as well, 1 where it is this one alone; others: "dx dy" of the others, joined by semicolons. */
bool drift_csv_write(const char *path, size_t n, const drift_row *rows, penta_io_error *err);

/* The rows of such a file, all done, without the others; files and array to be freed by drift_rows_free. */
bool drift_csv_read(const char *path, drift_row **rows, size_t *n, penta_io_error *err);
void drift_rows_free(drift_row *rows, size_t n);

#endif
