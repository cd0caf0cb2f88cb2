/* Pictures of a series. */
#include "autocorr/pictures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/output.h>
#include "shared/stages.h"
#include "figures/plot_growth.h"

void pictures_open(pictures *p, size_t frames)
{
    *p = (pictures){.frames = frames, .count = frames < PICTURE_CURVES ? frames : PICTURE_CURVES};
    for (size_t k = 0; k < p->count; k++)
        p->index[k] = p->count > 1 ? k * (frames - 1) / (p->count - 1) : 0;
}

void pictures_close(pictures *p)
{
    for (size_t k = 0; k < p->count; k++)
        free(p->c1d[k]);
    free(p->c2d[0]);
    free(p->c2d[1]);
    *p = (pictures){0};
}

bool pictures_want_c1d(const pictures *p, size_t number)
{
    for (size_t k = 0; k < p->count; k++)
        if (p->index[k] == number)
            return true;
    return false;
}

bool pictures_want_c2d(const pictures *p, size_t number)
{
    return number == 0 || number == p->frames - 1;
}

static void *copy_of(const void *data, size_t bytes)
{
    void *copy = malloc(bytes);

    return copy ? memcpy(copy, data, bytes) : NULL;
}

bool pictures_keep(pictures *p, size_t number, size_t max_offset, const penta_autocorr_result *result)
{
    size_t side = 2 * max_offset + 1;

    for (size_t k = 0; k < p->count; k++)
        if (p->index[k] == number) {
            p->bins[k] = max_offset + 1;
            p->c1d[k] = copy_of(result->c1d, p->bins[k] * sizeof *result->c1d);
            if (!p->c1d[k])
                return false;
        }
    for (int i = 0; i < 2; i++)
        if (number == (i == 0 ? 0 : p->frames - 1) && !(i == 1 && p->frames == 1)) {
            p->max_offset[i] = max_offset;
            p->c2d[i] = copy_of(result->c2d, side * side * sizeof *result->c2d);
            if (!p->c2d[i])
                return false;
        }
    return true;
}

static bool draw_c1d(const pictures *p, const series *s, const char *base, penta_io_error *err)
{
    autocorr_c1d_frame curves[PICTURE_CURVES];
    char title[300];
    size_t n = 0, single = 0;

    for (size_t k = 0; k < p->count; k++)
        if (p->c1d[k]) {
            single = p->index[k];
            curves[n++] = (autocorr_c1d_frame){.time = s->rows[p->index[k]].time,
                                               .bins = p->bins[k],
                                               .c1d = p->c1d[k],
                                               .peak = s->rows[p->index[k]].peak,
                                               .cross = s->cross};
        }
    if (n == 1)
        snprintf(title, sizeof title, "%.250s", s->list->sources[single].name);
    else if (n == p->frames)
        snprintf(title, sizeof title, "%zu frames", n);
    else
        snprintf(title, sizeof title, "%zu of %zu frames", n, p->frames);
    return autocorr_plot_c1d(base, title, s->seconds, n, curves, err);
}

static bool draw_c2d(const pictures *p, const series *s, const char *base, penta_io_error *err)
{
    autocorr_c2d_panel panels[2];
    size_t n = 0;

    for (int i = 0; i < 2; i++)
        if (p->c2d[i]) {
            size_t number = i == 0 ? 0 : p->frames - 1;

            panels[n++] = (autocorr_c2d_panel){.label = s->list->sources[number].name,
                                               .max_offset = p->max_offset[i],
                                               .c2d = p->c2d[i],
                                               .peak = s->rows[number].peak,
                                               .shift = s->cross ? &s->rows[number].shift : NULL};
        }
    return n == 0 || autocorr_plot_c2d(base, NULL, n, panels, err);
}

static bool draw_growth(const pictures *all, const series *s, const char *base, penta_io_error *err)
{
    series_points p;
    bool ok;

    (void)all;
    if (!series_points_make(s, &p))
        return penta_io_fail(err, "out of memory for the growth plot");
    ok = plot_growth(
        base, NULL,
        &(plot_growth_points){
            .n = p.n, .t = p.t, .r = p.r, .r_se = p.r_se, .outlier = p.outlier, .seconds = s->seconds, .weak = p.weak},
        s->fits, err);
    series_points_free(&p);
    return ok;
}

typedef struct {
    const pictures *pictures;
    const series *series;
    const char *directory;
} drawing;

/* On any thread. */
static bool draw_one(void *user, size_t i, penta_io_error *err)
{
    static bool (*const draw[3])(const pictures *, const series *, const char *,
                                 penta_io_error *) = {draw_c1d, draw_c2d, draw_growth};
    static const char *const names[3] = {"c1d", "c2d", "growth"};
    const drawing *d = user;
    char *base = penta_io_join_path(d->directory, names[i], "");
    bool ok = base ? draw[i](d->pictures, d->series, base, err) : penta_io_fail(err, "out of memory for a file name");

    free(base);
    return ok;
}

bool pictures_draw(const pictures *p, const series *s, const char *directory, penta_io_error *err)
{
    drawing d = {.pictures = p, .series = s, .directory = directory};
    stage before = stages_enter(STAGE_PICTURES);
    bool ok = penta_io_output_together(series_done(s) >= 3 && s->fitted ? 3 : 2, draw_one, &d, err);

    (void)stages_enter(before);
    return ok;
}
