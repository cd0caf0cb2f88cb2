/* penta pca: a cube of bands in, its principal components out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/json.h"
#include "shared/ranks.h"
#include "shared/ranks_timeout.h"
#include "shared/stages.h"
#include "pca/members.h"
#include "pca/usage.h"

static const char about[] =
    "Finds the principal components (or maximum noise fractions) of a hyperspectral cube: mean and covariance "
    "of its bands over all valid pixels, eigenvalues, scores. The cube may be larger than memory. It is read "
    "twice in pieces, or once if it fits on the GPU. CUBE is {cubes}: bands x rows x cols, as the file "
    "states, or as --axes says; a TIFF may have a band a page; i8 to f64, integers of 64 bits up to 2^53. "
    "Masks, alpha bands, gains, offsets and lists of bad bands of the file count. The covariance of 8- and "
    "16-bit integers is exact.\n\n"
    "Writes to DIR: components.npy (k x rows x cols; or .tif, .img), model.json (mean, eigenvalues, loadings: "
    "everything needed to transform other scenes and back), scree.png and rgb.png (the first three "
    "components). With --filter also reconstructed.npy, the cube made from the kept components; with "
    "--inverse that alone, from a cube of components. Either all files appear or none. Under mpirun the ranks "
    "divide the cube, each with a device of its machine; the files are those of one process. Exit code 0; 1 "
    "after an error; 2 for wrong usage.";

static const char examples[] =
    "  penta sample pca -o cubes\n"
    "  penta pca -k 10 -o out cubes/scene.npy\n"
    "  penta pca --variance 99.9 --drop-bands 11-14,16 --rescale 1,255 -o bytes cubes/scene.npy\n"
    "  penta pca --kind mnf -k 20 --filter -o clean cubes/scene.npy\n"
    "  penta pca --transform out/model.json -o later cubes/scene.npy\n"
    "  penta pca --inverse out/model.json -o back out/components.npy\n";

/* ---- answers ---- */

static json_t *numbers(const double *values, size_t n)
{
    json_t *array = json_array();

    for (size_t i = 0; array && i < n; i++)
        json_array_append_new(array, json_number(values[i]));
    return array;
}

static json_t *rows_of(const double *values, size_t rows, size_t cols)
{
    json_t *array = json_array();

    for (size_t i = 0; array && i < rows; i++)
        json_array_append_new(array, numbers(values + i * cols, cols));
    return array;
}

static bool is_rounding(const penta_pca_model *m, size_t i)
{
    return m->eigenvalues[i] <= m->rounding;
}

static json_t *roundings(const penta_pca_model *m)
{
    json_t *array = json_array();

    for (size_t i = 0; array && i < m->bands; i++)
        json_array_append_new(array, json_boolean(is_rounding(m, i)));
    return array;
}

static json_t *numbers_or_null(const double *values, size_t n)
{
    return values ? numbers(values, n) : json_null();
}

/* What the file says of its bands, as the model has it. */
static json_t *facts_of(const penta_io_model *c)
{
    size_t n = c->m.bands;
    json_t *bad = json_array();

    for (size_t i = 0; bad && i < c->bad_count; i++)
        json_array_append_new(bad, json_integer((json_int_t)c->bad_bands[i] + 1));
    return json_pack("{s:o, s:o, s:b, s:o, s:o, s:o}", "bad_bands", bad, "wavelengths",
                     numbers_or_null(c->wavelengths, n), "raw_values", (int)c->raw_values, "gain",
                     numbers_or_null(c->gain, n), "offset", numbers_or_null(c->offset, n), "reflectance_scale_factor",
                     c->factor > 0 ? json_real(c->factor) : json_null());
}

