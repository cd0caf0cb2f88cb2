/* The header of a FITS file to be written. cfitsio formats the cards; it does not handle the pixels. */
#ifdef PENTA_HAVE_FITS

#include <pentacl/numbers.h>
#include "io/fits_hdu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TEXT 68u /* characters of a string in one card */

/* A header under construction. The first failure is kept. */
typedef struct {
    const char *path;
    fitsfile *file; /* in memory; its image is never written */
    int status;     /* cfitsio's status */
    bool failed;    /* err is set here, not by cfitsio */
    penta_io_error *err;
} header;

static bool is_broken(const header *h)
{
    return h->failed || h->status != 0;
}

/* ---- one card ---- */

/* The fewest digits, at least 15, that read back as the same number; negative, which for cfitsio means significant
 * digits. */
static int digits_of(double value)
{
    char text[64];
    int digits = 15;

    for (; digits < 17; digits++) {
        penta_snprintf(text, sizeof text, "%.*G", digits, value);
        if (penta_strtod(text, NULL) == value)
            break;
    }
    return -digits;
}

static void put_real(header *h, const char *key, double value, const char *comment)
{
    if (is_broken(h))
        return;
    if (isfinite(value))
        fits_update_key_dbl(h->file, key, value, digits_of(value), comment, &h->status);
    else
        h->failed = !penta_io_fail(h->err, "%s: %s would be %g, and a FITS header holds finite numbers only", h->path,
                                   key, value);
}

static void put_integer(header *h, const char *key, int64_t value, const char *comment)
{
    if (!is_broken(h))
        fits_update_key_lng(h->file, key, value, comment, &h->status);
}

static bool is_printable(const char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            return false;
    return true;
}

static void put_text(header *h, const char *key, const char *text, const char *comment)
{
    size_t length = strlen(text);

    if (is_broken(h))
        return;
    for (const char *at = text; *at; at++)
        length += *at == '\'';
    if (!is_printable(text))
        h->failed = !penta_io_fail(
            h->err, "%s: the text of %s has characters that a FITS header cannot hold; use plain ASCII", h->path, key);
    else if (length > MAX_TEXT)
        h->failed =
            !penta_io_fail(h->err, "%s: the text of %s has %zu characters, but a FITS card holds %u; shorten it",
                           h->path, key, length, MAX_TEXT);
    else
        fits_update_key_str(h->file, key, text, comment, &h->status);
}

/* ---- coordinates ---- */

static void put_pair(header *h, const char *name, const double value[2], const char *comment)
{
    for (int i = 0; i < 2; i++) {
        char key[32];

        snprintf(key, sizeof key, "%s%d", name, i + 1);
        put_real(h, key, value[i], comment);
    }
}

static void put_polynomial(header *h, const char *name, int order,
                           const double c[PENTA_SIP_ORDER + 1][PENTA_SIP_ORDER + 1])
{
    char key[32];

    snprintf(key, sizeof key, "%s_ORDER", name);
    put_integer(h, key, order, "polynomial order");
    for (int p = 0; p <= order; p++)
        for (int q = 0; q <= order - p; q++) {
            if (c[p][q] == 0)
                continue;
            snprintf(key, sizeof key, "%s_%d_%d", name, p, q);
            put_real(h, key, c[p][q], NULL);
        }
}

static bool orders_are_known(const penta_io_fits_wcs_cards *w)
{
    const int orders[] = {w->wcs.a_order, w->wcs.b_order, w->wcs.ap_order, w->wcs.bp_order};

    for (size_t i = 0; i < 4; i++)
        if (orders[i] < 0 || orders[i] > PENTA_SIP_ORDER)
            return false;
    return true;
}

