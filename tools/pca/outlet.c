#include "pca/outlet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pentacl/io/output.h>
#include "pca/pass.h"
#include "shared/stages.h"

enum { PIECE_BYTES = 1 << 25, HELD_SHARE = 4 /* of the host's memory a held cube may take one such part */ };

struct pca_outlet {
    const job *job;
    penta_map *map;
    penta_pca *kept;                     /* where pixels of rows without data come from */
    penta_io_cube_writer *own, **writer; /* writer: to `own`, or to one that is not the outlet's */
    pca_preview *preview;                /* or NULL */
    char *path;
    size_t rows, cols, ins, outs;
    size_t first_row, count; /* rows that are written */
    size_t piece;            /* rows that are taken at once */
    penta_map_format format;
    double *least, *largest; /* outs each, or NULL */
    bool given;              /* they are the plan's */
    void *results;           /* outs x room pixels, pinned */
    uint8_t *valid;          /* room */
    size_t room;
    uint64_t pixels, clipped;
    bool is_full; /* no memory for what was to be held */
    char no_data[32];
};

/* ---- opening ---- */

static int out_of_memory(const pca_outlet *o)
{
    return cli_fail(o->job->command, CLI_ERROR, "out of memory");
}

static int fail_library(const pca_outlet *o)
{
    return pca_fail_library(o->job);
}

static void choose_fill(pca_outlet *o, const pca_outlet_plan *plan)
{
    bool is_real = plan->type == PENTA_F32 || plan->type == PENTA_F64;
    double fill = is_real ? NAN : penta_map_fill(plan->type, plan->range.low, plan->range.high);

    o->format.fill = fill;
    if (plan->has_gaps && is_real)
        snprintf(o->no_data, sizeof o->no_data, "nan");
    else if (plan->has_gaps && !isnan(fill))
        snprintf(o->no_data, sizeof o->no_data, "%.0f", fill);
}

static double *copy(const double *values, size_t n)
{
    double *out = malloc(n * sizeof *out);

    if (out && values)
        memcpy(out, values, n * sizeof *out);
    return out;
}

static int open_writer(pca_outlet *o, const pca_outlet_plan *plan)
{
    const penta_io_cube_info about = {.bands = o->outs,
                                      .rows = o->rows,
                                      .cols = o->cols,
                                      .type = plan->type,
                                      .has_no_data = *o->no_data != 0,
                                      .no_data = o->format.fill,
                                      .wavelengths = (double *)plan->wavelengths};
    char name[64];
    penta_io_error error = {""};

    if (*o->writer)
        return CLI_OK;
    penta_io_cube_name(plan->format, plan->stem, name, sizeof name);
    o->path = penta_io_join_path(o->job->common.output, name, "");
    if (!o->path)
        return out_of_memory(o);
    return penta_io_cube_create(o->path, plan->format, &about, plan->like, o->writer, &error)
               ? CLI_OK
               : job_fail_io(o->job, &error);
}

static int open_map(pca_outlet *o, const pca_outlet_plan *plan)
{
    size_t row = o->outs * o->cols * penta_type_size(plan->type), room;

    if (penta_map_create(o->job->ctx, &plan->affine, plan->precision, plan->no_data, &o->map) != PENTA_OK)
        return fail_library(o);
    room = penta_map_room(o->map) / o->cols;
    if (room == 0)
        return cli_fail(o->job->command, CLI_ERROR,
                        "one row of %zu pixels is too long for the memory of this device; choose a --window", o->cols);
    o->piece = PIECE_BYTES / row > 0 ? PIECE_BYTES / row : 1;
    o->piece = o->piece < room ? o->piece : room;
    o->piece = o->piece < o->rows ? o->piece : o->rows;
    penta_map_first_row(o->map, o->first_row);
    return CLI_OK;
}

