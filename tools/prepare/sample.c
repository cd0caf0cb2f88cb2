/* A series of photographs with known drift, illumination, dust and noise (sample_scene.h), and what they show. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <pentacl/io/image.h>
#include <pentacl/io/array.h>
#include <pentacl/io/output.h>
#include "shared/sample.h"
#include "shared/sample_scene.h"

typedef struct {
    sample_common common;
    int frames, width, height, shape, depth;
    double r0, speed, drift, angle, illumination, dust, snr;
} sample_flags;

enum { DEPTH_U16 = 0, DEPTH_U8 };

static const penta_option flag_table[] = {
    SAMPLE_OUTPUT,
    PENTA_INT_OPTION(sample_flags, frames, 'n', 16, 1, 99999, "", "number of frames"),
    PENTA_INT_OPTION(sample_flags, width, 0, 750, 16, 16384, "px", "width of a frame"),
    PENTA_INT_OPTION(sample_flags, height, 0, 1500, 16, 16384, "px", "height of a frame"),
    PENTA_REAL_OPTION(sample_flags, r0, 0, 20, 3, 4000, "px", "R_max of the first frame"),
    PENTA_REAL_OPTION(sample_flags, speed, 0, 0, 0, 1000, "px",
                      "growth of R_max a frame, about the centre of the content"),
    PENTA_REAL_OPTION(sample_flags, drift, 0, 12, 0, 1000, "px", "largest drift along x and along y"),
    PENTA_REAL_OPTION(sample_flags, angle, 0, 0, 0, 45, "degrees", "largest rotation"),
    PENTA_REAL_OPTION(sample_flags, illumination, 0, 4, 1, 100, "", "brightest place over darkest"),
    PENTA_CHOICE_OPTION(sample_flags, shape, 0, "linear,vignette,gaussian", "how the light falls off"),
    PENTA_REAL_OPTION(sample_flags, dust, 0, 0.02, 0, 0.9, "", "share of the area under dust"),
    PENTA_REAL_OPTION(sample_flags, snr, 0, 10, 0, 10000, "", "contrast to noise in the mean light; 0: no noise"),
    PENTA_CHOICE_OPTION(sample_flags, depth, 0, "u16,u8", "of the PNG files"),
    SAMPLE_SEED("pattern, drift, dust and noise"),
    SAMPLE_WORDS,
    PENTA_OPTIONS_END};

typedef struct maker {
    const sample_flags *flags;
    sample_scene scene;
    size_t count;
    float *light, *through, *frame; /* height x width */
    uint16_t *levels;               /* of one picture, or as many bytes */
    uint8_t *mask;
} maker;

static penta_io_image picture(const maker *m, penta_type type, void *data)
{
    return (penta_io_image){
        .width = (size_t)m->scene.width, .height = (size_t)m->scene.height, .type = type, .data = data};
}

/* DIR/folder + name.png of m->frame, where 1 is white. */
static bool write_frame(maker *m, const char *name, penta_io_error *err)
{
    bool deep = m->flags->depth == DEPTH_U16;
    double white = deep ? 65535 : 255;
    penta_io_image image = picture(m, deep ? PENTA_U16 : PENTA_U8, m->levels);
    char *path = sample_path(&m->flags->common, name, ".png", err);
    bool ok;

    for (size_t i = 0; i < m->count; i++) {
        double v = fmin(fmax(white * (double)m->frame[i], 0), white) + 0.5;

        if (deep)
            m->levels[i] = (uint16_t)v;
        else
            ((uint8_t *)m->levels)[i] = (uint8_t)v;
    }
    ok = path && penta_io_png_write(path, &image, err);
    free(path);
    return ok;
}

/* The photograph, and the pattern that it shows as it lies in the first frame, with mean 1/2. */
static bool make_frame(maker *m, int index, penta_io_error *err)
{
    sample_place place = sample_scene_place(&m->scene, index), still = {.r_max = place.r_max};
    char name[64];

    sample_scene_pattern(&m->scene, &place, m->frame);
    sample_scene_expose(&m->scene, index, m->light, m->through, m->frame);
    snprintf(name, sizeof name, "frame-%04d", index);
    if (!write_frame(m, name, err))
        return false;
    sample_scene_pattern(&m->scene, &still, m->frame);
    for (size_t i = 0; i < m->count; i++)
        m->frame[i] /= 2;
    snprintf(name, sizeof name, "clean/frame-%04d", index);
    return write_frame(m, name, err);
}