static void put_wcs(header *h, const penta_io_fits_wcs_cards *w)
{
    bool sip = w->wcs.a_order != 0 || w->wcs.b_order != 0, inverse = w->wcs.ap_order != 0 || w->wcs.bp_order != 0;

    put_integer(h, "WCSAXES", 2, "celestial coordinates");
    put_text(h, "CTYPE1", sip ? "RA---TAN-SIP" : "RA---TAN", "right ascension, gnomonic projection");
    put_text(h, "CTYPE2", sip ? "DEC--TAN-SIP" : "DEC--TAN", "declination, gnomonic projection");
    put_text(h, "CUNIT1", "deg", NULL);
    put_text(h, "CUNIT2", "deg", NULL);
    put_pair(h, "CRVAL", w->wcs.crval, "at the reference pixel");
    put_pair(h, "CRPIX", w->wcs.crpix, "reference pixel, from 1");
    put_pair(h, "CD1_", w->wcs.cd[0], "degrees a pixel");
    put_pair(h, "CD2_", w->wcs.cd[1], "degrees a pixel");
    put_real(h, "LONPOLE", 180, "native longitude of the celestial pole");
    put_text(h, "RADESYS", w->fk5 ? "FK5" : "ICRS", NULL);
    if (w->fk5)
        put_real(h, "EQUINOX", 2000, NULL);
    if (!sip)
        return;
    if (!orders_are_known(w)) {
        h->failed =
            !penta_io_fail(h->err, "%s: SIP orders are 0 to %d; fit another distortion", h->path, PENTA_SIP_ORDER);
        return;
    }
    put_polynomial(h, "A", w->wcs.a_order, w->wcs.a);
    put_polynomial(h, "B", w->wcs.b_order, w->wcs.b);
    if (inverse) {
        put_polynomial(h, "AP", w->wcs.ap_order, w->wcs.ap);
        put_polynomial(h, "BP", w->wcs.bp_order, w->wcs.bp);
    }
}

/* ---- cards of the caller ---- */

/* Whether the name is that of a structural card, or makes another kind of card. */
static bool is_reserved(const char *key)
{
    static const char *const names[] = {"SIMPLE", "BITPIX",   "EXTEND", "BZERO",  "BSCALE",   "BLANK",   "END",
                                        "PCOUNT", "XTENSION", "GCOUNT", "GROUPS", "CONTINUE", "HIERARCH"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(key, names[i]) == 0)
            return true;
    return strncmp(key, "NAXIS", 5) == 0;
}

static bool is_card_name(const char *key)
{
    size_t length = strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");

    return length >= 1 && length <= 8 && key[length] == 0 && !is_reserved(key);
}

static void put_remark(header *h, const penta_io_card *card)
{
    if (card->kind != PENTA_IO_CARD_TEXT || !card->text || !is_printable(card->text))
        h->failed = !penta_io_fail(h->err, "%s: %s in a FITS header holds a text of plain ASCII", h->path, card->key);
    else if (strcmp(card->key, "COMMENT") == 0)
        fits_write_comment(h->file, card->text, &h->status);
    else
        fits_write_history(h->file, card->text, &h->status);
}

static void put_card(header *h, const penta_io_card *card)
{
    if (is_broken(h))
        return;
    if (!card->key || !is_card_name(card->key) || (card->comment && !is_printable(card->comment))) {
        h->failed =
            !penta_io_fail(h->err,
                           "%s: '%s' cannot be a card of the header: a name is up to 8 of A-Z, 0-9, - and _, not one "
                           "of the file's structure, and a comment is plain ASCII",
                           h->path, card->key ? card->key : "");
        return;
    }
    if (strcmp(card->key, "COMMENT") == 0 || strcmp(card->key, "HISTORY") == 0)
        put_remark(h, card);
    else if (card->kind == PENTA_IO_CARD_REAL)
        put_real(h, card->key, card->real, card->comment);
    else if (card->kind == PENTA_IO_CARD_INTEGER)
        put_integer(h, card->key, card->integer, card->comment);
    else if (card->kind == PENTA_IO_CARD_TRUTH)
        fits_update_key_log(h->file, card->key, card->integer != 0, card->comment, &h->status);
    else
        put_text(h, card->key, card->text ? card->text : "", card->comment);
}

