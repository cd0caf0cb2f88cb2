/* Eigenvalues, and how much of the variance the first ones hold. */
#include "pca/plot_scree.h"

#include <math.h>

enum {
    WIDTH = 1200,
    HEIGHT = 560,
    TOP = 56,
    BOTTOM = 487,
    /* px */ DECADES = 16,
    FEW = 40 /* components with a large point each */
};

typedef struct {
    const pca_scree_values *values;
    double floor; /* greater ones are drawn */
    size_t below; /* components that are not drawn */
    double least; /* that are drawn: the least */
    size_t reach; /* components of the right panel */
} view;

/* Components until their shares add up to `percent`. */
static size_t until(const pca_scree_values *v, double percent)
{
    double sum = 0;
    size_t i = 0;

    while (i < v->n && sum < percent)
        sum += v->percent[i++];
    return i;
}

/* Beyond the bend, and beyond the kept components unless they are many. */
static size_t choose_reach(const pca_scree_values *v)
{
    size_t reach = 4 * until(v, 95), most = until(v, 99.99);

    reach = reach < most ? reach : most;
    reach = reach < 8 ? 8 : reach;
    if (v->kept < FEW && reach < v->kept + 2)
        reach = v->kept + 2;
    return reach < v->n ? reach : v->n;
}

static view choose(const pca_scree_values *values)
{
    view v = {.values = values, .floor = values->eigenvalues[0] * pow(10, -DECADES)};

    v.floor = v.floor > 0 ? v.floor : 0;
    v.least = values->eigenvalues[0];
    for (size_t i = 0; i < values->n; i++) {
        bool drawn = values->eigenvalues[i] > v.floor;

        v.below += !drawn;
        v.least = drawn ? values->eigenvalues[i] : v.least;
    }
    v.reach = choose_reach(values);
    return v;
}

/* ---- the figure ---- */

typedef enum { ALL, NOT_KEPT, KEPT, ROUNDED } choice; /* NOT_KEPT, KEPT: of those above the rounding error */

static bool is_chosen(const view *v, choice which, size_t i)
{
    const bool rounded = v->values->eigenvalues[i] <= v->values->rounding || !(v->values->eigenvalues[i] > v->floor);

    if (which == ROUNDED)
        return rounded;
    return which == ALL || (!rounded && (i < v->values->kept) == (which == KEPT));
}

static void add_eigenvalues(figure *f, figure_panel *panel, const view *v, choice which, figure_mark style)
{
    figure_mark *mark = figure_add_mark(f, panel, style);

    for (size_t i = 0; i < v->values->n; i++)
        if (is_chosen(v, which, i)) {
            double value = v->values->eigenvalues[i];

            figure_add_point(f, mark, (figure_point){(double)(i + 1), value > v->floor ? value : (double)NAN, 0, 0});
        }
}

/* Components from .. to - 1. */
static void add_sums(figure *f, figure_panel *panel, const view *v, size_t from, size_t to, figure_mark style)
{
    figure_mark *mark = figure_add_mark(f, panel, style);
    double sum = 0;

    for (size_t i = 0; i < to; i++) {
        sum += v->values->percent[i];
        if (i >= from)
            figure_add_point(f, mark, (figure_point){(double)(i + 1), sum, 0, 0});
    }
}

static figure_axis component_axis(size_t n)
{
    return (figure_axis){.label = "component",
                         .range = {n > 1 ? 1 - 0.02 * (double)n : 0, n > 1 ? 1.02 * (double)n : 2},
                         .step = n <= 12 ? 1 : 0,
                         .ticks = true};
}

static figure_mark points(figure_kind kind, size_t shown, const char *label)
{
    return (figure_mark){.kind = kind,
                         .colour = kind == FIGURE_DISCS ? FIGURE_BLUE : FIGURE_GREY,
                         .radius = kind == FIGURE_DISCS ? (shown > FEW ? 2.75 : 5)
                                   : shown > FEW        ? 2.2
                                                        : 4.4,
                         .width = 1.2,
                         .label = label};
}

