/* The contact sheet, of images averaged over square blocks of pixels. */
#include "prepare/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures/figure.h"

enum { MARGIN = 12, LETTERS = 9, LINE = 18 /* px */ };

void sheet_open(sheet *s, size_t frames)
{
    *s = (sheet){.frames = frames};
    pthread_mutex_init(&s->lock, NULL);
}

void sheet_free_cell(sheet_cell *cell)
{
    free(cell->label);
    free(cell->before);
    free(cell->after);
    *cell = (sheet_cell){0};
}

void sheet_close(sheet *s)
{
    for (size_t k = 0; k < SHEET_FRAMES; k++)
        sheet_free_cell(&s->cells[k]);
    if (s->frames > 0)
        pthread_mutex_destroy(&s->lock);
    *s = (sheet){0};
}

/* ---- a picture ---- */

typedef struct picture {
    size_t width, height, block; /* block: px of the image a pixel of the picture */
    float *level;                /* means of the pixels that count; NaN: none does */
    float *share;                /* of the block's pixels that do not count */
} picture;

static double level_at(const penta_io_image *image, size_t i)
{
    if (image->channels != 3)
        return penta_io_image_value(image, i);
    return (299 * penta_io_image_value(image, 3 * i) + 587 * penta_io_image_value(image, 3 * i + 1) +
            114 * penta_io_image_value(image, 3 * i + 2)) /
           1000;
}

static void average_block(picture *p, const penta_io_image *image, const uint8_t *mask, size_t bx, size_t by)
{
    size_t x1 = (bx + 1) * p->block < image->width ? (bx + 1) * p->block : image->width;
    size_t y1 = (by + 1) * p->block < image->height ? (by + 1) * p->block : image->height;
    size_t pixels = (x1 - bx * p->block) * (y1 - by * p->block), n = 0, out = 0;
    double sum = 0;

    for (size_t y = by * p->block; y < y1; y++)
        for (size_t x = bx * p->block; x < x1; x++) {
            size_t i = y * image->width + x;
            double v = level_at(image, i);

            out += mask && !mask[i];
            if (isfinite(v) && !(mask && !mask[i])) {
                sum += v;
                n++;
            }
        }
    p->level[by * p->width + bx] = n > 0 ? (float)(sum / (double)n) : NAN;
    p->share[by * p->width + bx] = (float)out / (float)pixels;
}

static bool make_picture(const penta_io_image *image, const uint8_t *mask, picture *out)
{
    size_t longer = image->width > image->height ? image->width : image->height;
    size_t block = (longer + SHEET_SIDE - 1) / SHEET_SIDE;

    *out = (picture){
        .block = block, .width = (image->width + block - 1) / block, .height = (image->height + block - 1) / block};
    out->level = malloc(out->width * out->height * sizeof *out->level);
    out->share = malloc(out->width * out->height * sizeof *out->share);
    if (!out->level || !out->share)
        return false;
    for (size_t y = 0; y < out->height; y++)
        for (size_t x = 0; x < out->width; x++)
            average_block(out, image, mask, x, y);
    return true;
}

static void free_picture(picture *p)
{
    free(p->level);
    free(p->share);
}

/* The 1st and 99th percentile; 0 and 1 without a level. False: out of memory. */
static bool find_range(const picture *p, float range[2])
{
    size_t pixels = p->width * p->height;
    float *levels = malloc(pixels * sizeof *levels);
    figure_range found;

    if (!levels)
        return false;
    memcpy(levels, p->level, pixels * sizeof *levels);
    found = figure_range_within(levels, pixels, 1);
    range[0] = figure_range_is_none(found) ? 0 : (float)found.lo;
    range[1] = figure_range_is_none(found) ? 1 : (float)found.hi;
    free(levels);
    return true;
}

/* RGB; pixels that do not count are blended with red. NULL: out of memory. */
static uint8_t *paint(const picture *p)
{
    static const float red[3] = {220, 30, 30};
    size_t pixels = p->width * p->height;
    uint8_t *rgb = malloc(3 * pixels);
    float range[2];

    if (!rgb || !find_range(p, range)) {
        free(rgb);
        return NULL;
    }
    for (size_t i = 0; i < pixels; i++) {
        float grey = range[1] > range[0] ? 255 * (p->level[i] - range[0]) / (range[1] - range[0]) : 128;

        grey = isfinite(grey) ? fminf(fmaxf(grey, 0), 255) : 0;
        for (int c = 0; c < 3; c++)
            rgb[3 * i + (size_t)c] = (uint8_t)(grey + p->share[i] * (red[c] - grey) + 0.5F);
    }
    return rgb;
}

/* ---- keeping ---- */

static size_t cells_of(const sheet *s)
{
    return s->frames < SHEET_FRAMES ? s->frames : SHEET_FRAMES;
}

