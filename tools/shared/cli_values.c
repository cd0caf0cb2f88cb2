/* What the value of a flag may be, from its row: for shell completion and for programs that show a choice. */
#include <string.h>

#include "shared/cli.h"

/* The i-th part of text between bars; its length, or 0 past the last. */
static size_t part_of(const char *text, size_t i, const char **part)
{
    for (; text && i > 0; i--) {
        text = strchr(text, '|');
        text = text ? text + 1 : NULL;
    }
    *part = text;
    return text ? strcspn(text, "|") : 0;
}

/* Placeholders of text are in capitals, words that are typed as they stand are not. */
static bool is_word(const char *text, size_t length)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";

    return length > 0 && strspn(text, letters) >= length;
}

static bool copy(const char *text, size_t length, char *out, size_t size)
{
    if (length >= size)
        return false;
    memcpy(out, text, length);
    out[length] = 0;
    return true;
}

static bool text_word(const penta_option *row, size_t i, char *word, size_t size)
{
    const char *values = strcmp(row->choices, "DEVICE") == 0 ? "cpu|gpu" : row->choices, *part;
    size_t length;

    for (size_t k = 0; (length = part_of(values, k, &part)) > 0; k++)
        if (is_word(part, length) && i-- == 0)
            return copy(part, length, word, size);
    return false;
}

bool cli_value_word(const cli_command *command, const penta_option *row, size_t i, char *word, size_t size)
{
    const penta_preset *presets = row == &cli_preset_row && command->presets ? command->presets() : NULL;

    if (presets) {
        while (presets->name && i > 0) {
            presets++;
            i--;
        }
        return presets->name && copy(presets->name, strlen(presets->name), word, size);
    }
    if (row->type == PENTA_OPTION_TEXT)
        return text_word(row, i, word, size);
    return row->choices && penta_option_choice(row, i, word, size);
}

static bool has_part(const penta_option *row, const char *const *names)
{
    const char *part;
    size_t length;

    for (size_t i = 0; row->type == PENTA_OPTION_TEXT && (length = part_of(row->choices, i, &part)) > 0; i++)
        for (const char *const *name = names; *name; name++)
            if (strlen(*name) == length && memcmp(part, *name, length) == 0)
                return true;
    return false;
}

bool cli_value_is_file(const penta_option *row)
{
    return has_part(row, (const char *const[]){"FILE", "CSV", "IMAGE", "FITS", "MOVIE2", NULL});
}

bool cli_value_is_directory(const penta_option *row)
{
    return has_part(row, (const char *const[]){"DIR", NULL});
}

bool cli_value_is_output(const penta_option *row)
{
    return row->type == PENTA_OPTION_TEXT && (strcmp(row->name, "output") == 0 || strcmp(row->name, "truth") == 0);
}