int pca_outlet_open(const job *j, const pca_outlet_plan *plan, pca_outlet **out)
{
    const penta_io_cube_info *about = penta_io_cube_about(plan->like);
    pca_outlet *o = calloc(1, sizeof *o);
    int code;

    *out = NULL;
    if (!o)
        return cli_fail(j->command, CLI_ERROR, "out of memory");
    *o = (pca_outlet){
        .job = j,
        .kept = plan->kept,
        .given = plan->range.on && plan->least,
        .rows = about->rows,
        .cols = about->cols,
        .first_row = plan->first_row,
        .count = plan->rows,
        .ins = plan->affine.ins,
        .outs = plan->affine.outs,
        .format = {.type = plan->type, .rescale = plan->range.on, .low = plan->range.low, .high = plan->range.high}};
    o->writer = plan->writer ? plan->writer : &o->own;
    choose_fill(o, plan);
    if (plan->range.on) {
        o->format.least = o->least = copy(plan->least, o->outs);
        o->format.largest = o->largest = copy(plan->largest, o->outs);
    }
    code = plan->range.on && (!o->least || !o->largest) ? out_of_memory(o) : open_writer(o, plan);
    code = code != CLI_OK ? code : open_map(o, plan);
    if (code != CLI_OK) {
        pca_outlet_close(o);
        return code;
    }
    *out = o;
    return CLI_OK;
}

void pca_outlet_close(pca_outlet *o)
{
    if (!o)
        return;
    penta_io_cube_abandon(o->own);
    penta_map_destroy(o->map);
    penta_host_free(o->job->ctx, o->results);
    free(o->valid);
    free(o->least);
    free(o->largest);
    free(o->path);
    free(o);
}

void pca_outlet_show(pca_outlet *o, pca_preview *preview)
{
    o->preview = preview;
}

/* ---- results to the file ---- */

/* Room on the host for that many pixels. */
static int make_room(pca_outlet *o, size_t pixels)
{
    if (pixels <= o->room)
        return CLI_OK;
    penta_host_free(o->job->ctx, o->results);
    free(o->valid);
    o->results = NULL;
    o->room = 0;
    o->valid = malloc(pixels);
    if (!o->valid)
        return out_of_memory(o);
    if (penta_host_alloc(o->job->ctx, pixels * o->outs * penta_type_size(o->format.type), &o->results) != PENTA_OK)
        return fail_library(o);
    o->room = pixels;
    return CLI_OK;
}

/* What the map has, which is these rows. */
static int take(pca_outlet *o, size_t first, size_t count)
{
    size_t pixels = count * o->cols;
    penta_io_error error = {""};
    int code = make_room(o, pixels);
    stage before;
    bool ok;

    if (code != CLI_OK)
        return code;
    o->format.valid = o->valid;
    o->format.clipped = o->given ? &o->clipped : NULL;
    if (penta_map_take(o->map, &o->format, o->results, pixels) != PENTA_OK)
        return fail_library(o);
    for (size_t i = 0; i < pixels; i++)
        o->pixels += o->valid[i];
    before = stages_enter(STAGE_PICTURES);
    if (o->preview)
        pca_preview_add(o->preview, first, count, o->format.type, o->results, pixels, o->valid);
    (void)stages_enter(STAGE_WRITE);
    ok = penta_io_cube_write(*o->writer, first, count, o->results, pixels, &error);
    (void)stages_enter(before);
    return ok ? CLI_OK : job_fail_io(o->job, &error);
}

/* ---- rows in ---- */

/* Rows first .. first + count - 1 of them, which have `ins` bands. */
static penta_cube_rows part(const pca_outlet *o, const penta_cube_rows *rows, size_t first, size_t count)
{
    size_t pixel = rows->layout == PENTA_BSQ ? 1 : o->ins; /* elements to step over */
    penta_cube_rows out = *rows;

    out.rows = count;
    out.mask = rows->mask ? rows->mask + first * rows->cols : NULL;
    out.data = (const char *)rows->data + first * rows->cols * pixel * penta_type_size(rows->type);
    if (rows->layout == PENTA_BSQ && rows->band_stride == 0)
        out.band_stride = rows->rows * rows->cols;
    return out;
}