static json_t *details_of(const pca_run *run)
{
    const penta_io_model *c = &run->model;
    const penta_pca_model *m = &c->m;
    json_t *facts = facts_of(c), *details;

    details =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:o, s:o, s:I, "
                  "s:{s:f, s:f, s:f, s:f}}",
                  "bands", (json_int_t)m->bands, "rows", (json_int_t)run->about->rows, "cols",
                  (json_int_t)run->about->cols, "valid_pixels", (json_int_t)run->pixels, "components",
                  (json_int_t)m->components, "ddof", m->ddof, "mean", numbers(m->mean, m->bands), "eigenvalues",
                  numbers(m->eigenvalues, m->bands), "rounding", json_number(m->rounding), "is_rounding", roundings(m),
                  "percent", numbers(m->percent, m->bands), "loadings", rows_of(m->loadings, m->components, m->bands),
                  "cov", c->cov, "precision", pca_precision_name(run), "orthogonality", json_number(c->orthogonality),
                  "residual", json_number(c->residual), "clipped_pixels", (json_int_t)run->clipped, "seconds", "read",
                  penta_io_cube_rows_seconds(run->source), "first_pass", run->first_pass, "total",
                  cli_seconds() - run->job.start, "device", penta_profile_seconds(run->job.ctx, true, true));
    if (!facts || !details || json_object_update(details, facts) != 0) {
        json_decref(details);
        details = NULL;
    }
    json_decref(facts);
    return details;
}

static void print_table(const pca_run *run)
{
    enum { MOST_ROWS = 10 };
    const penta_pca_model *m = &run->model.m;
    size_t rounded = 0;
    double sum = 0;

    printf("%-10s %14s %12s %12s\n", "component", m->kind == PENTA_PCA_MNF ? "SNR + 1" : "eigenvalue", "per cent",
           "added up");
    for (size_t i = 0; i < m->components && i < MOST_ROWS; i++) {
        sum += m->percent[i];
        printf("%-10zu %14.7g %12.6f %12.6f%s\n", i + 1, m->eigenvalues[i], m->percent[i], sum,
               is_rounding(m, i) ? "  rounding" : "");
    }
    for (size_t i = 0; i < m->bands; i++)
        rounded += is_rounding(m, i);
    if (m->components > MOST_ROWS)
        printf("... %zu of %zu components are kept\n", m->components, m->bands);
    if (rounded > 0)
        printf("%zu of %zu eigenvalues are not above %.3g: they may be 0 but for rounding\n", rounded, m->bands,
               m->rounding);
}

static int answer(pca_run *run)
{
    const penta_pca_model *m = &run->model.m;

    if (job_prints(&run->job)) {
        printf("%zu bands, %zu rows x %zu cols, %llu valid pixels (%s, %s)\n", m->bands, run->about->rows,
               run->about->cols, (unsigned long long)run->pixels, run->about->format,
               penta_type_name(run->about->type));
        if (!run->flags.inverse)
            print_table(run);
    }
    return job_finish(&run->job, run->job.common.json ? details_of(run) : NULL);
}

/* ---- the run ---- */

static int read_model(pca_run *run)
{
    const char *path = run->flags.transform ? run->flags.transform : run->flags.inverse;
    penta_io_error error = {""};

    if (!path || (penta_io_run_check(path, &error) && penta_io_model_read(path, &run->model, &error) &&
                  (!run->flags.inverse || penta_io_run_same(path, run->path, &error))))
        return CLI_OK;
    return job_fail_io(&run->job, &error);
}

static int check_format(const pca_run *run)
{
    penta_io_error error = {""};

    return penta_io_cube_can_write(run->flags.format, &error) ? CLI_OK : job_fail_io(&run->job, &error);
}

static int open_source(pca_run *run)
{
    penta_io_error error = {""};
    penta_io_cube *cube = run->own_cube ? run->own_cube : run->cube;

    return penta_io_cube_rows_open(run->job.ctx, cube, run->mask, &run->source, &error)
               ? CLI_OK
               : job_fail_io(&run->job, &error);
}

static void note_precision(const pca_run *run)
{
    if (run->about->type == PENTA_F64 && strcmp(pca_precision_name(run), "ds") == 0)
        job_note(&run->job,
                 "the device has no double precision: numbers of %s are taken to 14 digits, sums over them "
                 "in pairs of floats to 12 (docs/mathematics/pca.md)",
                 run->path);
}

/* On its device, or as one of several members. */
static int compute(pca_run *run)
{
    int code = open_source(run);

    if (code == CLI_OK && !pca_has_model(run) && !run->goes_on)
        code = pca_analyse(run);
    if (code == CLI_OK)
        pca_choose_rows(run);
    return code != CLI_OK ? code : pca_write_results(run);
}