/* index,file,dx,dy,angle,r_max as `penta prepare` and `penta autocorr` shall find them. */
static void put_truth(const void *data, FILE *out)
{
    const maker *m = data;

    fputs("index,file,dx,dy,angle,r_max\n", out);
    for (int i = 0; i < m->flags->frames; i++) {
        sample_place p = sample_scene_place(&m->scene, i);

        fprintf(out, "%d,frame-%04d.png,%.10g,%.10g,%.10g,%.10g\n", i, i, p.dx, p.dy, p.angle, p.r_max);
    }
}

static bool write_maps(maker *m, penta_io_error *err)
{
    const size_t shape[] = {(size_t)m->scene.height, (size_t)m->scene.width};
    char *light = sample_path(&m->flags->common, "truth/illumination", ".npy", err);
    char *dust = sample_path(&m->flags->common, "truth/dust", ".png", err);
    uint8_t *bytes = (uint8_t *)m->levels;
    penta_io_image image = picture(m, PENTA_U8, bytes);
    bool ok;

    for (size_t i = 0; i < m->count; i++)
        bytes[i] = m->mask[i] ? 255 : 0;
    ok = light && dust && penta_io_npy_write(light, PENTA_F32, 2, shape, m->light, err) &&
         penta_io_png_write(dust, &image, err);
    free(light);
    free(dust);
    return ok && sample_write(&m->flags->common, "truth", ".csv", put_truth, m, err);
}

/* *.png of the folder above are the photographs alone. */
static bool make_folder(const maker *m, const char *name, penta_io_error *err)
{
    char *path = sample_path(&m->flags->common, name, "", err);
    bool ok = path && penta_io_make_directory(path, err);

    free(path);
    return ok;
}

static bool make_all(maker *m, penta_io_error *err)
{
    bool ok = make_folder(m, "clean", err) && make_folder(m, "truth", err);

    sample_scene_light(&m->scene, m->light);
    sample_scene_dust(&m->scene, m->through, m->mask);
    cli_catch_interrupts();
    for (int i = 0; ok && i < m->flags->frames; i++) {
        if (cli_interrupted())
            ok = penta_io_fail(err, "interrupted after %d of %d frames", i, m->flags->frames);
        else
            ok = make_frame(m, i, err);
    }
    return ok && write_maps(m, err);
}

static bool make_files(const void *flags, penta_io_error *err)
{
    const sample_flags *f = flags;
    maker m = {.flags = f,
               .scene = {.width = f->width,
                         .height = f->height,
                         .seed = f->common.seed,
                         .r0 = f->r0,
                         .speed = f->speed,
                         .drift = f->drift,
                         .angle = f->angle,
                         .illumination = f->illumination,
                         .shape = f->shape,
                         .dust = f->dust,
                         .snr = f->snr},
               .count = (size_t)f->width * (size_t)f->height};
    bool ok;

    m.light = malloc(m.count * sizeof *m.light);
    m.through = malloc(m.count * sizeof *m.through);
    m.frame = malloc(m.count * sizeof *m.frame);
    m.levels = malloc(m.count * sizeof *m.levels);
    m.mask = malloc(m.count);
    ok = (m.light && m.through && m.frame && m.levels && m.mask) || penta_io_fail(err, "out of memory");
    ok = ok && make_all(&m, err);
    free(m.light);
    free(m.through);
    free(m.frame);
    free(m.levels);
    free(m.mask);
    if (ok)
        sample_tell(&f->common, "%d frames of %d x %d, truth.csv, truth/ and clean/ in %s", f->frames, f->width,
                    f->height, f->common.output);
    return ok;
}

static const cli_section sections[] = {{"Flags", "sample_prepare", flag_table, NULL, 0, 0, NULL, NULL},
                                       CLI_SECTIONS_END};

static const cli_output outputs[] = {{"truth.csv", "truth"}, {"*", "frame"}, {0}};

const cli_command penta_sample_prepare = {
    .name = "sample prepare",
    .summary = "a drifting series with known illumination, dust and noise",
    .usage = "-o DIR",
    .about = "Makes photographs (PNG) of a drifting pattern in uneven light, under dust that stays where it is, with "
             "noise; truth.csv with drift and R_max of each (index,file,dx,dy,angle,r_max); clean/ with the same "
             "pattern at rest, in even light, without dust and noise; truth/ with illumination.npy (largest 1) and "
             "dust.png (0 under dust, else 255).",
    .examples = "  penta sample prepare -n 4 --width 256 --height 256 -o photographs\n"
                "  penta prepare -o prepared photographs/*.png\n",
    .sections = sections,
    .outputs = outputs,
    .size = sizeof(sample_flags),
    .run = sample_run,
    .more = &(const sample_maker){.make = make_files}};
