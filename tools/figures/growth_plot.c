/* R_max(t): points, outliers and the fitted models. */
#include "figures/autocorr_plot.h"

#include <math.h>

#include "figures/style.h"

enum { WIDTH = 1000, HEIGHT = 700, CURVE_POINTS = 300 };

static const char *const colours[PENTA_GROWTH_MODELS] = {PLOT_GREEN, PLOT_BLUE, PLOT_VERMILLION};

/* What there is to draw. */
typedef struct {
    const plot_growth_points *points;
    const penta_growth_fit *fits;
    size_t kept, outliers, off; /* off: outliers beyond the axes */
    plot_range x, y;
    int best; /* model of least AICc, -1 when none has one */
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

static int best_model(const view *v)
{
    int best = -1;

    for (int m = 0; m < PENTA_GROWTH_MODELS; m++)
        if (penta_growth_shows(&v->fits[m], v->kept) && !isnan(v->fits[m].aicc) &&
            (best < 0 || v->fits[m].aicc < v->fits[best].aicc))
            best = m;
    return best;
}

/* The points that were fitted with their error bars, and those outliers that do not press them into a corner. */
static void choose_ranges(view *v)
{
    const plot_growth_points *p = v->points;
    plot_range kept = plot_range_none(), set_aside = plot_range_none(), reach;
    double span;

    v->x = v->y = plot_range_none();
    for (size_t i = 0; i < p->n; i++) {
        if (!is_point(p, i))
            continue;
        plot_range_add(&v->x, p->t[i]);
        plot_range_add(is_outlier(p, i) ? &set_aside : &kept, p->r[i]);
        v->outliers += is_outlier(p, i);
        v->kept += !is_outlier(p, i);
    }
    if (v->kept == 0)
        kept = set_aside;
    reach = plot_range_pad(kept, 1, 1);
    span = (reach.hi - reach.lo) / 3;
    v->y = kept;
    for (size_t i = 0; i < p->n; i++) {
        if (!is_point(p, i))
            continue;
        if (p->r[i] < reach.lo || p->r[i] > reach.hi) {
            v->off++;
            continue;
        }
        plot_range_add(&v->y, p->r[i] - fmin(error_of(p, i), span));
        plot_range_add(&v->y, p->r[i] + fmin(error_of(p, i), span));
    }
    v->x = plot_range_pad(v->x, 0.03, 0.03);
    v->y = plot_range_pad(v->y, 0.06, 0.06);
}

/* ---- data ---- */

/* Points with the outlier flag asked for: t, r, error. */
static void put_points(gnuplot *plot, const plot_growth_points *p, const char *name, bool outliers)
{
    gnuplot_put(plot, "$%s << END\n", name);
    for (size_t i = 0; i < p->n; i++)
        if (is_point(p, i) && is_outlier(p, i) == outliers)
            gnuplot_put(plot, "%.15g %.9g %.9g\n", p->t[i], p->r[i], error_of(p, i));
    gnuplot_put(plot, "END\n");
}

/* A model over the time axis; a blank line where it has no value. Returns whether there is any. */
static bool put_model(gnuplot *plot, const view *v, int model)
{
    bool any = false;

    gnuplot_put(plot, "$model%d << END\n", model);
    for (int i = 0; i <= CURVE_POINTS; i++) {
        double t = v->x.lo + (v->x.hi - v->x.lo) * i / CURVE_POINTS;
        double r = penta_growth_at(&v->fits[model], t);

        if (isfinite(r))
            gnuplot_put(plot, "%.15g %.9g\n", t, r);
        else if (any)
            gnuplot_put(plot, "\n");
        any = any || isfinite(r);
    }
    gnuplot_put(plot, "END\n");
    return any;
}

/* ---- drawing ---- */

/* "R = (12.1 ± 0.3) + (0.53 ± 0.02) t". */
static void put_formula(gnuplot *plot, const penta_growth_fit *fit)
{
    const double *p = fit->value, *se = fit->standard_error;

    gnuplot_put(plot, "R = ");
    switch (fit->model) {
    case PENTA_GROWTH_LINEAR:
        plot_put_measured(plot, p[0], se[0], true);
        gnuplot_put(plot, " + ");
        plot_put_measured(plot, p[1], se[1], true);
        gnuplot_put(plot, " t");
        break;
    case PENTA_GROWTH_POWER:
        plot_put_measured(plot, p[0], se[0], true);
        gnuplot_put(plot, p[1] < 0 ? " (t + " : " (t - ");
        plot_put_measured(plot, fabs(p[1]), se[1], true);
        gnuplot_put(plot, ")^{");
        plot_put_measured(plot, p[2], se[2], false);
        gnuplot_put(plot, "}");
        break;
    default:
        plot_put_measured(plot, p[0], se[0], true);
        gnuplot_put(plot, " t");
    }
}

static void put_model_curve(gnuplot *plot, const view *v, int model)
{
    const penta_growth_fit *fit = &v->fits[model];
    bool best = model == v->best;

    gnuplot_put(plot, "$model%d using 1:2 with lines lw %s dt %d lc rgb '%s' title '", model, best ? "2.5" : "1.5",
                best ? 1 : 2, colours[model]);
    put_formula(plot, fit);
    if (best)
        gnuplot_put(plot, ", best by AICc");
    else if (v->best >= 0 && isfinite(fit->aicc - v->fits[v->best].aicc))
        gnuplot_put(plot, ", ΔAICc = %.3g", fit->aicc - v->fits[v->best].aicc);
    if (fit->contradicted)
        gnuplot_put(plot, ", contradicts the data (χ²/dof = %.3g)", fit->chi2 / (double)fit->dof);
    gnuplot_put(plot, "', ");
}

static void put_outliers(gnuplot *plot, const view *v)
{
    gnuplot_put(plot, "$outliers using 1:2 with points pt 6 ps 0.9 lw 1.5 lc rgb '" PLOT_GREY "' title '%zu outlier%s",
                v->outliers, v->outliers == 1 ? "" : "s");
    if (v->off > 0)
        gnuplot_put(plot, " (%zu off the plot)", v->off);
    gnuplot_put(plot, "', ");
}

static void put_plot(gnuplot *plot, const view *v, const bool drawn[PENTA_GROWTH_MODELS])
{
    const char *lacking = penta_growth_lacking(v->fits, v->kept);

    gnuplot_put(plot, "plot ");
    for (int m = 0; m < PENTA_GROWTH_MODELS; m++)
        if (drawn[m])
            put_model_curve(plot, v, m);
    if (lacking)
        gnuplot_put(plot, "NaN with lines lc rgb '#ffffff' title '%s', ", lacking);
    if (v->outliers > 0)
        put_outliers(plot, v);
    gnuplot_put(plot,
                "$points using 1:($2-$3):(0):(2*$3) with vectors nohead lw 1.2 lc rgb '#303030', "
                "$points using 1:2 with points pt 7 ps %s lc rgb '#303030' title 'R_{max}, %zu frame%s'\n",
                v->points->n > 100 ? "0.5" : "0.8", v->kept, v->kept == 1 ? "" : "s");
}

static void put_script(gnuplot *plot, const view *v, const char *title)
{
    bool drawn[PENTA_GROWTH_MODELS] = {false};

    plot_put_style(plot);
    plot_put_title(plot, title, NULL);
    gnuplot_put(plot, "set xlabel '%s'\nset ylabel 'R_{max} (px)'\n", v->points->seconds ? "time (s)" : "frame");
    if (v->kept + v->outliers == 0) {
        plot_put_nothing(plot, "no frame has an R_{max}");
        return;
    }
    put_points(plot, v->points, "points", false);
    put_points(plot, v->points, "outliers", true);
    for (int m = 0; m < PENTA_GROWTH_MODELS; m++)
        drawn[m] = penta_growth_shows(&v->fits[m], v->kept) && put_model(plot, v, m);
    gnuplot_put(plot, "set key bmargin left Left reverse vertical maxcols 1\n");
    plot_put_range(plot, "x", v->x);
    plot_put_range(plot, "y", v->y);
    put_plot(plot, v, drawn);
}

plot_status plot_growth(const char *base, const char *title, const plot_growth_points *points,
                        const penta_growth_fit fits[PENTA_GROWTH_MODELS], penta_io_error *err)
{
    view v = {.points = points, .fits = fits};
    gnuplot *plot;
    plot_status status;

    if (!gnuplot_open(&plot, err))
        return PLOT_FAILED;
    choose_ranges(&v);
    v.best = best_model(&v);
    put_script(plot, &v, title);
    status = gnuplot_write(plot, base, WIDTH, HEIGHT, err);
    gnuplot_close(plot);
    return status;
}