/* Tiles are compressed, and lie in the file in the order in which they come. */
static int check_members(const pca_run *run)
{
    if (run->job.workers == 1 || run->flags.format != PENTA_IO_CUBE_GTIFF)
        return CLI_OK;
    if (ranks_size() > 1)
        return cli_fail(run->job.command, CLI_USAGE,
                        "--format gtiff is written by one process, and there are %zu; npy and envi are by several",
                        ranks_size());
    return cli_fail(run->job.command, CLI_USAGE,
                    "--format gtiff is written by one device, and -d names %zu; npy and envi are by several",
                    run->job.members);
}

/* The answer is that of the run before. */
static int tell_done(pca_run *run)
{
    int code = ranks_rank() == 0 ? open_source(run) : CLI_OK;

    return code != CLI_OK || ranks_rank() > 0 ? code : answer(run);
}

static int work(pca_run *run, const cli_line *line)
{
    int code = check_format(run);

    (void)stages_enter(STAGE_READ);
    code = code != CLI_OK ? code : read_model(run);
    code = code != CLI_OK ? code : pca_open_input(run, line);
    code = code != CLI_OK ? code : pca_check_place(run);
    code = code != CLI_OK ? code : pca_make_place(run);
    code = code != CLI_OK ? code : job_open_devices(&run->job);
    code = code != CLI_OK ? code : check_members(run);
    code = code != CLI_OK ? code : pca_begin_resume(run);
    if (code == CLI_OK && run->is_done)
        return tell_done(run);
    if (code == CLI_OK)
        note_precision(run);
    (void)stages_enter(STAGE_COMPUTE);
    if (code == CLI_OK)
        code = run->job.workers > 1 ? pca_run_members(run, compute) : compute(run);
    code = job_exchange_shares(&run->job, code);
    if (code == CLI_OK && ranks_rank() == 0)
        code = pca_keep_all(run);
    return code != CLI_OK || ranks_rank() > 0 ? code : answer(run);
}

static void close_run(pca_run *run)
{
    penta_io_cube_rows_close(run->source);
    penta_pca_destroy(run->statistics);
    penta_io_model_free(&run->model);
    penta_io_cube_close(run->cube);
    resume_end(&run->record);
    free(run->mask);
    free(run->gain);
    free(run->offset);
    free(run->bands);
    job_close(&run->job);
}

static int run_pca(const cli_line *line, void *values)
{
    pca_run *run = values;
    int code = pca_usage_check(line, &run->flags, &run->options);

    code = code != CLI_OK ? code : cli_need_output(line);
    code = code != CLI_OK ? code : cli_take_streams(line);
    if (code != CLI_OK)
        return code;
    job_begin(&run->job, line);
    run->job.again = run->flags.resume;
    run->resume = &run->record;
    ranks_timeout_allow();
    run->path = line->operands[0];
    answer_single_input(run->path);
    cli_catch_interrupts();
    code = work(run, line);
    close_run(run);
    return code;
}

static const cli_operand operands[] = {{"CUBE", "a file of bands x rows x columns", 1, 1, NULL}, {0}};
static const cli_section sections[] = {CLI_SECTION("Input", "input", pca_input_rows, pca_run, flags),
                                       CLI_LIBRARY("Method", "pca", penta_pca_option_table, pca_run, options),
                                       CLI_SECTION("Output", "output", pca_output_rows, pca_run, flags),
                                       CLI_SECTION("Common", "common", cli_common_table, pca_run, job.common),
                                       CLI_SECTIONS_END};

static const cli_output outputs[] = {{"components.*", "components"},
                                     {"reconstructed.*", "reconstructed"},
                                     {"model.json", "model"},
                                     {"*", "picture"},
                                     {0}};

const cli_command penta_command_pca = {.name = "pca",
                                       .summary = "principal components of hyperspectral cubes",
                                       .usage = "-o DIR CUBE",
                                       .about = about,
                                       .examples = examples,
                                       .operands = operands,
                                       .sections = sections,
                                       .single = pca_single,
                                       .idle = pca_idle,
                                       .outputs = outputs,
                                       .size = sizeof(pca_run),
                                       .run = run_pca,
                                       .ranks = CLI_RANKS_ALL};
