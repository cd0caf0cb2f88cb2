/*
 * Catalogues as CSV tables with named columns. The tables below list the names of each quantity's column (case is
 * ignored), and the unit and epoch of known catalogues. A row with a missing position or magnitude has no star; a
 * missing proper motion is 0. All these catalogues give pmRA with its cos(dec); tables in seconds of time do not.
 */
#include "io/catalog_format.h"
#include "io/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- names of columns ---- */

enum { RA, DEC, MAG, PMRA, PMDEC, EPOCH, QUANTITIES };

/* The first name that the file has is used. Right ascensions and declinations of one origin are in the same order. */
static const struct {
    const char *what;
    const char *names[20]; /* up to a NULL */
} quantities[QUANTITIES] = {
    [RA] = {"the right ascension",
            {"ra", "ra_deg", "radeg", "ra_icrs", "raicrs", "ra(icrs)", "_ra.icrs", "_ra_icrs", "ramdeg", "raj2000",
             "_raj2000", "ra_j2000", "raj2000deg", "_ra", "rahms"}},
    [DEC] = {"the declination",
             {"dec", "dec_deg", "decdeg", "dedeg", "de_icrs", "dec_icrs", "deicrs", "de(icrs)", "_de.icrs", "_de_icrs",
              "demdeg", "dej2000", "decj2000", "_dej2000", "dec_j2000", "de", "_de", "dedms"}},
    [MAG] = {"the magnitude",
             {"mag", "magnitude", "vmag", "v_mag", "mag_v", "v", "vtmag", "vt", "hpmag", "phot_g_mean_mag", "gmag",
              "g"}},
    [PMRA] = {"the proper motion in right ascension", {"pmra", "pm_ra", "pmra_cosdec", "pm_ra_cosdec"}},
    [PMDEC] = {"the proper motion in declination", {"pmdec", "pmde", "pm_dec", "pm_de"}},
    [EPOCH] = {"the epoch", {"ref_epoch", "epoch"}},
};

/* Known catalogues, recognised by their columns: the first entry whose marks and coordinates are all present is used. A
 * column for the epoch overrides the epoch here. The last entry is for all other tables, with the names above. With
 * unit AUTO the values decide (catalog_units.c). */
typedef struct {
    const char *format;
    const char *marks[4];
    const char *ra, *dec;
    enum penta_io_ra_unit unit;
    double epoch;
} layout;

static const layout layouts[] = {
    {"HYG", {0}, "rarad", "decrad", PENTA_IO_RA_RAD, 2000},
    {"HYG", {"hip", "hr", "proper"}, "ra", "dec", PENTA_IO_RA_HOUR, 2000},
    {"HYG", {"hip", "hd", "hr", "propername"}, "ra", "dec", PENTA_IO_RA_HOUR, 2000},
    {"Tycho-2", {0}, "ramdeg", "demdeg", PENTA_IO_RA_DEG, 2000},
    {"Hipparcos", {"hip", "hpmag"}, "radeg", "dedeg", PENTA_IO_RA_DEG, 1991.25},
    {"Hipparcos", {0}, "raicrs", "deicrs", PENTA_IO_RA_DEG, 1991.25},
    {"Hipparcos", {0}, "rarad", "derad", PENTA_IO_RA_AUTO, 1991.25},
    {"Hipparcos", {"hip"}, "ra(icrs)", "de(icrs)", PENTA_IO_RA_DEG, 1991.25},
    {"Hipparcos", {"hip"}, "_ra.icrs", "_de.icrs", PENTA_IO_RA_DEG, 1991.25},
    {"Hipparcos", {"hip"}, "_ra_icrs", "_de_icrs", PENTA_IO_RA_DEG, 1991.25},
    {"Hipparcos", {"hip"}, "ra", "de", PENTA_IO_RA_AUTO, 1991.25},
    {"Hipparcos", {"hip"}, "rahms", "dedms", PENTA_IO_RA_AUTO, 1991.25},
    {"Gaia", {"phot_g_mean_mag"}, "ra", "dec", PENTA_IO_RA_DEG, 2016},
    {"Gaia", {"source_id"}, "ra", "dec", PENTA_IO_RA_DEG, 2016},
    {"Gaia", {"gmag"}, "ra_icrs", "de_icrs", PENTA_IO_RA_DEG, 2016},
    {"HYG", {"proper"}, "ra", "dec", PENTA_IO_RA_AUTO, 2000}, /* part of HYG, or a user's table in degrees */
    {"HYG", {"propername"}, "ra", "dec", PENTA_IO_RA_AUTO, 2000},
    {"HYG", {"absmag", "ci"}, "ra", "dec", PENTA_IO_RA_AUTO, 2000},
    {"HYG", {"absmag", "spect"}, "ra", "dec", PENTA_IO_RA_AUTO, 2000},
    {"HYG", {"absmag", "dist"}, "ra", "dec", PENTA_IO_RA_AUTO, 2000},
    {"CSV", {0}, NULL, NULL, PENTA_IO_RA_AUTO, 2000},
};

