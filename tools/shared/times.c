/* Times of frames from a table: row by row, or by the names of files. */
#include "shared/times.h"

#include <stdlib.h>
#include <string.h>

#include <pentacl/io/table.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Rows of the table that name a file, and frames of the list, in the order of the names without folders. */
typedef struct named {
    const char *base, *whole;
    size_t row;
} named;

static int by_base(const void *a, const void *b)
{
    const named *x = a, *y = b;
    int order = strcmp(x->base, y->base);

    if (order == 0)
        order = strcmp(x->whole, y->whole);
    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

/* The first of those with this base name; *count: how many follow. */
static const named *find_base(const named *all, size_t n, const char *base, size_t *count)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(all[middle].base, base) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0; low + *count < n && strcmp(all[low + *count].base, base) == 0;)
        ++*count;
    return all + low;
}

typedef struct times_by_file {
    const char *path; /* of the table */
    named *rows, *frames;
    size_t row_count, frame_count;
} times_by_file;

static void close_names(times_by_file *t)
{
    free(t->rows);
    free(t->frames);
}

static bool open_names(times_by_file *t, const char *path, const penta_io_table *csv, int file, const frame_list *list,
                       penta_io_error *err)
{
    *t = (times_by_file){.path = path, .row_count = penta_io_table_rows(csv), .frame_count = list->count};
    t->rows = calloc(t->row_count + 1, sizeof *t->rows);
    t->frames = calloc(t->frame_count + 1, sizeof *t->frames);
    if (!t->rows || !t->frames)
        return penta_io_fail(err, "%s: out of memory", path);
    for (size_t i = 0; i < t->row_count; i++) {
        const char *text = penta_io_table_text(csv, i, (size_t)file);

        t->rows[i] = (named){base_name(text), text, i};
    }
    for (size_t i = 0; i < t->frame_count; i++)
        t->frames[i] = (named){base_name(list->sources[i].path), list->sources[i].path, i};
    qsort(t->rows, t->row_count, sizeof *t->rows, by_base);
    qsort(t->frames, t->frame_count, sizeof *t->frames, by_base);
    return true;
}

/* The row of this name, with its folders; one that stands twice is an error. *found NULL: none. */
static bool find_whole(const times_by_file *t, const char *name, const named **found, penta_io_error *err)
{
    size_t count;
    const named *first = find_base(t->rows, t->row_count, base_name(name), &count);

    *found = NULL;
    for (size_t i = 0; i < count; i++)
        if (strcmp(first[i].whole, name) == 0) {
            if (*found)
                return penta_io_fail(err, "%s: two rows for %s in its column 'file'", t->path, name);
            *found = &first[i];
        }
    return true;
}

/* The row with this name but for its folders, if it is the only one, and no other file of the list has that name. */
static bool find_alone(const times_by_file *t, const char *name, const named **found, penta_io_error *err)
{
    size_t rows, frames;
    const named *row = find_base(t->rows, t->row_count, base_name(name), &rows),
                *other = find_base(t->frames, t->frame_count, base_name(name), &frames);

    *found = rows > 0 ? row : NULL;
    if (rows > 1 || (rows == 1 && frames > 1 && strcmp(other[0].whole, other[frames - 1].whole) != 0))
        return penta_io_fail(err,
                             "%s: which row is that of %s? Several have, or stand for, a file %s; give folders as on "
                             "the command line",
                             t->path, name, base_name(name));
    return true;
}

static bool time_by_file(const times_by_file *t, const penta_io_table *csv, int time, const frame_source *source,
                         double *out, penta_io_error *err)
{
    const named *found = NULL;
    bool ok = find_whole(t, source->name, &found, err) && (found || find_whole(t, source->path, &found, err)) &&
              (found || find_alone(t, source->name, &found, err)) &&
              (found || find_alone(t, source->path, &found, err));

    if (ok && !found)
        return penta_io_fail(err, "%s: no row for %s in its column 'file'", t->path, source->name);
    return ok && penta_io_table_number(csv, found->row, (size_t)time, out, err);
}

/* file: -1 where the rows are in the order of the frames. */
static bool find_columns(const penta_io_table *csv, const char *path, int *file, int *time, penta_io_error *err)
{
    int t = penta_io_table_column(csv, "t");

    *file = penta_io_table_column(csv, "file");
    *time = penta_io_table_column(csv, "time");
    if (*time >= 0 && t >= 0)
        return penta_io_fail(err, "%s: has both time and t; leave out one", path);
    if (*time < 0)
        *time = t >= 0 ? t : penta_io_table_columns(csv) == 1 ? 0 : -1;
    if (*time < 0)
        return penta_io_fail(err, "%s: no column 'time'; give a header with time, or one column of numbers", path);
    return penta_io_table_unique(csv, *file, err) && penta_io_table_unique(csv, *time, err);
}

static bool take_times(const penta_io_table *csv, const char *path, int file, int time, const frame_list *list,
                       double *times, penta_io_error *err)
{
    times_by_file names = {0};
    bool ok = file < 0 || open_names(&names, path, csv, file, list, err);

    for (size_t i = 0; ok && i < list->count; i++)
        ok = file >= 0 ? time_by_file(&names, csv, time, &list->sources[i], &times[i], err)
                       : penta_io_table_number(csv, i, (size_t)time, &times[i], err);
    close_names(&names);
    return ok;
}

bool times_read(const char *path, const frame_list *list, double *times, penta_io_error *err)
{
    penta_io_table *csv = NULL;
    int time = -1, file = -1;
    char kind[64];
    bool ok =
        penta_io_looks_like_image(path, kind, sizeof kind)
            ? penta_io_fail(err,
                            "--times %s: is %s, where a table of times is expected: a CSV file with a column time, and "
                            "a column file or one row for each frame in order",
                            path, kind)
            : true;

    ok = ok && penta_io_table_open(path, PENTA_IO_TABLE_AUTO, &csv, err) && find_columns(csv, path, &file, &time, err);

    if (ok && file < 0 && penta_io_table_rows(csv) != list->count)
        ok = penta_io_fail(err, "%s: %zu times for %zu frames", path, penta_io_table_rows(csv), list->count);
    ok = ok && take_times(csv, path, file, time, list, times, err);
    penta_io_table_close(csv);
    return ok;
}
