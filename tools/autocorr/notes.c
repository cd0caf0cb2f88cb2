/* Notes of a run. */
#define _POSIX_C_SOURCE 200809L
#include "autocorr/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/json.h"

static bool known(const notes *n, const char *text)
{
    for (size_t i = 0; i < n->count; i++)
        if (strcmp(n->texts[i], text) == 0)
            return true;
    return false;
}

/* Without memory the note is printed and missing in the JSON. */
static void keep(notes *n, const char *text)
{
    if (n->count == n->room) {
        size_t room = n->room ? 2 * n->room : 8;
        char **grown = realloc(n->texts, room * sizeof *grown);

        if (!grown)
            return;
        n->texts = grown;
        n->room = room;
    }
    n->texts[n->count] = strdup(text);
    n->count += n->texts[n->count] != NULL;
}

void notes_add(notes *n, const job *j, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (known(n, text))
        return;
    cli_note(&j->common, j->command, "%s", text);
    keep(n, text);
}

json_t *notes_json(const notes *n)
{
    json_t *all = json_array();

    for (size_t i = 0; i < n->count; i++)
        json_array_append_new(all, json_text(n->texts[i]));
    return all;
}

void notes_free(notes *n)
{
    for (size_t i = 0; i < n->count; i++)
        free(n->texts[i]);
    free(n->texts);
    *n = (notes){0};
}
