/* Option tables: defaults, range checks, parsing. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"

static void *field_of(const penta_option *option, void *options)
{
    return (char *)options + option->offset;
}

/* Bytes of an option in its struct. */
static size_t field_size(const penta_option *option)
{
    switch (option->type) {
    case PENTA_OPTION_INT:
    case PENTA_OPTION_CHOICE:
        return sizeof(int);
    case PENTA_OPTION_REAL:
        return sizeof(double);
    case PENTA_OPTION_FLAG:
        return sizeof(bool);
    case PENTA_OPTION_TEXT:
        return sizeof(const char *);
    case PENTA_OPTION_END:
        break;
    }
    return 0;
}

/* The struct of a program built with older headers lacks the options added later. */
static bool has_field(const penta_option *option, const void *options)
{
    size_t size = SIZE_MAX;

    if (option->sized)
        memcpy(&size, options, sizeof size);
    return field_size(option) <= size && option->offset <= size - field_size(option);
}

void penta_options_init(const penta_option *table, void *options)
{
    for (const penta_option *o = table; o->type != PENTA_OPTION_END; o++) {
        void *field = field_of(o, options);

        if (!has_field(o, options))
            continue;
        switch (o->type) {
        case PENTA_OPTION_INT:
        case PENTA_OPTION_CHOICE:
            *(int *)field = (int)o->initial;
            break;
        case PENTA_OPTION_REAL:
            *(double *)field = o->initial;
            break;
        case PENTA_OPTION_FLAG:
            *(bool *)field = false;
            break;
        case PENTA_OPTION_TEXT:
            *(const char **)field = NULL;
            break;
        case PENTA_OPTION_END:
            break;
        }
    }
}

static size_t choice_count(const char *choices)
{
    size_t count = 1;

    for (; *choices; choices++)
        count += *choices == ',';
    return count;
}

bool penta_option_choice(const penta_option *option, size_t i, char *name, size_t size)
{
    const char *p = option->choices;

    if ((option->type != PENTA_OPTION_CHOICE && option->type != PENTA_OPTION_INT) || !p || i >= choice_count(p))
        return false;
    while (i-- > 0)
        p = strchr(p, ',') + 1;
    snprintf(name, size, "%.*s", (int)strcspn(p, "|,"), p);
    return true;
}

static penta_status out_of_range(const penta_option *o, double value, char *message, size_t size)
{
    char unit[32] = "", names[64] = "";
    double min = o->min;

    if (!message)
        return PENTA_INVALID;
    if (*o->unit)
        snprintf(unit, sizeof unit, " %s", o->unit);
    if (o->type == PENTA_OPTION_INT && o->choices) {
        snprintf(names, sizeof names, ", or one of %s", o->choices);
        min += (double)choice_count(o->choices);
    }
    penta_snprintf(message, size, "`%s` is %.10g%s; it must be between %.10g and %.10g%s", o->name, value, unit, min,
                   o->max, names);
    return PENTA_INVALID;
}

static penta_status check_row(const penta_option *o, const void *options, char *message, size_t size)
{
    const void *field = (const char *)options + o->offset;

    switch (o->type) {
    case PENTA_OPTION_INT:
        if (*(const int *)field < o->min || *(const int *)field > o->max)
            return out_of_range(o, *(const int *)field, message, size);
        break;
    case PENTA_OPTION_REAL: /* written so that NaN fails */
        if (!(*(const double *)field >= o->min && *(const double *)field <= o->max))
            return out_of_range(o, *(const double *)field, message, size);
        break;
    case PENTA_OPTION_CHOICE:
        if (*(const int *)field < 0 || (size_t) * (const int *)field >= choice_count(o->choices)) {
            if (message)
                snprintf(message, size, "`%s` is %d; it must be one of %s", o->name, *(const int *)field, o->choices);
            return PENTA_INVALID;
        }
        break;
    case PENTA_OPTION_FLAG:
    case PENTA_OPTION_TEXT:
    case PENTA_OPTION_END:
        break;
    }
    return PENTA_OK;
}

penta_status penta_options_check(const penta_option *table, const void *options, char *message, size_t size)
{
    for (const penta_option *o = table; o->type != PENTA_OPTION_END; o++)
        if (has_field(o, options) && check_row(o, options, message, size) != PENTA_OK)
            return PENTA_INVALID;
    return PENTA_OK;
}

/* The choice of this name, or -1; a choice may have several names. */
static int choice_named(const char *choices, const char *text)
{
    int choice = 0;

    for (const char *p = choices;; p++) {
        size_t length = strcspn(p, "|,");

        if (length == strlen(text) && strncmp(p, text, length) == 0)
            return choice;
        p += length;
        if (*p == '\0')
            return -1;
        choice += *p == ',';
    }
}

