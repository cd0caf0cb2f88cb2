/* R_max(t): points, outliers and the fitted models. */
#include "figures/plot_growth.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 1000, HEIGHT = 700, CURVE_POINTS = 300 };

static const uint32_t colours[PENTA_GROWTH_MODELS] = {FIGURE_GREEN, FIGURE_BLUE, FIGURE_VERMILLION};

/* What there is to draw. */
typedef struct {
    const plot_growth_points *points;
    const penta_growth_fit *fits;
    size_t kept, outliers, off; /* off: outliers beyond the axes */
    figure_range x, y;
    int best; /* model of least AICc, -1 when none has one, or it is contradicted and another law is not */
} view;

static bool is_point(const plot_growth_points *p, size_t i)
{
    return isfinite(p->t[i]) && isfinite(p->r[i]);
}

static bool is_outlier(const plot_growth_points *p, size_t i)
{
    return p->outlier && p->outlier[i];
}

static double error_of(const plot_growth_points *p, size_t i)
{
    return p->r_se && isfinite(p->r_se[i]) && p->r_se[i] > 0 ? p->r_se[i] : 0;
}

/* Whether a law is no worse than the best by AICc, which contradicts the data: it does not, or has no AICc, for too few
 * points, and is nearer. */
static bool outdoes(const penta_growth_fit *fit, const penta_growth_fit *best)
{
    return !fit->contradicted || (isnan(fit->aicc) && fit->chi2 / (double)fit->dof < best->chi2 / (double)best->dof);
}