/* The cell of frame `number`; SHEET_FRAMES: it has none. */
static size_t cell_of(const sheet *s, size_t number)
{
    size_t n = cells_of(s);

    for (size_t k = 0; k < n; k++)
        if (number == (n > 1 ? k * (s->frames - 1) / (n - 1) : 0))
            return k;
    return SHEET_FRAMES;
}

bool sheet_wants(const sheet *s, size_t number)
{
    return cell_of(s, number) < SHEET_FRAMES;
}

static bool make_cell(const char *label, const penta_io_image *before, const penta_io_image *after, const uint8_t *mask,
                      sheet_cell *out)
{
    picture pictures[2] = {{0}, {0}};
    bool ok = make_picture(before, NULL, &pictures[0]) && make_picture(after, mask, &pictures[1]);

    *out = (sheet_cell){.label = strdup(label),
                        .width = {pictures[0].width, pictures[1].width},
                        .height = {pictures[0].height, pictures[1].height}};
    if (ok) {
        out->before = paint(&pictures[0]);
        out->after = paint(&pictures[1]);
    }
    free_picture(&pictures[0]);
    free_picture(&pictures[1]);
    if (out->label && out->before && out->after)
        return true;
    free(out->label);
    free(out->before);
    free(out->after);
    *out = (sheet_cell){0};
    return false;
}

bool sheet_make(const sheet *s, size_t number, const char *label, const penta_io_image *before,
                const penta_io_image *after, const uint8_t *mask, sheet_cell *out)
{
    *out = (sheet_cell){0};
    return !sheet_wants(s, number) || make_cell(label, before, after, mask, out);
}

void sheet_put(sheet *s, size_t number, sheet_cell *cell)
{
    size_t k = cell_of(s, number);
    sheet_cell old = *cell;

    if (k < SHEET_FRAMES && cell->label) {
        pthread_mutex_lock(&s->lock);
        old = s->cells[k];
        s->cells[k] = *cell;
        pthread_mutex_unlock(&s->lock);
    }
    sheet_free_cell(&old);
    *cell = (sheet_cell){0};
}

bool sheet_keep(sheet *s, size_t number, const char *label, const penta_io_image *before, const penta_io_image *after,
                const uint8_t *mask)
{
    sheet_cell cell;

    if (!sheet_make(s, number, label, before, after, mask, &cell))
        return false;
    sheet_put(s, number, &cell);
    return true;
}

/* ---- drawing ---- */

bool sheet_title(const char *name, char out[SHEET_TITLE])
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    size_t length = strlen(base), kept = length < SHEET_TITLE - 4 ? length : SHEET_TITLE - 4;

    snprintf(out, SHEET_TITLE, "%s", base);
    if (kept == length && figure_text_width(LETTERS, true, base) <= SHEET_SIDE)
        return false;
    do { /* keep a little more of the end, where the number is */
        snprintf(out, SHEET_TITLE, "%.*s...%s", (int)(kept / 2), base, base + length - (kept - kept / 2));
    } while (kept-- > 0 && figure_text_width(LETTERS, true, out) > SHEET_SIDE);
    return true;
}

/* A picture at its own size, with its title. */
static void add_picture(figure *f, size_t left, size_t top, size_t width, size_t height, const uint8_t *rgb,
                        const char *title)
{
    figure_add_panel(f,
                     (figure_panel){.box = {(double)left, (double)top, (double)(left + width), (double)(top + height)},
                                    .x.range = {-0.5, (double)width - 0.5},
                                    .y = {.range = {-0.5, (double)height - 0.5}, .downwards = true},
                                    .frame = FIGURE_FRAME_NONE,
                                    .title = title,
                                    .image = {.width = width, .height = height, .step = 1, .rgb = rgb}});
}

bool sheet_write(const sheet *s, const char *path, penta_io_error *err)
{
    size_t kept = 0, height[2] = {0, 0}, left = MARGIN;
    char title[SHEET_TITLE];
    figure f;
    bool ok;

    for (size_t k = 0; k < SHEET_FRAMES; k++) {
        kept += s->cells[k].label != NULL;
        for (int i = 0; i < 2; i++)
            height[i] = height[i] > s->cells[k].height[i] ? height[i] : s->cells[k].height[i];
    }
    if (kept == 0)
        return true;
    figure_open(&f, (double)(MARGIN + kept * (SHEET_SIDE + MARGIN)),
                (double)(LINE + 3 * MARGIN + height[0] + height[1]));
    f.letters = LETTERS;
    for (size_t k = 0; k < SHEET_FRAMES; k++) {
        const sheet_cell *cell = &s->cells[k];

        if (!cell->label)
            continue;
        sheet_title(cell->label, title);
        add_picture(&f, left, MARGIN + LINE, cell->width[0], cell->height[0], cell->before,
                    figure_text(&f, "%s", title));
        add_picture(&f, left, MARGIN + LINE + height[0] + MARGIN, cell->width[1], cell->height[1], cell->after, NULL);
        left += SHEET_SIDE + MARGIN;
    }
    ok = figure_png(&f, path, err);
    figure_close(&f);
    return ok;
}