static void put_date(header *h, const char *date)
{
    char copy[32] = "";
    int status = 0;

    if (is_broken(h))
        return;
    snprintf(copy, sizeof copy, "%s", date);
    if (strlen(date) < 10 || strlen(date) >= sizeof copy ||
        fits_str2time(copy, NULL, NULL, NULL, NULL, NULL, NULL, &status) != 0)
        h->failed =
            !penta_io_fail(h->err, "%s: '%s' is not a date as FITS has it; write YYYY-MM-DDThh:mm:ss", h->path, date);
    put_text(h, "DATE-OBS", date, "UTC");
}

static void put_metadata(header *h, const penta_io_metadata *meta)
{
    if (meta->unit)
        put_text(h, "BUNIT", meta->unit, "unit of the pixels");
    if (meta->exposure != 0)
        put_real(h, "EXPTIME", meta->exposure, "[s] exposure time");
    if (meta->date_obs)
        put_date(h, meta->date_obs);
    if (meta->wcs)
        put_wcs(h, meta->wcs);
    for (size_t i = 0; i < meta->card_count; i++)
        put_card(h, &meta->cards[i]);
}

/* ---- the header ---- */

/* Returns the cards in whole blocks. Then makes the image empty, or closing would fill its memory with zeros. */
static char *take_text(header *h, size_t *bytes)
{
    char *cards = NULL;
    char *text = NULL;
    int count;
    int status = 0;

    fits_hdr2str(h->file, 0, NULL, 0, &cards, &count, &h->status);
    if (h->status == 0) {
        *bytes = (strlen(cards) + IO_FITS_BLOCK - 1) / IO_FITS_BLOCK * IO_FITS_BLOCK;
        text = malloc(*bytes);
    }
    if (text) {
        memset(text, ' ', *bytes);
        memcpy(text, cards, strlen(cards));
    } else if (h->status == 0) {
        h->failed = !penta_io_fail(h->err, "%s: out of memory", h->path);
    }
    if (cards)
        fits_free_memory(cards, &status);
    return text;
}

static char *make_header(header *h, const penta_io_image *image, const penta_io_metadata *meta, size_t *bytes)
{
    static const int types[] = {
        [PENTA_U8] = BYTE_IMG, [PENTA_U16] = USHORT_IMG, [PENTA_F32] = FLOAT_IMG, [PENTA_F64] = DOUBLE_IMG};
    LONGLONG size[2] = {(LONGLONG)image->width, (LONGLONG)image->height};
    char *text = NULL;

    fits_create_imgll(h->file, types[image->type], 2, size, &h->status);
    if (h->status == 0 && meta)
        put_metadata(h, meta);
    if (!is_broken(h))
        text = take_text(h, bytes);
    return text;
}

char *io_fits_header(const char *path, const penta_io_image *image, const penta_io_metadata *meta, size_t *bytes,
                     penta_io_error *err)
{
    header h = {.path = path, .err = err};
    void *memory = NULL;
    size_t memory_bytes = 0;
    char *text = NULL;
    int status = 0;

    io_fits_lock();
    fits_create_memfile(&h.file, &memory, &memory_bytes, 64 * IO_FITS_BLOCK, realloc, &h.status);
    if (h.status == 0) {
        text = make_header(&h, image, meta, bytes);
        fits_update_key_lng(h.file, "NAXIS1", 0, NULL, &status);
        fits_close_file(h.file, &status);
    }
    if (h.status != 0) {
        char reason[FLEN_STATUS] = "";

        fits_get_errstatus(h.status, reason);
        penta_io_fail(err, "%s: its FITS header cannot be made: %s", path, reason);
    }
    io_fits_unlock();
    free(memory);
    return text;
}

#endif
