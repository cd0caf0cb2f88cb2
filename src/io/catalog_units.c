#include <pentacl/numbers.h>
#include "io/catalog_format.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define HOUR   15.0 /* deg */
#define TWO_PI 6.283185307179586477

const char *io_ra_unit_name(enum penta_io_ra_unit unit)
{
    static const char *const names[] = {"auto", "deg", "hour", "rad", "sexagesimal"};

    return names[unit];
}

double io_ra_degrees(enum penta_io_ra_unit unit)
{
    return unit == PENTA_IO_RA_HOUR || unit == PENTA_IO_RA_SEXAGESIMAL ? HOUR : io_dec_degrees(unit);
}

double io_dec_degrees(enum penta_io_ra_unit unit)
{
    return unit == PENTA_IO_RA_RAD ? DEGREES_PER_RADIAN : 1;
}

/* ---- evidence ---- */

/* A catalogue of MANY stars over the whole sky with no right ascension above 24 is in hours: in degrees it would cover
 * a fifteenth of the sky. */
enum { MANY = 30 };
#define WIDE_RA  20.0
#define WIDE_DEC 60.0

typedef struct {
    size_t n;
    double least_ra, most_ra, least_dec, most_dec;
} extent;

/* Finds the range of coordinates. Skips fields that are not numbers; reading the rows reports them. */
static extent extent_of(const penta_io_table *csv, size_t ra, size_t dec, size_t first)
{
    extent e = {0, INFINITY, -INFINITY, INFINITY, -INFINITY};
    penta_io_error ignored;

    for (size_t row = first; row < penta_io_table_rows(csv); row++) {
        double x, y;

        if (!*penta_io_table_text(csv, row, ra) || !*penta_io_table_text(csv, row, dec) ||
            !penta_io_table_number(csv, row, ra, &x, &ignored) || !penta_io_table_number(csv, row, dec, &y, &ignored))
            continue;
        e.n++;
        e.least_ra = fmin(e.least_ra, x);
        e.most_ra = fmax(e.most_ra, x);
        e.least_dec = fmin(e.least_dec, y);
        e.most_dec = fmax(e.most_dec, y);
    }
    return e;
}

static enum penta_io_ra_unit radians_or_degrees(const extent *e, char reason[UNIT_REASON_BYTES])
{
    const double most = TWO_PI * (1 + 1e-12);

    if (e->n > 0 && (e->most_ra > most || e->least_ra < -most || e->most_dec > most / 4 || e->least_dec < -most / 4))
        return PENTA_IO_RA_DEG;
    snprintf(reason, UNIT_REASON_BYTES, "no value in its column RArad is above 2 pi");
    return PENTA_IO_RA_RAD;
}

static enum penta_io_ra_unit hours_or_degrees(const extent *e, bool like_hyg, char reason[UNIT_REASON_BYTES])
{
    if (e->n == 0 || e->most_ra > 24 || e->least_ra < 0)
        return PENTA_IO_RA_DEG;
    if (like_hyg) {
        snprintf(reason, UNIT_REASON_BYTES, "no value in its column ra is above 24, and other columns are HYG's");
        return PENTA_IO_RA_HOUR;
    }
    if (e->n >= MANY && e->most_ra - e->least_ra > WIDE_RA && e->most_dec - e->least_dec > WIDE_DEC) {
        penta_snprintf(reason, UNIT_REASON_BYTES,
                       "none of the %zu values in its column ra is above 24, while dec goes from %.0f to %.0f", e->n,
                       e->least_dec, e->most_dec);
        return PENTA_IO_RA_HOUR;
    }
    snprintf(reason, UNIT_REASON_BYTES, "the values in its column ra, all from 0 to 24, leave the unit open");
    return PENTA_IO_RA_DEG;
}

enum penta_io_ra_unit io_stated_ra_unit(const penta_io_table *csv, int column, int units_row)
{
    static const struct {
        const char *text;
        enum penta_io_ra_unit unit;
    } units[] = {{"deg", PENTA_IO_RA_DEG},   {"degree", PENTA_IO_RA_DEG}, {"h", PENTA_IO_RA_HOUR},
                 {"hour", PENTA_IO_RA_HOUR}, {"hr", PENTA_IO_RA_HOUR},    {"rad", PENTA_IO_RA_RAD}};

    for (size_t i = 0; units_row >= 0 && i < sizeof units / sizeof *units; i++)
        if (strcasecmp(penta_io_table_text(csv, (size_t)units_row, (size_t)column), units[i].text) == 0)
            return units[i].unit;
    return PENTA_IO_RA_AUTO;
}