static int best_model(const view *v)
{
    int best = -1;

    for (int m = 0; m < PENTA_GROWTH_MODELS; m++)
        if (penta_growth_shows(&v->fits[m], v->kept) && !isnan(v->fits[m].aicc) &&
            (best < 0 || v->fits[m].aicc < v->fits[best].aicc))
            best = m;
    for (int m = 0; best >= 0 && v->fits[best].contradicted && m < PENTA_GROWTH_MODELS; m++)
        if (penta_growth_shows(&v->fits[m], v->kept) && outdoes(&v->fits[m], &v->fits[best]))
            return -1;
    return best;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The median error of the fitted points. */
static double usual_error(const plot_growth_points *p)
{
    double *errors = malloc((p->n + 1) * sizeof *errors), usual;
    size_t count = 0;

    for (size_t i = 0; errors && i < p->n; i++)
        if (is_point(p, i) && !is_outlier(p, i))
            errors[count++] = error_of(p, i);
    if (count > 0)
        qsort(errors, count, sizeof *errors, ascending);
    usual = count > 0 ? errors[count / 2] : 0;
    free(errors);
    return usual;
}

/* The axes show the fitted points with their error bars, but for those that are far longer than the others, and
 * outliers that are not too far away. */
static void choose_ranges(view *v)
{
    const plot_growth_points *p = v->points;
    figure_range kept = figure_range_none(), set_aside = figure_range_none(), reach;
    double longest;

    v->x = v->y = figure_range_none();
    for (size_t i = 0; i < p->n; i++) {
        if (!is_point(p, i))
            continue;
        figure_range_add(&v->x, p->t[i]);
        figure_range_add(is_outlier(p, i) ? &set_aside : &kept, p->r[i]);
        v->outliers += is_outlier(p, i);
        v->kept += !is_outlier(p, i);
    }
    if (v->kept == 0)
        kept = set_aside;
    reach = figure_range_pad(kept, 1, 1);
    longest = fmax((reach.hi - reach.lo) / 3, 1.5 * usual_error(p));
    v->y = kept;
    for (size_t i = 0; i < p->n; i++) {
        if (!is_point(p, i))
            continue;
        if (p->r[i] < reach.lo || p->r[i] > reach.hi) {
            v->off++;
            continue;
        }
        figure_range_add(&v->y, p->r[i] - fmin(error_of(p, i), longest));
        figure_range_add(&v->y, p->r[i] + fmin(error_of(p, i), longest));
    }
    v->x = figure_range_pad(v->x, 0.03, 0.03);
    v->y = figure_range_pad(v->y, 0.06, 0.06);
}

/* ---- the figure ---- */

/* The outliers, or the other points. */
static void add_points(figure *f, figure_panel *panel, const plot_growth_points *p, bool outliers, figure_mark style)
{
    figure_mark *mark = figure_add_mark(f, panel, style);

    for (size_t i = 0; i < p->n; i++)
        if (is_point(p, i) && is_outlier(p, i) == outliers)
            figure_add_point(f, mark, (figure_point){p->t[i], p->r[i], error_of(p, i), 0});
}

/* "R = (12.1 ± 0.3) + (0.53 ± 0.02) t". */
static const char *formula(figure *f, const penta_growth_fit *fit)
{
    const double *p = fit->value, *se = fit->standard_error;

    switch (fit->model) {
    case PENTA_GROWTH_LINEAR:
        return figure_text(f, "R = %s + %s t", figure_measured(f, p[0], se[0], true),
                           figure_measured(f, p[1], se[1], true));
    case PENTA_GROWTH_POWER:
        return figure_text(f, "R = %s (t %c %s)^{%s}", figure_measured(f, p[0], se[0], true), p[1] < 0 ? '+' : '-',
                           figure_measured(f, fabs(p[1]), se[1], true), figure_measured(f, p[2], se[2], false));
    default:
        return figure_text(f, "R = %s t", figure_measured(f, p[0], se[0], true));
    }
}

static const char *verdict(figure *f, const view *v, int model)
{
    const penta_growth_fit *fit = &v->fits[model];
    const char *rank = "", *contradicted = "";

    if (model == v->best)
        rank = ", best by AICc";
    else if (v->best >= 0 && isfinite(fit->aicc - v->fits[v->best].aicc))
        rank = figure_text(f, ", ΔAICc = %.3g", fit->aicc - v->fits[v->best].aicc);
    if (fit->contradicted)
        contradicted = figure_text(f, ", contradicts the data (χ²/dof = %.3g)", fit->chi2 / (double)fit->dof);
    return figure_text(f, "%s%s%s", formula(f, fit), rank, contradicted);
}

/* The model over the time axis, with a legend if it has a value anywhere. */
static void add_model(figure *f, figure_panel *panel, const view *v, int model)
{
    const bool best = model == v->best;
    bool any = false;
    figure_mark *mark = figure_add_mark(
        f, panel,
        (figure_mark){.kind = FIGURE_LINE, .colour = colours[model], .width = best ? 2.5 : 1.5, .dashed = !best});

    for (int i = 0; i <= CURVE_POINTS; i++) {
        double t = v->x.lo + (v->x.hi - v->x.lo) * i / CURVE_POINTS, r = penta_growth_at(&v->fits[model], t);

        figure_add_point(f, mark, (figure_point){t, r, 0, 0});
        any = any || isfinite(r);
    }
    if (any)
        mark->label = verdict(f, v, model);
}

static void describe(figure *f, const view *v, const char *title)
{
    const plot_growth_points *p = v->points;
    const char *lacking = penta_growth_lacking(v->fits, v->kept), *off = "";
    figure_panel *panel = figure_add_panel(
        f, (figure_panel){
               .box = {NAN, NAN, NAN, NAN},
               .title = title,
               .x = {.label = p->seconds ? "time (s)" : "frame", .range = v->x, .ticks = true, .whole = !p->seconds},
               .y = {.label = "R_{max} (px)", .range = v->y, .ticks = true},
               .grid = true,
               .legend = FIGURE_LEGEND_BELOW});

    if (v->kept + v->outliers == 0) {
        figure_add_nothing(f, panel,
                           p->weak > 0 ? "no frame has an R_{max} that can be relied on" : "no frame has an R_{max}");
        return;
    }
    for (int m = 0; m < PENTA_GROWTH_MODELS; m++)
        if (penta_growth_shows(&v->fits[m], v->kept))
            add_model(f, panel, v, m);
    if (lacking)
        figure_add_mark(f, panel, (figure_mark){.kind = FIGURE_BAND, .label = lacking});
    if (v->off > 0)
        off = figure_text(f, " (%zu off the plot)", v->off);
    if (v->outliers > 0)
        add_points(
            f, panel, p, true,
            (figure_mark){.kind = FIGURE_RINGS,
                          .colour = FIGURE_GREY,
                          .radius = 5,
                          .width = 1.5,
                          .label = figure_text(f, "%zu outlier%s%s", v->outliers, v->outliers == 1 ? "" : "s", off)});
    add_points(f, panel, p, false, (figure_mark){.kind = FIGURE_BARS, .colour = 0x303030, .width = 1.2});
    add_points(f, panel, p, false,
               (figure_mark){.kind = FIGURE_DISCS,
                             .colour = 0x303030,
                             .radius = p->n > 100 ? 2.75 : 4.4,
                             .label = figure_text(f, "R_{max}, %zu frame%s", v->kept, v->kept == 1 ? "" : "s")});
}

bool plot_growth(const char *base, const char *title, const plot_growth_points *points,
                 const penta_growth_fit fits[PENTA_GROWTH_MODELS], penta_io_error *err)
{
    view v = {.points = points, .fits = fits};
    figure f;
    bool ok;

    choose_ranges(&v);
    v.best = best_model(&v);
    figure_open(&f, WIDTH, HEIGHT);
    describe(&f, &v, title);
    ok = figure_files(&f, base, err);
    figure_close(&f);
    return ok;
}
