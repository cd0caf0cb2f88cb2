/* Isolines by marching squares. */
#include <math.h>
#include <stdlib.h>

#include "figures/figure.h"

void figure_smooth(const float *map, size_t width, size_t height, float *out)
{
    static const struct {
        long x, y;
        double weight; /* of (1 2 1)' (1 2 1) / 16 */
    } sides[] = {{1, 0, 0.125}, {0, 1, 0.125}, {1, 1, 0.0625}, {-1, 1, 0.0625}};
    long rows = (long)height, cols = (long)width;

    for (long i = 0; i < rows * cols; i++) {
        double middle = (double)map[i], sum = middle;

        for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
            long x = i % cols, y = i / cols, dx = sides[k].x, dy = sides[k].y;
            double pair;

            if ((dx != 0 && (x == 0 || x == cols - 1)) || (dy != 0 && (y == 0 || y == rows - 1)))
                continue;
            pair = (double)map[i + dy * cols + dx] + (double)map[i - dy * cols - dx];
            if (isfinite(pair))
                sum += sides[k].weight * (pair - 2 * middle);
        }
        out[i] = (float)sum;
    }
}

typedef struct {
    double x, y;
} place;

/* Where the level cuts the sides of the square at (x, y), side after side; how many cuts. */
static size_t cut_sides(const double corner[4], double level, double x, double y, place cuts[4])
{
    static const int dx[] = {0, 1, 1, 0}, dy[] = {0, 0, 1, 1};
    size_t count = 0;

    for (int i = 0; i < 4; i++) {
        int next = (i + 1) % 4;
        double a = corner[i] - level, b = corner[next] - level, t;

        if ((a < 0) == (b < 0))
            continue;
        t = a / (a - b);
        cuts[count++] = (place){x + dx[i] + t * (dx[next] - dx[i]), y + dy[i] + t * (dy[next] - dy[i])};
    }
    return count;
}

void figure_isoline(const float *map, size_t width, size_t height, double level,
                    void (*line)(void *user, double x0, double y0, double x1, double y1), void *user)
{
    for (size_t y = 0; y + 1 < height; y++)
        for (size_t x = 0; x + 1 < width; x++) {
            const float *at = map + y * width + x;
            const double corner[4] = {(double)at[0], (double)at[1], (double)at[width + 1], (double)at[width]};
            place cuts[4];
            size_t n;

            if (!isfinite(corner[0] + corner[1] + corner[2] + corner[3]))
                continue;
            n = cut_sides(corner, level, (double)x, (double)y, cuts);
            for (size_t i = 0; i + 1 < n; i += 2)
                line(user, cuts[i].x, cuts[i].y, cuts[i + 1].x, cuts[i + 1].y);
        }
}

typedef struct {
    figure *f;
    const figure_image *image;
    figure_mark *mark;
} target;

static void add_piece(void *user, double x0, double y0, double x1, double y1)
{
    target *t = user;
    const figure_image *i = t->image;

    figure_add_point(t->f, t->mark, (figure_point){i->x + x0 * i->step, i->y + y0 * i->step, 0, 0});
    figure_add_point(t->f, t->mark, (figure_point){i->x + x1 * i->step, i->y + y1 * i->step, 0, 0});
}

void figure_add_isolines(figure *f, figure_panel *panel, double step, double line_width)
{
    const figure_image *image = &panel->image;
    float *smooth = malloc(image->width * image->height * sizeof *smooth);
    target t = {f, image, NULL};

    if (!smooth || !image->values) {
        free(smooth);
        f->failed = true;
        return;
    }
    figure_smooth(image->values, image->width, image->height, smooth);
    for (double k = ceil(f->colours.lo / step + 1e-9); k * step < f->colours.hi; k++) {
        uint32_t colour = figure_contrast(f, k * step);

        if (!t.mark || t.mark->colour != colour)
            t.mark = figure_add_mark(f, panel,
                                     (figure_mark){.kind = FIGURE_SEGMENTS, .colour = colour, .width = line_width});
        figure_isoline(smooth, image->width, image->height, k * step, add_piece, &t);
    }
    free(smooth);
}