enum penta_io_ra_unit io_guess_ra_unit(const penta_io_table *csv, size_t ra, size_t dec, size_t first, int units_row,
                                       bool like_hyg, char reason[UNIT_REASON_BYTES])
{
    const char *name = penta_io_table_name(csv, ra);
    enum penta_io_ra_unit stated = io_stated_ra_unit(csv, (int)ra, units_row);
    extent e;

    *reason = 0;
    if (strcasecmp(name, "rahms") == 0)
        return PENTA_IO_RA_SEXAGESIMAL;
    if (stated != PENTA_IO_RA_AUTO)
        return stated;
    if (strcasecmp(name, "ra") != 0 && strcasecmp(name, "ra_j2000") != 0 && strcasecmp(name, "rarad") != 0)
        return PENTA_IO_RA_DEG; /* the name says degrees, or VizieR uses it for degrees */
    e = extent_of(csv, ra, dec, first);
    return strcasecmp(name, "rarad") == 0 ? radians_or_degrees(&e, reason) : hours_or_degrees(&e, like_hyg, reason);
}

/* ---- proper motions ---- */

double io_motion_unit(const char *text)
{
    static const struct {
        const char *text;
        double mas; /* negative: of time */
    } angles[] = {{"mas", 1},   {"uas", 1e-3},   {"arcsec", 1e3}, {"as", 1e3},
                  {"\"", 1e3},  {"arcmin", 6e4}, {"deg", 3.6e6},  {"rad", DEGREES_PER_RADIAN * 3.6e6},
                  {"s", -15e3}, {"ms", -15}};
    static const struct {
        const char *text;
        double years;
    } times[] = {{"yr", 1},        {"year", 1},       {"a", 1},           {"ha", 100},
                 {"century", 100}, {"d", 1 / 365.25}, {"day", 1 / 365.25}};
    char *rest = NULL, unit[32] = "", wanted[32];
    double factor = strspn(text, "0123456789.") > 0 ? penta_strtod(text, &rest) : 1;

    for (const char *c = rest ? rest : text; *c && strlen(unit) + 1 < sizeof unit; c++)
        if (!strchr(" .*^(){}", *c))
            unit[strlen(unit)] = *c;
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++)
        for (size_t k = 0; k < 2 * sizeof times / sizeof *times; k++) {
            snprintf(wanted, sizeof wanted, k % 2 ? "%s%s-1" : "%s/%s", angles[i].text, times[k / 2].text);
            if (strcasecmp(unit, wanted) == 0)
                return factor * angles[i].mas / times[k / 2].years;
        }
    return 0;
}

bool io_looks_like_motion(const char *name)
{
    static const char *const parts[] = {"pmra", "pmde", "pmalpha", "pmlon",   "pmlat",        "rapm",   "decpm",
                                        "depm", "mura", "mude",    "mualpha", "propermotion", "propmot"};
    char letters[64] = "";

    for (const char *c = name; *c && strlen(letters) + 1 < sizeof letters; c++)
        if ((*c | 32) >= 'a' && (*c | 32) <= 'z')
            letters[strlen(letters)] = (char)(*c | 32);
    if (strncasecmp(name, "e_", 2) == 0 || strstr(letters, "err") || strstr(letters, "sig"))
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(letters, parts[i]))
            return true;
    return strcmp(letters, "pm") == 0 ||
           (strlen(letters) == 3 && (strncmp(letters, "pm", 2) == 0 || strncmp(letters, "mu", 2) == 0));
}

/* ---- sexagesimal ---- */

bool io_parse_sexagesimal(const char *text, double *out)
{
    bool negative = *text == '-', whole = true;
    double parts[3] = {0, 0, 0};
    int n = 0;

    text += *text == '-' || *text == '+';
    while (n < 3 && whole) {
        size_t length = strspn(text, "0123456789.");
        char number[32], *end;

        if (length == 0 || length >= sizeof number)
            break;
        memcpy(number, text, length);
        number[length] = 0;
        parts[n++] = penta_strtod(number, &end);
        if (*end || end == number)
            return false;
        whole = strchr(number, '.') == NULL;
        text += length;
        text += strspn(text, " :hdms'\"");
    }
    *out = parts[0] + (parts[1] + parts[2] / 60) / 60;
    *out = negative ? -*out : *out;
    return n >= 2 && *text == 0 && parts[1] < 60 && parts[2] <= 60; /* some tables round up to 60 s */
}
