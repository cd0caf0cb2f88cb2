/* Pages as they are built. */
#include "page.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "shared/json.h"

void page_heading(json_t *page, int level, const char *text)
{
    json_array_append_new(page, json_pack("{s:o, s:i}", "heading", json_text(text), "level", level));
}

void page_text(json_t *page, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_array_append_new(page, json_pack("{s:o}", "text", json_text(text)));
}

void page_list(json_t *page, json_t *texts)
{
    json_array_append_new(page, json_pack("{s:o}", "list", texts));
}

void page_image(json_t *page, const char *file, const char *title)
{
    json_array_append_new(page, json_pack("{s:o, s:o}", "image", json_text(file), "title", json_text(title)));
}

json_t *page_table(json_t *page, const char *columns)
{
    json_t *names = json_array(), *rows = json_array();
    size_t length;

    for (;; columns += length + 1) {
        length = strcspn(columns, "|");
        json_array_append_new(names, json_stringn(columns, length));
        if (!columns[length])
            break;
    }
    json_array_append_new(page, json_pack("{s:o, s:o}", "columns", names, "rows", rows));
    return rows;
}

/* ---- cells ---- */

/* As many decimals as three digits have, up to five. */
static void three_digits(char *text, size_t size, double value)
{
    double beyond = 99.95;
    int decimals = 0;

    for (; decimals < 5 && fabs(value) < beyond; decimals++)
        beyond /= 10;
    snprintf(text, size, "%.*f", decimals, value);
}

json_t *page_number(double value)
{
    static const char *const powers[] = {"·10⁻⁹", "·10⁻⁶", "·10⁻³", "", "·10³", "·10⁶", "·10⁹", "·10¹²", "·10¹⁵"};
    char digits[32];
    int power = 3;

    if (!isfinite(value))
        return json_string("-");
    if (value != 0 && (fabs(value) >= 99999.5 || fabs(value) < 1e-2)) {
        power += (int)floor(log10(fabs(value)) / 3);
        power = power < 0 ? 0 : power > 8 ? 8 : power;
    }
    three_digits(digits, sizeof digits, value / pow(1000, power - 3));
    return json_sprintf("%s%s", digits, powers[power]);
}

json_t *page_quantity(double value, const char *unit)
{
    static const char *const prefixes[] = {"n", "µ", "m", "", "k", "M", "G", "T", "P"};
    char digits[32];
    int power;

    if (!isfinite(value) || value <= 0)
        return json_string("-");
    power = 3 + (int)floor(log10(value) / 3);
    power = power < 0 ? 0 : power > 8 ? 8 : power;
    three_digits(digits, sizeof digits, value / pow(1000, power - 3));
    return json_sprintf("%s %s%s", digits, prefixes[power], unit);
}

json_t *page_ratio(double ratio, bool near)
{
    char digits[32];

    if (!isfinite(ratio))
        return json_string("-");
    three_digits(digits, sizeof digits, ratio);
    return json_sprintf("%sx%s", near ? "~" : "", digits);
}

json_t *page_share(double share)
{
    char digits[32];

    if (!isfinite(share))
        return json_string("-");
    three_digits(digits, sizeof digits, 100 * share);
    return json_sprintf("%s %%", digits);
}

json_t *page_bar(json_t *text, double bar, bool peer)
{
    return json_pack("{s:o, s:o, s:b}", "text", text, "bar", json_number(bar), "peer", peer);
}

const char *page_cell(const json_t *cell)
{
    const char *text = json_string_value(json_is_object(cell) ? json_object_get(cell, "text") : cell);

    return text ? text : "";
}

bool page_is_left(const json_t *columns, size_t i, const char **name)
{
    *name = page_cell(json_array_get(columns, i));
    if (**name == '<') {
        ++*name;
        return true;
    }
    return i == 0;
}