static penta_status parse_number(const penta_option *o, void *field, const char *text, char *message, size_t size)
{
    char *end;
    double value;

    if (o->type == PENTA_OPTION_INT && o->choices && choice_named(o->choices, text) >= 0) {
        *(int *)field = (int)o->min + choice_named(o->choices, text);
        return PENTA_OK;
    }
    errno = 0;
    value = penta_strtod(text, &end);
    if (end == text || *end || !isfinite(value) || (o->type == PENTA_OPTION_INT && value != floor(value))) {
        snprintf(message, size, "`%s` needs %s, not '%s'", o->name,
                 o->type == PENTA_OPTION_INT ? "a whole number" : "a number", text);
        return PENTA_INVALID;
    }
    if (!(value >= o->min && value <= o->max))
        return out_of_range(o, value, message, size);
    if (o->type == PENTA_OPTION_INT)
        *(int *)field = (int)value;
    else
        *(double *)field = value;
    return PENTA_OK;
}

static penta_status parse_choice(const penta_option *o, int *field, const char *text, char *message, size_t size)
{
    int choice = choice_named(o->choices, text);

    if (choice >= 0) {
        *field = choice;
        return PENTA_OK;
    }
    snprintf(message, size, "`%s` needs one of %s, not '%s'", o->name, o->choices, text);
    return PENTA_INVALID;
}

penta_status penta_option_parse(const penta_option *option, void *options, const char *text, char *message, size_t size)
{
    void *field = field_of(option, options);

    if (!has_field(option, options)) {
        snprintf(message, size, "`%s` is newer than this program, whose options have %zu bytes", option->name,
                 *(const size_t *)options);
        return PENTA_INVALID;
    }
    switch (option->type) {
    case PENTA_OPTION_INT:
    case PENTA_OPTION_REAL:
        return parse_number(option, field, text, message, size);
    case PENTA_OPTION_CHOICE:
        return parse_choice(option, field, text, message, size);
    case PENTA_OPTION_FLAG:
        *(bool *)field = true;
        return PENTA_OK;
    case PENTA_OPTION_TEXT:
        *(const char **)field = text;
        return PENTA_OK;
    case PENTA_OPTION_END:
        break;
    }
    return PENTA_INVALID;
}

/* ---- presets ---- */

const penta_preset *penta_preset_find(const penta_preset *presets, const char *name)
{
    for (const penta_preset *p = presets; p && p->name; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

static const penta_option *row_named(const penta_option *table, const char *name)
{
    for (; table->type != PENTA_OPTION_END; table++)
        if (strcmp(table->name, name) == 0)
            return table;
    return NULL;
}

static penta_status unknown_preset(const penta_preset *presets, const char *name, char *message, size_t size)
{
    size_t length = 0;

    if (!message || size == 0)
        return PENTA_INVALID;
    length = (size_t)snprintf(message, size, "`preset` needs one of ");
    for (const penta_preset *p = presets; p && p->name && length < size; p++)
        length += (size_t)snprintf(message + length, size - length, "%s%s", p == presets ? "" : ",", p->name);
    if (length < size)
        snprintf(message + length, size - length, ", not '%s'", name);
    return PENTA_INVALID;
}

penta_status penta_preset_apply(const penta_preset *presets, const char *name, const penta_option *table, void *options,
                                char *message, size_t size)
{
    const penta_preset *preset = penta_preset_find(presets, name);
    char unread[256];

    if (!preset)
        return unknown_preset(presets, name, message, size);
    for (size_t i = 0; i < PENTA_PRESET_VALUES && preset->values[i].option; i++) {
        const penta_option *row = row_named(table, preset->values[i].option);

        if (row && has_field(row, options) &&
            penta_option_parse(row, options, preset->values[i].value, message ? message : unread,
                               message ? size : sizeof unread) != PENTA_OK)
            return PENTA_INVALID;
    }
    return PENTA_OK;
}

/* ---- resolving the options of a plan ---- */

/* The name of the init function, derived from the text of the call that returns the table:
 * "penta_stars_option_table()". */
static penta_status not_initialised(penta_context *ctx, const char *call)
{
    const char *end = strstr(call, "_option_table()");

    if (!end)
        return penta_fail(ctx, PENTA_INVALID, "the options were not initialised: their size is not set");
    return penta_fail(ctx, PENTA_INVALID, "the options were not initialised; call %.*s_options_init", (int)(end - call),
                      call);
}

penta_status penta_options_take(penta_context *ctx, const penta_option *table, const char *call, const void *given,
                                void *out, size_t size)
{
    enum { MOST_BYTES = 1 << 16 }; /* a larger size is invalid */
    char message[256];
    size_t length = size;

    if (given)
        memcpy(&length, given, sizeof length);
    if (length < sizeof length || length > MOST_BYTES)
        return not_initialised(ctx, call);
    memset(out, 0, size);
    memcpy(out, &size, sizeof size);
    penta_options_init(table, out);
    if (given)
        memcpy((char *)out + sizeof size, (const char *)given + sizeof size,
               (length < size ? length : size) - sizeof size);
    if (penta_options_check(table, out, message, sizeof message) != PENTA_OK)
        return penta_fail(ctx, PENTA_INVALID, "%s", message);
    return PENTA_OK;
}

penta_status penta_check_result(penta_status status, char *message, size_t size)
{
    const char *text = penta_last_error(NULL);

    if (status != PENTA_OK && message && size > 0)
        snprintf(message, size, "%.*s", (int)strcspn(text, "\n"), text);
    return status;
}
