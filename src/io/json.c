#include "io/json.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *io_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* ---- file names ---- */

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7F && c != '%';
}

char *io_json_name_text(const char *name)
{
    char *text = malloc(3 * strlen(name) + 1), *to = text;

    if (!text)
        return NULL;
    for (; *name; name++)
        if (is_plain((unsigned char)*name))
            *to++ = *name;
        else
            to += sprintf(to, "%%%02X", (unsigned)(unsigned char)*name);
    *to = 0;
    return text;
}

json_t *io_json_name(const char *name)
{
    char *text = io_json_name_text(name);
    json_t *out = text ? json_string(text) : NULL;

    free(text);
    return out;
}

static bool read_byte(const char *text, char *out)
{
    static const char digits[] = "0123456789ABCDEF";
    const char *high = text[0] ? strchr(digits, text[0]) : NULL;
    const char *low = high && text[1] ? strchr(digits, text[1]) : NULL;

    if (!low || (high == digits && low == digits))
        return false;
    *out = (char)(unsigned char)(16 * (high - digits) + (low - digits));
    return true;
}

char *io_json_take_name(const char *text)
{
    char *name = text ? malloc(strlen(text) + 1) : NULL, *to = name;

    for (; name && *text; text++) {
        *to = *text;
        if (*text == '%') {
            if (!read_byte(text + 1, to)) {
                free(name);
                return NULL;
            }
            text += 2;
        }
        to++;
    }
    if (name)
        *to = 0;
    return name;
}

/* ---- objects as text ---- */

static char *value_text(const json_t *value)
{
    char *text = NULL;

    for (size_t digits = 15; digits <= 17; digits++) {
        json_t *back;
        bool same;

        free(text);
        text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(digits));
        back = text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
        same = back && json_equal(back, value);
        json_decref(back);
        if (same)
            break;
    }
    return text;
}

static bool put_member(FILE *out, bool first, const char *key, const json_t *value)
{
    json_t *name = json_string(key);
    char *name_text = name ? json_dumps(name, JSON_ENCODE_ANY) : NULL, *text = value_text(value);
    bool ok = name_text && text && fprintf(out, "%s\n  %s: %s", first ? "" : ",", name_text, text) > 0;

    free(name_text);
    free(text);
    json_decref(name);
    return ok;
}

char *io_json_object_text(const json_t *object)
{
    char *text = NULL;
    const char *key;
    json_t *value;
    size_t size, members = 0;
    FILE *out = open_memstream(&text, &size);
    bool ok = out && fputc('{', out) != EOF;

    json_object_foreach((json_t *)object, key, value) if (ok) ok = put_member(out, members++ == 0, key, value);
    ok = ok && fputs(members > 0 ? "\n}" : "}", out) >= 0;
    if (out && fclose(out) != 0)
        ok = false;
    if (ok)
        return text;
    free(text);
    return NULL;
}
