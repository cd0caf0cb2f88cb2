/* Recipes as JSON, driven by the option tables. */
#include <pentacl/io/recipe.h>
#include <pentacl/numbers.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/input.h"

#include "io/json.h"

enum { KEY_MOST = 63 /* longest key, in bytes, for which the nearest name is searched */ };

static const penta_option file_table[] = {
    PENTA_TEXT_OPTION(penta_io_recipe_files, dark, 0, "IMAGE", "dark frame, taken off first"),
    PENTA_TEXT_OPTION(penta_io_recipe_files, flat, 0, "IMAGE", "flat frame, by which frames are divided"),
    PENTA_CHOICE_OPTION(penta_io_recipe_files, format, 0, "png,tiff,npy,fits,fits.gz",
                        "of the frames written; float frames need one of the latter three"),
    PENTA_OPTIONS_END};

const penta_option *penta_io_recipe_file_table(void)
{
    return file_table;
}

/* ---- keys ---- */

/* Finds the row of this name and its table; NULL: not found. */
static const penta_option *find_row(const penta_io_recipe_table *tables, const char *key,
                                    const penta_io_recipe_table **table)
{
    for (const penta_io_recipe_table *t = tables; t->rows; t++)
        for (const penta_option *row = t->rows; row->type != PENTA_OPTION_END; row++)
            if (strcmp(row->name, key) == 0) {
                *table = t;
                return row;
            }
    return NULL;
}

/* Levenshtein distance: number of insertions, deletions and changes of letters that turn a into b. */
static size_t distance(const char *a, const char *b)
{
    size_t row[KEY_MOST + 1], n = strnlen(b, KEY_MOST);

    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 0; i < KEY_MOST && a[i]; i++) {
        size_t diagonal = row[0];

        row[0] = i + 1;
        for (size_t j = 0; j < n; j++) {
            size_t change = diagonal + (a[i] != b[j]), other = 1 + (row[j] < row[j + 1] ? row[j] : row[j + 1]);

            diagonal = row[j + 1];
            row[j + 1] = change < other ? change : other;
        }
    }
    return row[n];
}

/* The nearest key; NULL: none is near enough for a typing error, about a third of its letters. */
static const char *nearest_key(const penta_io_recipe_table *tables, const char *key)
{
    const char *nearest = NULL;
    size_t least = (strnlen(key, KEY_MOST) + 2) / 3 + 1;

    for (const penta_io_recipe_table *t = tables; t->rows; t++)
        for (const penta_option *row = t->rows; row->type != PENTA_OPTION_END; row++)
            if (distance(key, row->name) < least) {
                least = distance(key, row->name);
                nearest = row->name;
            }
    return nearest;
}

/* Whether the names are equal, with - and _ the same. */
static bool same_key(const char *key, const char *name)
{
    while (*key && (*key == *name || (*key == '-' && *name == '_'))) {
        key++;
        name++;
    }
    return !*key && !*name;
}

/* Whether the command has such an option outside its recipe. */
static bool is_of_command(const char *key)
{
    static const char *const names[] = {"recipe",     "print_recipe", "watch",   "interval", "watch_every",
                                        "watch_idle", "keep_going",   "output",  "device",   "no_sheet",
                                        "json",       "quiet",        "verbose", "profile",  "help"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (same_key(key, names[i]))
            return true;
    return false;
}

static bool unknown_key(const char *path, const penta_io_recipe_table *tables, const char *key, penta_io_error *err)
{
    const char *nearest = nearest_key(tables, key);

    if (is_of_command(key))
        return penta_io_fail(err, "%s: '%.60s' is an option of the command, not of a recipe", path, key);
    if (nearest)
        return penta_io_fail(err, "%s: there is no option '%.60s'; the nearest is %s", path, key, nearest);
    return penta_io_fail(
        err, "%s: there is no option '%.60s'; penta prepare --print-recipe prints those that there are", path, key);
}

/* ---- reading ---- */

static bool read_text(const penta_option *row, void *values, const json_t *value)
{
    const char **field = (const char **)((char *)values + row->offset);

    if (!json_is_string(value) && !json_is_null(value))
        return false;
    *field = json_string_value(value); /* NULL for null */
    return true;
}

static bool read_flag(const penta_option *row, void *values, const json_t *value)
{
    if (!json_is_boolean(value))
        return false;
    *(bool *)((char *)values + row->offset) = json_is_true(value);
    return true;
}

static const char *wanted(penta_option_type type)
{
    switch (type) {
    case PENTA_OPTION_INT:
        return "a whole number";
    case PENTA_OPTION_REAL:
        return "a number";
    case PENTA_OPTION_FLAG:
        return "true or false";
    case PENTA_OPTION_CHOICE:
        return "a name in quotes";
    default:
        return "text in quotes, or null";
    }
}

/* The error for a value of the wrong type, quoted as in the file. */
static bool wrong_type(const char *path, const penta_option *row, const json_t *value, penta_io_error *err)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));

    penta_io_fail(err, "%s: %s needs %s, not %.60s%s", path, row->name, wanted(row->type), text ? text : "this",
                  text && strlen(text) > 60 ? "..." : "");
    free(text);
    return false;
}

