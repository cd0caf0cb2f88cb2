/* penta smooth: an image in, its smoothed float32 version out. */
#include <stdlib.h>

#include <pentacl/smooth.h>

#include <pentacl/io/array.h>
#include <pentacl/io/image.h>
#include <pentacl/io/output.h>

#include "shared/job.h"

static const char NAME[] = "smooth";

/* The pixels as float32, to free; NULL when memory runs out. */
static float *to_floats(const penta_io_image *image)
{
    size_t count = image->width * image->height;
    float *out = malloc(count * sizeof *out);

    for (size_t i = 0; out && i < count; i++)
        out[i] = image->type == PENTA_U8    ? (float)((const uint8_t *)image->data)[i]
                 : image->type == PENTA_U16 ? (float)((const uint16_t *)image->data)[i]
                 : image->type == PENTA_F32 ? ((const float *)image->data)[i]
                                            : (float)((const double *)image->data)[i];
    return out;
}

static int write_result(const job *j, const penta_io_image *image, const float *pixels)
{
    char *path = penta_io_join_path(j->common.output, "smooth", ".npy");
    penta_io_error error = {""};
    bool ok = path && penta_io_npy_write(path, PENTA_F32, 2, (size_t[]){image->height, image->width}, pixels, &error);

    free(path);
    return ok ? CLI_OK : job_fail_io(j, &error);
}

static int smooth_image(job *j, const penta_smooth_options *options, const penta_io_image *image, float *pixels)
{
    penta_smooth *plan = NULL;
    char message[256];
    int code;

    if (penta_smooth_check(image->width, image->height, options, message, sizeof message) != PENTA_OK)
        return cli_fail(NAME, CLI_USAGE, "%s", message);
    code = job_open_device(j);
    if (code == CLI_OK && (penta_smooth_create(j->ctx, image->width, image->height, options, &plan) != PENTA_OK ||
                           penta_smooth_run(plan, pixels, pixels) != PENTA_OK))
        code = job_fail_library(j);
    code = code != CLI_OK ? code : job_make_directory(j, "");
    code = code != CLI_OK ? code : write_result(j, image, pixels);
    code = code != CLI_OK ? code : job_finish(j, json_object());
    penta_smooth_destroy(plan);
    job_close(j);
    return code;
}

static int smooth_file(job *j, const penta_smooth_options *options, const char *path)
{
    penta_io_image image = {0};
    penta_io_error error = {""};
    float *pixels;
    int code;

    if (!penta_io_image_read(path, &image, &error))
        return job_fail_io(j, &error);
    pixels = to_floats(&image);
    code = pixels ? smooth_image(j, options, &image, pixels) : cli_fail(NAME, CLI_ERROR, "out of memory for the image");
    free(pixels);
    penta_io_image_free(&image);
    return code;
}

/* What the flags fill. */
typedef struct {
    job job;
    penta_smooth_options options;
} smooth_values;

static int run(const cli_line *line, void *values)
{
    smooth_values *v = values;
    int code = cli_need_output(line);

    job_begin(&v->job, line);
    answer_single_input(line->operands[0]);
    return code == CLI_OK ? smooth_file(&v->job, &v->options, line->operands[0]) : code;
}

static const cli_operand operands[] = {{"IMAGE", "PNG, TIFF, NPY and other formats; its first page", 1, 1, NULL}, {0}};
static const cli_section sections[] = {
    CLI_LIBRARY("Method", "smooth", penta_smooth_option_table, smooth_values, options),
    CLI_SECTION("Common", "common", cli_common_table, smooth_values, job.common), CLI_SECTIONS_END};

static const cli_output outputs[] = {{"smooth.npy", "smooth"}, {0}}; /* kinds, for the JSON answer */

const cli_command penta_command_smooth = {
    .name = "smooth",
    .summary = "mean of the pixels around each pixel",
    .usage = "-o DIR IMAGE",
    .about = "Writes DIR/smooth.npy, float32: the mean of the pixels around each pixel of the image's first page.",
    .examples = "  penta smooth -r 3 -o out photo.png\n",
    .operands = operands,
    .sections = sections,
    .outputs = outputs,
    .size = sizeof(smooth_values),
    .run = run};