enum { LAYOUTS = sizeof layouts / sizeof *layouts };

/* Columns with names of stars: each row uses the first that is not empty. */
static const struct {
    const char *name;
    const char *format; /* used only in this format; NULL: in all */
    enum penta_io_star_id_kind kind;
} id_columns[] = {
    {"source_id", NULL, PENTA_IO_STAR_NUMBER},
    {"source", "Gaia", PENTA_IO_STAR_NUMBER},
    {"tyc", NULL, PENTA_IO_STAR_TEXT},
    {"hip", NULL, PENTA_IO_STAR_HIP},
    {"hr", NULL, PENTA_IO_STAR_HR},
    {"hd", NULL, PENTA_IO_STAR_HD},
    {"id", "HYG", PENTA_IO_STAR_HYG},
    {"starid", "HYG", PENTA_IO_STAR_HYG},
    {"id", NULL, PENTA_IO_STAR_TEXT},
    {"name", NULL, PENTA_IO_STAR_TEXT},
    {"designation", NULL, PENTA_IO_STAR_TEXT},
    {"main_id", NULL, PENTA_IO_STAR_TEXT},
};

enum { ID_COLUMNS = sizeof id_columns / sizeof *id_columns };

typedef struct {
    const char *path;
    const penta_io_table *csv;
    const layout *layout;
    int column[QUANTITIES]; /* -1: the file has none */
    int id[ID_COLUMNS];     /* -1: the file has none */
    enum penta_io_ra_unit unit;
    bool forced;  /* the user gave the unit */
    int tyc[3];   /* columns of Tycho's three numbers; -1 unless all are present */
    size_t first; /* row of the first star */
    double mag_limit;
    bool sexagesimal[2];   /* RA, DEC */
    double motion_unit[2]; /* of PMRA and PMDEC, by io_motion_unit */
} table;

/* ---- finding the columns ---- */

static void append_names(char *text, size_t size, int quantity)
{
    for (const char *const *name = quantities[quantity].names; *name; name++)
        io_append(text, size, "%s%s", name == quantities[quantity].names ? "" : ", ", *name);
}

static bool has(const penta_io_table *csv, const char *ra, const char *dec)
{
    return penta_io_table_column(csv, ra) >= 0 && penta_io_table_column(csv, dec) >= 0;
}

/* Whether the columns fit the layout. If the user says degrees or hours and there is a plain `ra`, HYG's radians are
 * not used. */
static bool fits(const layout *l, const table *t)
{
    for (size_t i = 0; i < sizeof l->marks / sizeof *l->marks && l->marks[i]; i++)
        if (penta_io_table_column(t->csv, l->marks[i]) < 0)
            return false;
    if (l->unit == PENTA_IO_RA_RAD && t->forced && t->unit != PENTA_IO_RA_RAD && has(t->csv, "ra", "dec"))
        return false;
    return !l->ra || has(t->csv, l->ra, l->dec);
}