/* Replaces the option at the beginning of the message, `max_drift` or --max-drift, by the key. */
static bool by_key(const char *path, const penta_option *row, const char *message, penta_io_error *err)
{
    size_t mark = strspn(message, "-`"), name = strlen(row->name);

    return penta_io_fail(err, "%s: %s%s", path, row->name, message + mark + name + (message[mark + name] == '`'));
}

/* Parses numbers and choices like the text of a flag, so that ranges and names are the same. */
static bool read_by_text(const char *path, const penta_option *row, void *values, const json_t *value,
                         penta_io_error *err)
{
    bool number = row->type != PENTA_OPTION_CHOICE;
    char digits[64], message[512];
    const char *text = digits;

    if (number ? !json_is_number(value) : !json_is_string(value))
        return wrong_type(path, row, value, err);
    if (json_is_integer(value))
        snprintf(digits, sizeof digits, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (number)
        penta_snprintf(digits, sizeof digits, "%.17g", json_real_value(value));
    else
        text = json_string_value(value);
    if (row->type == PENTA_OPTION_INT && json_number_value(value) != floor(json_number_value(value)))
        return wrong_type(path, row, value, err);
    if (penta_option_parse(row, values, text, message, sizeof message) == PENTA_OK)
        return true;
    return by_key(path, row, message, err);
}

/* Checks a text option. Texts of flags have been checked already, so an error is about this one. */
static bool check_text(const char *path, const penta_io_recipe_table *table, const penta_option *row,
                       penta_io_error *err)
{
    char message[256];

    if (table->rows != penta_prepare_option_table() ||
        penta_prepare_check(0, 0, 1, PENTA_U8, table->values, message, sizeof message) == PENTA_OK)
        return true;
    return by_key(path, row, message, err);
}

static bool read_member(const char *path, const penta_io_recipe_table *tables, const char *key, const json_t *value,
                        penta_io_error *err)
{
    const penta_io_recipe_table *table;
    const penta_option *row = find_row(tables, key, &table);

    if (!row)
        return unknown_key(path, tables, key, err);
    if (table->given && table->given[row - table->rows])
        return true; /* the flag overrides it */
    switch (row->type) {
    case PENTA_OPTION_TEXT:
        return read_text(row, table->values, value) ? check_text(path, table, row, err)
                                                    : wrong_type(path, row, value, err);
    case PENTA_OPTION_FLAG:
        return read_flag(row, table->values, value) || wrong_type(path, row, value, err);
    default:
        return read_by_text(path, row, table->values, value, err);
    }
}

static json_t *parse(const char *path, penta_io_error *err)
{
    const uint64_t most = 1 << 20; /* bytes */
    io_input in = {0};
    json_error_t error;
    json_t *root = NULL;
    char *text = NULL;

    if (!io_input_open(path, &in, err))
        return NULL;
    if (in.bytes > most)
        penta_io_fail(err, "%s: is no recipe: it has over a million bytes", path);
    else if (!(text = malloc((size_t)in.bytes)))
        penta_io_fail(err, "%s: out of memory for it", path);
    else if (!io_input_read(&in, 0, text, (size_t)in.bytes))
        penta_io_fail(err, "%s: cannot be read; check the disk or the network", path);
    else if (!(root = json_loadb(text, (size_t)in.bytes, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error)))
        penta_io_fail(err, "%s: is no JSON (line %d: %s)", path, error.line, error.text);
    free(text);
    io_input_close(&in);
    if (root && !json_is_object(root)) {
        penta_io_fail(err, "%s: is no recipe: JSON, but not an object {\"option\": value, ...}", path);
        json_decref(root);
        root = NULL;
    }
    return root;
}

bool penta_io_recipe_read_tables(const char *path, const penta_io_recipe_table *tables,
                                 penta_io_recipe_strings **strings, penta_io_error *err)
{
    json_t *root = parse(path, err), *value;
    const char *key;
    bool ok = root != NULL;

    *strings = NULL;
    json_object_foreach(root, key, value) if (ok && !read_member(path, tables, key, value, err)) ok = false;
    if (ok)
        *strings = (penta_io_recipe_strings *)root;
    else
        json_decref(root);
    return ok;
}

/* Keys of a JSON object. */
void penta_io_recipe_strings_free(penta_io_recipe_strings *strings)
{
    json_decref((json_t *)strings);
}

/* ---- writing ---- */

/* Writes 5 rather than 5.0. */
static json_t *number(double value)
{
    return value == floor(value) && fabs(value) < 1e15 ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *member(const penta_option *row, const void *values)
{
    const void *field = (const char *)values + row->offset;
    char name[64];

    switch (row->type) {
    case PENTA_OPTION_INT:
        return json_integer(*(const int *)field);
    case PENTA_OPTION_REAL:
        return number(*(const double *)field);
    case PENTA_OPTION_FLAG:
        return json_boolean(*(const bool *)field);
    case PENTA_OPTION_CHOICE:
        return penta_option_choice(row, (size_t) * (const int *)field, name, sizeof name) ? json_string(name) : NULL;
    default:
        return *(const char *const *)field ? json_string(*(const char *const *)field) : json_null();
    }
}

char *penta_io_recipe_text(const penta_io_recipe_table *tables, const char *without)
{
    json_t *root = json_object();
    bool ok = root != NULL;
    char *text;

    for (const penta_io_recipe_table *t = tables; ok && t->rows; t++)
        for (const penta_option *row = t->rows; ok && row->type != PENTA_OPTION_END; row++)
            if (!without || strcmp(row->name, without) != 0)
                ok = json_object_set_new(root, row->name, member(row, t->values)) == 0; /* fails for NULL */
    text = ok ? io_json_object_text(root) : NULL;
    json_decref(root);
    return text;
}

/* ---- comparing ---- */

static void put_value(const json_t *value, char *out, size_t size)
{
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)) : NULL;

    snprintf(out, size, "%s", text ? text : "unset");
    free(text);
}

