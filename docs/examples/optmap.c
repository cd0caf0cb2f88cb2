/*
 * Activation map of a heart's movie. Usage: optmap MOVIE FRAMES-PER-SECOND PIXEL-SIZE-IN-CM DIR, where MOVIE is what
 * `penta optmap` reads and DIR exists; 0 frames per second: as the file says. Writes the first beat's activation times
 * as DIR/activation.npy (float32, ms) and DIR/activation.png (early white, late black; 0 where there is none), prints a
 * line of numbers, and says what to look at before they are believed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <pentacl/io/array.h>
#include <pentacl/io/image.h>
#include <pentacl/io/movie.h>
#include <pentacl/pentacl.h>

static bool write_maps(const char *directory, const penta_findings *f, penta_io_error *error)
{
    const size_t shape[2] = {f->height, f->width}, pixels = f->width * f->height;
    const float *map = f->maps.activation;
    uint8_t *grey = calloc(pixels, 1);
    const penta_io_image image = {.width = f->width, .height = f->height, .type = PENTA_U8, .data = grey};
    float first = INFINITY, last = -INFINITY;
    char path[1024];
    bool ok;

    for (size_t i = 0; i < pixels; i++) { /* NaN compares false */
        first = map[i] < first ? map[i] : first;
        last = map[i] > last ? map[i] : last;
    }
    for (size_t i = 0; grey && i < pixels; i++)
        grey[i] = isnan(map[i]) ? 0 : (uint8_t)(255 - 200 * (map[i] - first) / fmaxf(last - first, 1e-3F));
    snprintf(path, sizeof path, "%s/activation.npy", directory);
    ok = grey && penta_io_npy_write(path, PENTA_F32, 2, shape, map, error);
    snprintf(path, sizeof path, "%s/activation.png", directory);
    ok = ok && penta_io_png_write(path, &image, error);
    printf("%zu beats, %zu rotors; the first beat takes %.1f ms\n", f->beat_count, f->rotor_count, last - first);
    free(grey);
    return ok;
}

int main(int argc, char **argv)
{
    penta_io_error error = {""};
    penta_io_movie movie = {0};
    penta_context *ctx = NULL;
    penta_analysis *analysis = NULL;
    penta_analysis_options options;
    penta_findings found = {0};
    penta_doubt doubts[PENTA_DOUBT_KINDS];
    bool ok = (argc == 5 || penta_io_fail(&error, "give MOVIE FRAMES-PER-SECOND PIXEL-SIZE DIR")) &&
              penta_io_movie_open(argv[1], NULL, &movie, &error) && penta_context_create(NULL, &ctx) == PENTA_OK;

    penta_analysis_options_init(&options);
    if (ok) {
        const penta_recording recording = {.width = movie.width,
                                           .height = movie.height,
                                           .frames = movie.frames,
                                           .frame_rate_hz = atof(argv[2]) > 0 ? atof(argv[2]) : movie.rate,
                                           .movie = {.type = movie.type, .frames = movie.data}};

        options.pixel_size = atof(argv[3]);
        ok = penta_analysis_create(ctx, &options, &analysis) == PENTA_OK &&
             penta_analysis_run(analysis, &recording, &found) == PENTA_OK;
    }
    for (size_t i = 0, n = ok ? penta_findings_doubts(&found, doubts, PENTA_DOUBT_KINDS) : 0; i < n; i++)
        fprintf(stderr, "optmap: %s\n", doubts[i].text);
    if (ok && found.beat_count > 0)
        ok = write_maps(argv[4], &found, &error);
    if (!ok)
        fprintf(stderr, "optmap: %s\n", *error.text ? error.text : penta_last_error(ctx));
    penta_findings_free(&found);
    penta_analysis_destroy(analysis);
    penta_io_movie_close(&movie);
    penta_context_destroy(ctx);
    return !ok;
}
