#define _POSIX_C_SOURCE 200809L
#include "io/json.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

json_t *io_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

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
