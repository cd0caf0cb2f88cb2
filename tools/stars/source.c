#define _DEFAULT_SOURCE /* _SC_PHYS_PAGES */
#include "stars/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pentacl/io/catalog.h>

#define RANDOM_FAINTEST 15.0 /* the paper's tests */

/* ---- by pixel ---- */

/* Whether the stars, their trails and what the device needs for them exceed the memory. */
static bool too_many(size_t stars)
{
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);

    return 12.0 * sizeof(double) * (double)stars > memory;
}

static bool make_random(const stars_request *r, size_t width, size_t height, stars_source *out, penta_io_error *err)
{
    size_t room = r->random + 1;

    out->all = out->n = r->random;
    if (too_many(out->n))
        return penta_io_fail(err, "%zu random stars do not fit into this machine's memory; draw fewer", out->n);
    out->x = malloc(room * sizeof *out->x);
    out->y = malloc(room * sizeof *out->y);
    out->mag = malloc(room * sizeof *out->mag);
    if (!out->x || !out->y || !out->mag)
        return penta_io_fail(err, "out of memory for %zu random stars", out->n);
    penta_stars_random((uint64_t)r->detector.seed, out->n, width, height,
                       isfinite(r->mag_limit) ? r->mag_limit : RANDOM_FAINTEST, out->x, out->y, out->mag);
    return true;
}

/* Leaves out the stars that are fainter than the limit. */
static void keep_bright(stars_source *s, double limit)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->n; i++) {
        if (s->mag[i] > limit)
            continue;
        s->x[kept] = s->x[i];
        s->y[kept] = s->y[i];
        s->mag[kept] = s->mag[i];
        if (s->motion_x) {
            s->motion_x[kept] = s->motion_x[i];
            s->motion_y[kept] = s->motion_y[i];
        }
        s->ids.kind[kept] = s->ids.kind[i];
        s->ids.value[kept++] = s->ids.value[i];
    }
    s->n = s->ids.n = kept;
}

static void take_list(penta_io_star_list *list, stars_source *out)
{
    out->n = list->n;
    out->x = list->x;
    out->y = list->y;
    out->mag = list->mag;
    out->motion_x = list->motion_x;
    out->motion_y = list->motion_y;
    out->ids = list->ids;
}

static bool open_list(const stars_request *r, stars_source *out, penta_io_error *err)
{
    penta_io_star_list list;
    size_t n, columns;
    bool is_array;

    if (!penta_io_star_array_look(r->source_path, &is_array, &n, &columns, err))
        return false;
    out->n = n; /* of a table 0 */
    if (too_many(out->n))
        return penta_io_fail(err, "%s: %zu stars do not fit into this machine's memory", r->source_path, out->n);
    if (!penta_io_star_list_read(r->source_path, &list, err))
        return false;
    take_list(&list, out);
    if (isfinite(r->mag_limit))
        keep_bright(out, r->mag_limit);
    out->all = out->n;
    return true;
}

/* ---- on the sky ---- */

static bool keep_places(const penta_io_catalog *c, stars_source *out, penta_io_error *err)
{
    size_t bytes = c->n * sizeof *c->ra;

    out->ra_catalog = malloc(bytes + 1);
    out->dec_catalog = malloc(bytes + 1);
    if (!out->ra_catalog || !out->dec_catalog)
        return penta_io_fail(err, "out of memory for the places of %zu stars", c->n);
    memcpy(out->ra_catalog, c->ra, bytes);
    memcpy(out->dec_catalog, c->dec, bytes);
    return true;
}

/* To the epoch, as seen from the moving Earth where that is asked for. */
static bool move(const stars_request *r, penta_io_catalog *c, penta_io_error *err)
{
    return !r->at_epoch ||
           penta_sky_at_epoch(c->n, c->ra, c->dec, c->pmra, c->pmdec, c->origin.epoch, r->epoch, r->aberration, c->ra,
                              c->dec) == PENTA_OK ||
           stars_refused(NULL, err);
}

static bool open_catalog(const stars_request *r, stars_source *out, penta_io_error *err)
{
    const penta_io_catalog_options options = {.mag_limit = r->mag_limit, .ra_unit = r->ra_unit};
    penta_io_catalog c;
    bool ok = penta_io_catalog_read(r->source_path, &options, &c, err);

    if (!ok)
        return false;
    out->built_in = !r->source_path;
    out->moves = r->at_epoch && c.moving > 0;
    out->by_guess = out->moves && !c.origin.epoch_stated && isnan(r->catalog_epoch);
    c.origin.epoch = isnan(r->catalog_epoch) ? c.origin.epoch : r->catalog_epoch;
    ok = (!r->truth || !r->at_epoch || keep_places(&c, out, err)) && move(r, &c, err);
    if (ok && c.n == 0 && c.faint == 0)
        ok = penta_io_fail(err, "%s: no row has a position and a magnitude", r->source_path);
    if (ok && penta_sky_index_create(c.n, c.ra, c.dec, &out->index) != PENTA_OK)
        ok = stars_refused(NULL, err);
    if (ok && c.incomplete > 0)
        snprintf(out->note, sizeof out->note, "left out %zu rows of the catalogue without a position or a magnitude",
                 c.incomplete);
    if (ok) {
        out->n = out->all = c.n;
        out->origin = c.origin;
        out->ra = c.ra;
        out->dec = c.dec;
        out->mag = c.mag;
        out->ids = c.ids;
        c.ra = c.dec = c.mag = NULL;
        c.ids = (penta_io_star_ids){0};
    }
    penta_io_catalog_free(&c);
    return ok;
}

bool stars_source_open(const stars_request *r, size_t width, size_t height, stars_source *out, penta_io_error *err)
{
    bool ok;

    *out = (stars_source){0};
    ok = r->source == STARS_FROM_RANDOM ? make_random(r, width, height, out, err)
         : r->source == STARS_FROM_LIST ? open_list(r, out, err)
                                        : open_catalog(r, out, err);
    if (!ok)
        stars_source_close(out);
    return ok;
}

int stars_source_variable(const stars_source *source, size_t i)
{
    return source->built_in ? penta_io_star_variable_find(source->ids.value[i]) : -1;
}

void stars_source_close(stars_source *source)
{
    penta_sky_index_destroy(source->index);
    penta_io_star_ids_free(&source->ids);
    free(source->mag);
    free(source->x);
    free(source->y);
    free(source->motion_x);
    free(source->motion_y);
    free(source->ra);
    free(source->ra_catalog);
    free(source->dec_catalog);
    free(source->dec);
    *source = (stars_source){0};
}