/* A line at the rounding error, and crosses for the eigenvalues up to it. */
static void add_rounding(figure *f, figure_panel *panel, const view *v)
{
    const pca_scree_values *values = v->values;
    figure_mark *line;
    size_t rounded = 0;

    for (size_t i = 0; i < values->n; i++)
        rounded += values->eigenvalues[i] <= values->rounding;
    if (rounded == 0)
        return;
    if (values->rounding > v->least / 2) {
        line = figure_add_mark(f, panel,
                               (figure_mark){.kind = FIGURE_LINE, .dashed = true, .width = 1, .colour = FIGURE_GREY});
        figure_add_point(f, line, (figure_point){panel->x.range.lo, values->rounding, 0, 0});
        figure_add_point(f, line, (figure_point){panel->x.range.hi, values->rounding, 0, 0});
    }
    add_eigenvalues(f, panel, v, ROUNDED,
                    points(FIGURE_CROSSES, values->n, figure_text(f, "%zu not above rounding", rounded)));
}

static void describe_eigenvalues(figure *f, const view *v)
{
    const pca_scree_values *values = v->values;
    const bool all = values->kept >= values->n;
    figure_panel *panel = figure_add_panel(
        f,
        (figure_panel){.box = {0.09 * WIDTH, TOP, 0.49 * WIDTH, BOTTOM},
                       .x = component_axis(values->n),
                       .y = {.label = values->noise_fractions ? "eigenvalue (signal-to-noise ratio + 1)" : "eigenvalue",
                             .range = {v->least / 2, 2 * values->eigenvalues[0]},
                             .ticks = true,
                             .logarithmic = true},
                       .grid = true,
                       .legend = FIGURE_LEGEND_INSIDE});

    add_eigenvalues(f, panel, v, ALL, (figure_mark){.kind = FIGURE_LINE, .width = 1.2, .colour = FIGURE_GREY});
    if (!all)
        add_eigenvalues(f, panel, v, NOT_KEPT,
                        points(FIGURE_RINGS, values->n, figure_text(f, "%zu not kept", values->n - values->kept)));
    add_eigenvalues(f, panel, v, KEPT,
                    points(FIGURE_DISCS, values->n, all ? NULL : figure_text(f, "%zu kept", values->kept)));
    add_rounding(f, panel, v);
    if (v->below > 0)
        figure_add_label(
            f, panel,
            (figure_label){.text = figure_text(f, "%zu below 10^{-%d} of the first not drawn", v->below, (int)DECADES),
                           .x = 0.02,
                           .y = 0.03,
                           .size = 0.85,
                           .colour = 0x606060});
}

static void describe_sums(figure *f, const view *v)
{
    const pca_scree_values *values = v->values;
    size_t kept = values->kept < v->reach ? values->kept : v->reach;
    double first = values->percent[0], low = first < 50   ? 0
                                             : first < 90 ? 10 * floor(first / 10 - 1)
                                                          : floor(first - 1);
    figure_panel *panel = figure_add_panel(
        f, (figure_panel){.box = {0.575 * WIDTH, TOP, 0.985 * WIDTH, BOTTOM},
                          .x = component_axis(v->reach),
                          .y = {.label = values->noise_fractions ? "share of the eigenvalues, cumulative (%)"
                                                                 : "variance, cumulative (%)",
                                .range = {low, 100 + 0.04 * (100 - low)},
                                .ticks = true},
                          .grid = true});

    add_sums(f, panel, v, 0, v->reach, (figure_mark){.kind = FIGURE_LINE, .width = 1.2, .colour = FIGURE_GREY});
    add_sums(f, panel, v, kept, v->reach, points(FIGURE_RINGS, v->reach, NULL));
    add_sums(f, panel, v, 0, kept, points(FIGURE_DISCS, v->reach, NULL));
}

bool pca_plot_scree(const char *base, const char *title, const pca_scree_values *values, penta_io_error *err)
{
    view v = choose(values);
    figure f;
    bool ok;

    figure_open(&f, WIDTH, HEIGHT);
    if (values->eigenvalues[0] > 0) {
        f.title = title ? title : "";
        describe_eigenvalues(&f, &v);
        describe_sums(&f, &v);
    } else {
        figure_add_nothing(&f, figure_add_panel(&f, (figure_panel){.box = {NAN, NAN, NAN, NAN}, .title = title}),
                           "no band varies");
    }
    ok = figure_files(&f, base, err);
    figure_close(&f);
    return ok;
}
