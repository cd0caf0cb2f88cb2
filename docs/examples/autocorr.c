/*
 * The length scale of images of one size and type, and how it grows. Usage: autocorr SERIES.csv IMAGE..., where
 * SERIES.csv is written as `penta autocorr` writes series.csv: the time of a frame is its number.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pentacl/io/image.h>
#include <pentacl/io/output.h>
#include <pentacl/io/table.h>
#include <pentacl/pentacl.h>

static penta_io_error error;

/* R_max of one image; the first one makes the plan. */
static bool measure(penta_context *ctx, const char *path, penta_autocorr **plan, penta_io_image *first,
                    penta_peak *peak)
{
    penta_io_image image = {0};
    penta_autocorr_result result = {0}; /* the arrays are left out: only the peak is wanted */
    bool ok = penta_io_image_read(path, &image, &error);

    if (ok && !*plan) {
        ok = penta_autocorr_create(ctx, image.width, image.height, image.type, NULL, plan) == PENTA_OK;
        *first = image;
    }
    if (ok && (image.width != first->width || image.height != first->height || image.type != first->type))
        ok = penta_io_fail(&error, "%s is not like the first image", path);
    ok = ok && penta_autocorr_run(*plan, 1, &(penta_autocorr_frame){.image = image.data}, &result) == PENTA_OK;
    *peak = result.peak;
    penta_io_image_free(&image);
    return ok;
}

static bool write_series(const char *path, size_t n, char **names, const double *time, const penta_peak *p,
                         const bool *outlier)
{
    penta_io_output *output;

    if (!penta_io_output_open(path, &output, &error))
        return false;
    FILE *f = penta_io_output_stream(output);
    fputs("index,file,time,r_max,r_max_se,c_max,r_min,c_min,status\n", f);
    for (size_t i = 0; i < n; i++) {
        fprintf(f, "%zu,", i);
        penta_io_table_put(f, names[i]);
        fprintf(f, ",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%s\n", time[i], p[i].r_max, p[i].r_max_se, p[i].c_max,
                p[i].r_min, p[i].c_min, outlier[i] ? "outlier" : penta_peak_status_name(p[i].status));
    }
    return penta_io_output_commit(output, &error);
}

int main(int argc, char **argv)
{
    size_t n = argc > 2 ? (size_t)argc - 2 : 0;
    double *time = calloc(n + 1, sizeof *time);
    penta_peak *peaks = calloc(n + 1, sizeof *peaks);
    bool *outlier = calloc(n + 1, sizeof *outlier), ok = time && peaks && outlier;
    penta_growth_fit fits[PENTA_GROWTH_MODELS], *linear = &fits[PENTA_GROWTH_LINEAR];
    penta_context *ctx = NULL;
    penta_autocorr *plan = NULL;
    penta_io_image first = {0};

    ok = ok && (n || penta_io_fail(&error, "give SERIES.csv IMAGE...")) && penta_context_create(NULL, &ctx) == PENTA_OK;
    for (size_t i = 0; ok && i < n; i++) {
        time[i] = (double)i;
        ok = measure(ctx, argv[2 + i], &plan, &first, &peaks[i]);
    }
    ok = ok && (n < 3 || penta_growth_fit_peaks(n, time, peaks, outlier, fits) == PENTA_OK) &&
         write_series(argv[1], n, argv + 2, time, peaks, outlier);
    if (ok && n >= 3 && linear->ok)
        printf("R = %.5g px + %.5g px a frame\n", linear->value[0], linear->value[1]);
    if (!ok)
        fprintf(stderr, "autocorr: %s\n", error.text[0] ? error.text : penta_last_error(ctx));
    penta_autocorr_destroy(plan); /* plans before their context; NULL is fine */
    penta_context_destroy(ctx);
    free(time), free(peaks), free(outlier);
    return !ok;
}
