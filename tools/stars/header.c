#include "stars/header.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/image.h>

enum { MOST_CARDS = 64, KEY = 9, TEXT = 64 };

typedef struct {
    penta_io_card cards[MOST_CARDS];
    char keys[MOST_CARDS][KEY], texts[MOST_CARDS][TEXT], comments[MOST_CARDS][TEXT];
    size_t n;
} card_list;

/* ---- options ---- */

/* "full_well" is the key FULLWELL; the comment is the flag. */
static void name_card(card_list *list, const penta_option *row)
{
    char *key = list->keys[list->n], *comment = list->comments[list->n];
    size_t length = 0;

    for (const char *p = row->name; *p && length + 1 < KEY; p++)
        if (*p != '_')
            key[length++] = (char)(*p >= 'a' && *p <= 'z' ? *p - 32 : *p);
    key[length] = 0;
    snprintf(comment, TEXT, "%s%s%s--%s", *row->unit ? "[" : "", row->unit, *row->unit ? "] " : "", row->name);
    for (char *p = comment; *p; p++)
        if (*p == '_')
            *p = '-';
}

static void add_option(card_list *list, const penta_option *row, const void *options)
{
    const void *field = (const char *)options + row->offset;
    char *text = list->texts[list->n];
    penta_io_card card = {.key = list->keys[list->n], .comment = list->comments[list->n]};

    if (list->n == MOST_CARDS)
        return;
    if (row->type == PENTA_OPTION_CHOICE) {
        penta_option_choice(row, (size_t) * (const int *)field, text, TEXT);
        card.text = text;
    } else if (row->type == PENTA_OPTION_REAL) {
        card.kind = PENTA_IO_CARD_REAL;
        card.real = *(const double *)field;
    } else if (row->type == PENTA_OPTION_INT) {
        card.kind = PENTA_IO_CARD_INTEGER;
        card.integer = *(const int *)field;
    } else {
        return;
    }
    name_card(list, row);
    list->cards[list->n++] = card;
}

static void add_options(card_list *list, const penta_option *table, const void *options)
{
    for (const penta_option *row = table; row->type != PENTA_OPTION_END; row++)
        add_option(list, row, options);
}

static void add(card_list *list, penta_io_card card)
{
    if (list->n < MOST_CARDS)
        list->cards[list->n++] = card;
}

static void add_cards(const stars_run *run, const stars_shot *shot, card_list *list)
{
    const stars_request *r = &run->request;
    char *creator = list->texts[0];

    snprintf(creator, TEXT, "pentacl %s", penta_version());
    add(list, (penta_io_card){.key = "CREATOR", .text = creator, .comment = "penta stars"});
    add_options(list, penta_stars_option_table(), &r->stars);
    add(list, (penta_io_card){.key = "ENGINE", .text = shot->engine, .comment = "that drew the stars"});
    add(list, (penta_io_card){.key = "ROI",
                              .kind = PENTA_IO_CARD_INTEGER,
                              .integer = penta_stars_roi(run->plan),
                              .comment = "[px] --roi"});
    if (r->noise)
        add_options(list, penta_detector_option_table(), &r->detector);
    if (r->source == STARS_FROM_RANDOM)
        add(list, (penta_io_card){
                      .key = "SEED", .kind = PENTA_IO_CARD_INTEGER, .integer = r->detector.seed, .comment = "--seed"});
    if (r->in_photons)
        add(list,
            (penta_io_card){
                .key = "ZEROPNT", .kind = PENTA_IO_CARD_REAL, .real = r->zero_point, .comment = "[mag] --zero-point"});
    if (r->at_epoch)
        add(list,
            (penta_io_card){.key = "EPOCHPM", .kind = PENTA_IO_CARD_REAL, .real = r->epoch, .comment = "[yr] --epoch"});
    if (run->request.pointing == STARS_POINTS_TRACK) {
        add(list, (penta_io_card){.key = "FRAMENO",
                                  .kind = PENTA_IO_CARD_INTEGER,
                                  .integer = (int64_t)shot->number,
                                  .comment = "of the track, from 0"});
        if (run->track.time)
            add(list, (penta_io_card){.key = "FRAMETIM",
                                      .kind = PENTA_IO_CARD_REAL,
                                      .real = run->track.time[shot->number],
                                      .comment = "time in the track"});
    }
    add(list,
        (penta_io_card){
            .key = "NSTARS", .kind = PENTA_IO_CARD_INTEGER, .integer = (int64_t)shot->drawn, .comment = "stars drawn"});
}

/* ---- coordinates ---- */

bool stars_header_fit(const stars_optics *optics, stars_coordinates *out)
{
    penta_sip_residual residual;

    *out = (stars_coordinates){0};
    out->there = penta_sky_fit_sip_within(&optics->view, STARS_HEADER_ERROR, &out->wcs, &residual) == PENTA_OK;
    out->error = out->there ? fmax(residual.forward, residual.inverse) : INFINITY;
    return out->there;
}

/* The view of the frame with the polynomials of the run. */
static bool find_wcs(const stars_run *run, const stars_shot *shot, penta_io_fits_wcs_cards *out)
{
    penta_wcs linear;

    if (!shot->on_sky || !run->coordinates.there || penta_sky_linear_wcs(&shot->view, &linear) != PENTA_OK)
        return false;
    *out = (penta_io_fits_wcs_cards){.wcs = run->coordinates.wcs, .fk5 = run->optics.fk5};
    memcpy(out->wcs.crval, linear.crval, sizeof linear.crval);
    memcpy(out->wcs.crpix, linear.crpix, sizeof linear.crpix);
    memcpy(out->wcs.cd, linear.cd, sizeof linear.cd);
    return true;
}

bool stars_header_write(const stars_run *run, const stars_shot *shot, const penta_io_image *pixels, const char *path,
                        penta_io_error *err)
{
    const stars_request *r = &run->request;
    bool timed = r->noise || r->in_photons || r->turning || r->pointing == STARS_POINTS_MOVING;
    penta_io_metadata meta = {.exposure = timed ? r->detector.exposure : 0,
                              .unit = r->noise        ? "adu"
                                      : r->in_photons ? "photon"
                                                      : "count"};
    penta_io_fits_wcs_cards wcs;
    card_list *list = calloc(1, sizeof *list);
    bool ok;

    if (!list)
        return penta_io_fail(err, "%s: out of memory for its header", path);
    add_cards(run, shot, list);
    meta.cards = list->cards;
    meta.card_count = list->n;
    meta.wcs = find_wcs(run, shot, &wcs) ? &wcs : NULL;
    ok = penta_io_image_write(path, pixels, &meta, err);
    free(list);
    return ok;
}