/* Empty, or what programs write for no value: Gaia's archive null, others nan. */
static bool is_missing(const char *text)
{
    static const char *const words[] = {"null", "nan", "na", "n/a", "--"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return !*text;
}

static const char *unit_of(const table *t, int column)
{
    const char *text = t->first > 0 && column >= 0 ? penta_io_table_text(t->csv, 0, (size_t)column) : "";

    return text[strspn(text, "-")] ? text : "";
}

/* Whether a column is sexagesimal, by its first value. */
static bool is_sexagesimal(const table *t, int column)
{
    const char *name = penta_io_table_name(t->csv, (size_t)column);
    size_t row = t->first;
    double value;
    penta_io_error ignored;

    while (row < penta_io_table_rows(t->csv) && is_missing(penta_io_table_text(t->csv, row, (size_t)column)))
        row++;
    return strcasecmp(name, "rahms") == 0 || strcasecmp(name, "dedms") == 0 ||
           (io_parse_sexagesimal(penta_io_table_text(t->csv, row, (size_t)column), &value) &&
            !penta_io_table_number(t->csv, row, (size_t)column, &value, &ignored));
}

/* The first column with one of the names; of positions the first decimal one, where there is any. */
static int find_quantity(const table *t, int quantity)
{
    int first = -1;

    for (const char *const *name = quantities[quantity].names; *name; name++) {
        int found = penta_io_table_column(t->csv, *name);

        if (found >= 0 && (quantity > DEC || !is_sexagesimal(t, found)))
            return found;
        first = first < 0 ? found : first;
    }
    return first;
}

static bool columns_missing(const table *t, penta_io_error *err)
{
    char wanted[640] = "";
    char there[PENTA_IO_TABLE_NAMES_BYTES];

    for (int q = RA; q <= MAG; q++)
        if (t->column[q] < 0) {
            io_append(wanted, sizeof wanted, "%s%s (", *wanted ? " and for " : "", quantities[q].what);
            append_names(wanted, sizeof wanted, q);
            io_append(wanted, sizeof wanted, ")");
        }
    return penta_io_fail(err, "%s: has no column for %s; its columns are: %s", t->path, wanted,
                         penta_io_table_names(t->csv, there));
}

/* Checks that both proper motions or none are present: one alone is probably a misspelt name. */
static bool motion_is_whole(const table *t, penta_io_error *err)
{
    int has = t->column[PMRA] >= 0 ? PMRA : PMDEC;
    int lacks = has == PMRA ? PMDEC : PMRA;
    char names[128] = "";

    if ((t->column[PMRA] < 0) == (t->column[PMDEC] < 0))
        return true;
    append_names(names, sizeof names, lacks);
    return penta_io_fail(err, "%s: has a column for %s but none for %s (%s); rename one, or remove the other", t->path,
                         quantities[has].what, quantities[lacks].what, names);
}

static void find_ids(table *t)
{
    static const char *const tyc[3] = {"tyc1", "tyc2", "tyc3"};

    for (int i = 0; i < ID_COLUMNS; i++)
        t->id[i] = !id_columns[i].format || strcmp(id_columns[i].format, t->layout->format) == 0
                       ? penta_io_table_column(t->csv, id_columns[i].name)
                       : -1;
    for (int i = 0; i < 3; i++)
        t->tyc[i] = penta_io_table_column(t->csv, tyc[i]);
    if (t->tyc[0] < 0 || t->tyc[1] < 0 || t->tyc[2] < 0)
        t->tyc[0] = -1;
}

/* VizieR's tab-separated tables have a row of units and a row of dashes below the names. */
static size_t rows_of_units(const penta_io_table *csv)
{
    for (size_t i = 0; i < penta_io_table_columns(csv); i++) {
        const char *text = penta_io_table_text(csv, 1, i);

        if (!*text || text[strspn(text, "-")])
            return 0;
    }
    return 2;
}

static bool columns_are_unique(const table *t, penta_io_error *err)
{
    bool ok = true;

    for (int i = 0; ok && i < QUANTITIES; i++)
        ok = penta_io_table_unique(t->csv, t->column[i], err);
    for (int i = 0; ok && i < ID_COLUMNS; i++)
        ok = penta_io_table_unique(t->csv, t->id[i], err);
    for (int i = 0; ok && i < 3; i++)
        ok = penta_io_table_unique(t->csv, t->tyc[i], err);
    return ok;
}

/* Units of the other columns: what cannot be converted is refused. */
static bool read_units(table *t, penta_io_error *err)
{
    for (int q = DEC; q <= PMDEC; q++) {
        const char *unit = unit_of(t, t->column[q]);
        enum penta_io_ra_unit angle = io_stated_ra_unit(t->csv, t->column[q], t->first > 0 ? 0 : -1);
        double motion = *unit ? io_motion_unit(unit) : 1;

        if (q >= PMRA)
            t->motion_unit[q - PMRA] = motion;
        if (*unit && !(q == DEC ? t->sexagesimal[1] || angle == (t->unit == PENTA_IO_RA_RAD ? t->unit : PENTA_IO_RA_DEG)
                       : q == MAG ? strncasecmp(unit, "mag", 3) == 0
                                  : motion > 0 || (motion < 0 && q == PMRA)))
            return penta_io_fail(err, "%s: the unit '%.30s' of its column %s is not known; convert the column to %s",
                                 t->path, unit, penta_io_table_name(t->csv, (size_t)t->column[q]),
                                 q == DEC   ? "deg"
                                 : q == MAG ? "mag"
                                            : "mas/yr");
    }
    return true;
}

/* Lists columns that look like proper motions, where there are none of known names. */
static void find_motion_like(const table *t, penta_io_catalog_origin *origin)
{
    for (size_t i = 0; t->column[PMRA] < 0 && i < penta_io_table_columns(t->csv); i++)
        if (io_looks_like_motion(penta_io_table_name(t->csv, i)))
            io_append(origin->motion_like, sizeof origin->motion_like, "%s%s", *origin->motion_like ? ", " : "",
                      penta_io_table_name(t->csv, i));
}

/* Finds the unit, and the layout if it depends on the unit: a table in degrees is not HYG's. */
static bool find_unit(table *t, penta_io_catalog_origin *origin, penta_io_error *err)
{
    bool like_hyg = strcmp(t->layout->format, "HYG") == 0;
    size_t ra = (size_t)t->column[RA], dec = (size_t)t->column[DEC];
    const char *unit = unit_of(t, t->column[RA]);
    const int units = t->first > 0 ? 0 : -1;
    enum penta_io_ra_unit stated = io_stated_ra_unit(t->csv, t->column[RA], units);

    t->sexagesimal[0] = is_sexagesimal(t, t->column[RA]);
    t->sexagesimal[1] = is_sexagesimal(t, t->column[DEC]);
    if (*unit && stated == PENTA_IO_RA_AUTO && !t->sexagesimal[0] && !t->forced)
        return penta_io_fail(err, "%s: the unit '%.30s' of its column %s is not known; give the `ra_unit`", t->path,
                             unit, penta_io_table_name(t->csv, ra));
    if (t->forced && t->sexagesimal[0])
        return penta_io_fail(err, "%s: the column %s is sexagesimal; leave out `ra_unit`", t->path,
                             penta_io_table_name(t->csv, ra));
    if (!t->forced)
        t->unit = t->sexagesimal[0]            ? PENTA_IO_RA_SEXAGESIMAL
                  : stated != PENTA_IO_RA_AUTO ? stated
                  : t->layout->unit != PENTA_IO_RA_AUTO
                      ? t->layout->unit
                      : io_guess_ra_unit(t->csv, ra, dec, t->first, units, like_hyg, origin->unit_reason);
    if (like_hyg && t->layout->unit == PENTA_IO_RA_AUTO && t->unit == PENTA_IO_RA_DEG)
        t->layout = &layouts[LAYOUTS - 1];
    origin->ra_unit = io_ra_unit_name(t->unit);
    snprintf(origin->ra_column, sizeof origin->ra_column, "%s", penta_io_table_name(t->csv, ra));
    origin->format = t->layout->format;
    origin->epoch = t->layout->epoch;
    return true;
}

static bool find_columns(table *t, penta_io_catalog_origin *origin, penta_io_error *err)
{
    t->layout = layouts;
    t->first = rows_of_units(t->csv);
    while (!fits(t->layout, t))
        t->layout++;
    for (int q = 0; q < QUANTITIES; q++)
        t->column[q] = find_quantity(t, q);
    if (t->layout->ra) {
        t->column[RA] = penta_io_table_column(t->csv, t->layout->ra);
        t->column[DEC] = penta_io_table_column(t->csv, t->layout->dec);
    }
    if (t->column[RA] < 0 || t->column[DEC] < 0 || t->column[MAG] < 0)
        return columns_missing(t, err);
    if (!find_unit(t, origin, err) || !read_units(t, err))
        return false;
    find_ids(t);
    find_motion_like(t, origin);
    origin->epoch_stated = t->column[EPOCH] >= 0;
    return columns_are_unique(t, err) && motion_is_whole(t, err);
}

/* ---- rows ---- */

static const char *text_of(const table *t, size_t row, int quantity)
{
    return penta_io_table_text(t->csv, row, (size_t)t->column[quantity]);
}

static bool number_of(const table *t, size_t row, int quantity, double *out, penta_io_error *err)
{
    return penta_io_table_number(t->csv, row, (size_t)t->column[quantity], out, err);
}

/* The error for an impossible number: the place and "the declination '95' WHAT". */
static bool wrong_value(const table *t, size_t row, int quantity, const char *what, penta_io_error *err)
{
    return penta_io_table_fail(t->csv, row, (size_t)t->column[quantity], err, "%s '%.60s' %s",
                               quantities[quantity].what, text_of(t, row, quantity), what);
}

/* Reads an angle in the column's unit; hours for sexagesimal right ascensions. */
static bool read_angle(const table *t, size_t row, int quantity, double *out, penta_io_error *err)
{
    if (!t->sexagesimal[quantity])
        return number_of(t, row, quantity, out, err);
    return io_parse_sexagesimal(text_of(t, row, quantity), out) ||
           wrong_value(t, row, quantity, "is not sexagesimal, such as 05 55 10.3; correct it", err);
}

static bool read_position(const table *t, size_t row, io_star *star, penta_io_error *err)
{
    if (!read_angle(t, row, RA, &star->ra, err) || !read_angle(t, row, DEC, &star->dec, err))
        return false;
    star->ra *= io_ra_degrees(t->unit);
    star->dec *= t->sexagesimal[1] ? 1 : io_dec_degrees(t->unit);
    if (fabs(star->ra) > 360 * (1 + 1e-12)) /* allows for rounded radians */
        return wrong_value(t, row, RA,
                           t->unit == PENTA_IO_RA_DEG   ? "is outside -360 to 360 degrees; correct it, or the `ra_unit`"
                           : t->unit == PENTA_IO_RA_RAD ? "is outside 0 to 2 pi radians; correct it, or the `ra_unit`"
                                                        : "is outside 0 to 24 hours; correct it, or the `ra_unit`",
                           err);
    if (fabs(star->dec) > 90 * (1 + 1e-12))
        return wrong_value(t, row, DEC,
                           t->unit == PENTA_IO_RA_RAD ? "is outside -pi/2 to pi/2 radians; correct it, or the `ra_unit`"
                                                      : "is outside -90 to 90 degrees; correct it, or the `ra_unit`",
                           err);
    star->ra = fmin(fmax(star->ra, -360), 360);
    star->dec = fmin(fmax(star->dec, -90), 90);
    return true;
}

static bool read_motion(const table *t, size_t row, io_star *star, penta_io_error *err)
{
    double *const motion[2] = {&star->pmra, &star->pmdec};

    star->pmra = star->pmdec = 0;
    star->moves = false;
    for (int i = 0; t->column[PMRA] >= 0 && i < 2; i++) {
        if (is_missing(text_of(t, row, PMRA + i)))
            continue;
        if (!number_of(t, row, PMRA + i, motion[i], err))
            return false;
        star->moves = true;
        *motion[i] *= t->motion_unit[i];
    }
    if (t->motion_unit[0] < 0)
        star->pmra *= -cos(star->dec / DEGREES_PER_RADIAN);
    return true;
}

/* Reads the epoch of the first star, which all stars share; *known: already read. */
static bool read_epoch(const table *t, size_t row, double *epoch, bool *known, penta_io_error *err)
{
    double value;

    if (t->column[EPOCH] < 0)
        return true;
    if (!number_of(t, row, EPOCH, &value, err))
        return false;
    if (!(value >= 1000 && value <= 3000))
        return wrong_value(t, row, EPOCH, "is outside 1000 to 3000 Julian years; correct it", err);
    if (*known && value != *epoch)
        return wrong_value(t, row, EPOCH, "differs from that of the stars before; split the catalogue", err);
    *epoch = value;
    *known = true;
    return true;
}

/* Reads one of Tycho's three numbers, which some tables pad with zeros. */
static const char *tyc_part(const table *t, size_t row, int part)
{
    const char *text = penta_io_table_text(t->csv, row, (size_t)t->tyc[part]);

    while (*text == '0' && text[1])
        text++;
    return text;
}

static bool add_id(const table *t, size_t row, penta_io_star_ids *ids, penta_io_error *err)
{
    char tyc[64];
    bool ok;

    if (t->tyc[0] >= 0 && *tyc_part(t, row, 0)) {
        snprintf(tyc, sizeof tyc, "%.16s-%.16s-%.16s", tyc_part(t, row, 0), tyc_part(t, row, 1), tyc_part(t, row, 2));
        ok = io_star_ids_add_text(ids, PENTA_IO_STAR_TEXT, tyc);
        return ok || penta_io_fail(err, "%s: out of memory for the names of the stars", t->path);
    }
    for (int i = 0; i < ID_COLUMNS; i++) {
        const char *text = t->id[i] < 0 ? "" : penta_io_table_text(t->csv, row, (size_t)t->id[i]);

        if (is_missing(text))
            continue;
        ok = io_star_ids_add_text(ids, id_columns[i].kind, text);
        return ok || penta_io_fail(err, "%s: out of memory for the names of the stars", t->path);
    }
    io_star_ids_add(ids, PENTA_IO_STAR_NUMBER, row - t->first + 1);
    return true;
}

static bool read_row(const table *t, size_t row, penta_io_catalog *out, bool *epoch_known, penta_io_error *err)
{
    io_star star;

    if (is_missing(text_of(t, row, RA)) || is_missing(text_of(t, row, DEC)) || is_missing(text_of(t, row, MAG))) {
        out->incomplete++;
        return true;
    }
    if (!read_position(t, row, &star, err) || !number_of(t, row, MAG, &star.mag, err) ||
        !read_motion(t, row, &star, err) || !read_epoch(t, row, &out->origin.epoch, epoch_known, err))
        return false;
    if (star.mag < -20 && strcmp(t->layout->format, "HYG") == 0) { /* the Sun, at an arbitrary position */
        out->nonstellar++;
        return true;
    }
    return !io_catalog_add(out, &star, t->mag_limit) || add_id(t, row, &out->ids, err);
}

bool io_catalog_csv_read(const char *path, const penta_io_catalog_options *options, penta_io_catalog *out,
                         penta_io_error *err)
{
    penta_io_table *csv = NULL;
    table t = {.path = path,
               .mag_limit = options->mag_limit,
               .unit = options->ra_unit,
               .forced = options->ra_unit != PENTA_IO_RA_AUTO};
    bool epoch_known = false;
    bool ok = penta_io_table_open(path, PENTA_IO_TABLE_HEADER, &csv, err);

    t.csv = csv;
    ok = ok && find_columns(&t, &out->origin, err) && io_catalog_reserve(out, penta_io_table_rows(csv), path, err);
    for (size_t row = t.first; ok && row < penta_io_table_rows(csv); row++)
        ok = read_row(&t, row, out, &epoch_known, err);
    penta_io_table_close(csv);
    return ok;
}