/* `count` rows from number `at` of these, which begin with row `first` of the cube. */
static penta_status add(pca_outlet *o, const penta_cube_rows *rows, size_t first, size_t at, size_t count)
{
    penta_cube_rows some;

    if (!rows->data)
        return penta_map_add_kept(o->map, o->kept, (uint64_t)(first + at) * o->cols, count * o->cols);
    some = part(o, rows, at, count);
    return penta_map_add(o->map, &some);
}

/* Maps the rows, as many at a time as may be taken at once; what becomes of them: enum use. */
enum use { DROP, WRITE };

static int map_rows(pca_outlet *o, const penta_cube_rows *rows, size_t first, enum use use)
{
    int code = CLI_OK;

    for (size_t at = 0, count; code == CLI_OK && at < rows->rows; at += count) {
        count = rows->rows - at < o->piece ? rows->rows - at : o->piece;
        if (add(o, rows, first, at, count) != PENTA_OK)
            return fail_library(o);
        if (use == WRITE)
            code = take(o, first + at, count);
        else if (penta_map_take(o->map, &o->format, NULL, 0) != PENTA_OK)
            return fail_library(o);
    }
    return code;
}

int pca_outlet_measure(pca_outlet *o, const penta_cube_rows *rows, size_t first)
{
    o->format.valid = NULL;
    o->format.clipped = NULL;
    return map_rows(o, rows, first, DROP);
}

int pca_outlet_hold(pca_outlet *o, const penta_cube_rows *rows, size_t first)
{
    penta_status status = add(o, rows, first, 0, rows->rows);

    o->is_full = status == PENTA_MEMORY;
    return status == PENTA_OK ? CLI_OK : o->is_full ? CLI_ERROR : fail_library(o);
}

bool pca_outlet_let_go(pca_outlet *o)
{
    bool was_full = o->is_full;

    if (was_full)
        penta_map_reset(o->map);
    o->is_full = false;
    return was_full;
}

int pca_outlet_write(pca_outlet *o, const penta_cube_rows *rows, size_t first)
{
    return map_rows(o, rows, first, WRITE);
}

bool pca_outlet_can_hold(const pca_outlet *o)
{
    size_t pixels = o->count * o->cols, bytes = pixels * (o->outs * penta_type_size(o->format.type) + 1);
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

    return pixels <= penta_map_room(o->map) &&
           (pages < 0 || page < 0 || bytes / (size_t)page <= (size_t)pages / HELD_SHARE);
}

int pca_outlet_take_range(pca_outlet *o, bool may_be_none)
{
    penta_status status;

    o->least[0] = 0;
    status = penta_map_range(o->map, o->least, o->largest);
    may_be_none = may_be_none && status == PENTA_INVALID && isinf(o->least[0]);
    return status == PENTA_OK || may_be_none ? CLI_OK : fail_library(o);
}

void pca_outlet_range(pca_outlet *o, double **least, double **largest, size_t *outs)
{
    *least = o->least;
    *largest = o->largest;
    *outs = o->outs;
}

int pca_outlet_write_held(pca_outlet *o)
{
    return take(o, o->first_row, o->count);
}

/* ---- what came of it ---- */

void pca_outlet_give_range(pca_outlet *o, double **least, double **largest)
{
    *least = o->least;
    *largest = o->largest;
    o->format.least = o->format.largest = o->least = o->largest = NULL;
}

uint64_t pca_outlet_pixels(const pca_outlet *o)
{
    return o->pixels;
}

uint64_t pca_outlet_clipped(const pca_outlet *o)
{
    return o->clipped;
}

const char *pca_outlet_no_data(const pca_outlet *o)
{
    return o->no_data;
}

bool pca_outlet_finish(pca_outlet *o, penta_io_error *err)
{
    penta_io_cube_writer *writer = *o->writer;

    *o->writer = NULL;
    return penta_io_cube_finish(writer, err);
}