/* Finds the first member of b that a lacks or that differs in a. */
static penta_io_recipe_difference difference_of(json_t *a, json_t *b)
{
    penta_io_recipe_difference out = {0};
    const char *key;
    json_t *value;

    json_object_foreach(b, key, value)
    {
        const json_t *other = json_object_get(a, key);

        if (json_equal(other, value))
            continue;
        snprintf(out.key, sizeof out.key, "%s", key);
        put_value(other, out.a, sizeof out.a);
        put_value(value, out.b, sizeof out.b);
        break;
    }
    return out;
}

bool penta_io_recipe_same(const char *a, const char *b, penta_io_recipe_difference *out)
{
    json_t *one = json_loads(a, 0, NULL), *other = json_loads(b, 0, NULL);
    bool same = one && other && json_equal(one, other);

    if (!same && out)
        *out = difference_of(one, other);
    json_decref(one);
    json_decref(other);
    return same;
}

/* ---- the recipe of penta prepare ---- */

bool penta_io_recipe_read(const char *path, penta_io_recipe *out, penta_io_error *err)
{
    const penta_io_recipe_table tables[] = {
        {penta_prepare_option_table(), &out->options, NULL}, {file_table, &out->files, NULL}, {0}};

    *out = (penta_io_recipe){0};
    penta_prepare_options_init(&out->options);
    for (const penta_io_recipe_table *t = tables; t->rows; t++)
        penta_options_init(t->rows, t->values);
    return penta_io_recipe_read_tables(path, tables, &out->strings, err);
}

void penta_io_recipe_free(penta_io_recipe *r)
{
    penta_io_recipe_strings_free(r->strings);
    *r = (penta_io_recipe){0};
}
