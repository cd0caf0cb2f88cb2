/* Where results go. */
#include "prepare/place.h"

#include <stdlib.h>
#include <string.h>

#include <pentacl/io/output.h>

#include "shared/inputs.h"

static const char MASK[] = ".mask";

const char *prepare_suffix(int format)
{
    static const char *const suffixes[] = {".png", ".tif", ".npy", ".fits", ".fits.gz"};

    return suffixes[format];
}

char *prepare_report_path(const preparation *p, const char *name, penta_io_error *err)
{
    char *folder = penta_io_join_path(p->job.common.output, "report", ""), *path = NULL;

    if (folder && !penta_io_make_directory(folder, err)) {
        free(folder);
        return NULL;
    }
    if (folder)
        path = penta_io_join_path(folder, name, "");
    if (!path)
        penta_io_fail(err, "out of memory for a file name");
    free(folder);
    return path;
}

/* ---- outputs over inputs ---- */

static void add_inputs(const preparation *p, input_files *inputs)
{
    const char *const others[] = {p->flags.recipe, p->recipe.files.dark, p->recipe.files.flat};

    for (size_t i = 0; i < p->list.count; i++)
        inputs_add(inputs, p->list.sources[i].path);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        inputs_add(inputs, others[i]);
}

static int check_output(const preparation *p, input_files *inputs, const char *name, const char *suffix)
{
    return inputs_check(inputs, p->job.command, p->job.common.output, name, suffix);
}

static int check_inputs(const preparation *p)
{
    input_files *inputs = inputs_open(p->list.count + 3);
    int code = inputs ? CLI_OK : cli_fail(p->job.command, CLI_ERROR, "out of memory");

    if (inputs)
        add_inputs(p, inputs);
    for (size_t i = 0; code == CLI_OK && i < p->list.count; i++) {
        code = check_output(p, inputs, p->list.sources[i].stem, prepare_suffix(p->recipe.files.format));
        code = code != CLI_OK ? code : check_output(p, inputs, p->list.sources[i].stem, ".mask.png");
    }
    code = code != CLI_OK ? code : check_output(p, inputs, "drift.csv", "");
    if (!p->flags.no_sheet)
        code = code != CLI_OK ? code : check_output(p, inputs, "report/sheet.png", "");
    inputs_close(inputs);
    return code;
}

/* ---- outputs over outputs ---- */

static int by_stem(const void *a, const void *b)
{
    const frame_source *const *x = a, *const *y = b;

    return strcmp((*x)->stem, (*y)->stem);
}

static int stem_against(const void *stem, const void *source)
{
    const frame_source *const *s = source;

    return strcmp(stem, (*s)->stem);
}

/* Whether another frame of the series has the stem without its .mask. */
static bool is_of_mask(const frame_source *source, const frame_source **sorted, size_t n)
{
    size_t length = strlen(source->stem), end = sizeof MASK - 1;
    char *base;
    bool found;

    if (length <= end || strcmp(source->stem + length - end, MASK) != 0)
        return false;
    base = strndup(source->stem, length - end);
    found = base && bsearch(base, sorted, n, sizeof *sorted, stem_against);
    free(base);
    return found;
}

static int check_masks(const preparation *p)
{
    const frame_source **sorted = calloc(p->list.count + 1, sizeof *sorted);
    int code = sorted ? CLI_OK : cli_fail(p->job.command, CLI_ERROR, "out of memory");

    for (size_t i = 0; sorted && i < p->list.count; i++)
        sorted[i] = &p->list.sources[i];
    if (sorted)
        qsort(sorted, p->list.count, sizeof *sorted, by_stem);
    for (size_t i = 0; code == CLI_OK && i < p->list.count; i++)
        if (is_of_mask(&p->list.sources[i], sorted, p->list.count))
            code = cli_fail(p->job.command, CLI_USAGE,
                            "%s has the name of the mask of another frame; leave out the masks of an earlier run",
                            p->list.sources[i].name);
    free(sorted);
    return code;
}

int prepare_check_place(const preparation *p)
{
    int code = p->recipe.files.format == PENTA_IO_FRAMES_PNG ? check_masks(p) : CLI_OK;

    return code != CLI_OK ? code : check_inputs(p);
}
