/*
 * Kernel source: embedded in the library, or read from PENTACL_KERNEL_DIR while developing. #include "x" lines name
 * files relative to cl/; each is expanded once, with #line so that a build log names files of the source tree.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"

enum { MAX_INCLUDES = 32 };

typedef struct {
    penta_context *ctx;
    char *text;
    size_t length, room;
    char *seen[MAX_INCLUDES];
    size_t seen_count;
} expansion;

static penta_status append(expansion *e, const char *text, size_t length)
{
    if (e->length + length + 1 > e->room) {
        size_t room = 2 * (e->length + length + 1);
        char *grown = realloc(e->text, room);

        if (!grown)
            return penta_fail(e->ctx, PENTA_MEMORY, "out of host memory for kernel source");
        e->text = grown;
        e->room = room;
    }
    memcpy(e->text + e->length, text, length);
    e->length += length;
    e->text[e->length] = 0;
    return PENTA_OK;
}

static penta_status read_file(penta_context *ctx, const char *directory, const char *file, char **text)
{
    penta_status status = PENTA_OK;
    size_t length = strlen(directory) + strlen(file) + 2, room = 4096, used = 0;
    char *path = NULL, *grown;
    FILE *stream = NULL;

    *text = NULL;
    TRY(penta_calloc(ctx, length, 1, &path));
    snprintf(path, length, "%s/%s", directory, file);
    stream = fopen(path, "rb");
    if (!stream) {
        status = penta_fail(ctx, PENTA_BUILD, "cannot read kernel file %s (PENTACL_KERNEL_DIR is set)", path);
        goto cleanup;
    }
    TRY(penta_calloc(ctx, room, 1, text));
    while ((used += fread(*text + used, 1, room - used - 1, stream)) == room - 1) {
        grown = realloc(*text, 2 * room);
        if (!grown) {
            status = penta_fail(ctx, PENTA_MEMORY, "out of host memory for kernel file %s", path);
            goto cleanup;
        }
        *text = grown;
        room *= 2;
    }
    (*text)[used] = 0;
cleanup:
    if (status != PENTA_OK) {
        free(*text);
        *text = NULL;
    }
    if (stream)
        fclose(stream);
    free(path);
    return status;
}

static penta_status load_raw(penta_context *ctx, const char *file, char **text)
{
    const char *directory = getenv("PENTACL_KERNEL_DIR");
    penta_status status;

    if (directory && *directory)
        return read_file(ctx, directory, file, text);
    for (const penta_embedded *f = penta_embedded_files; f->name; f++)
        if (strcmp(f->name, file) == 0) {
            status = penta_calloc(ctx, f->bytes + 1, 1, text);
            if (status == PENTA_OK)
                memcpy(*text, f->text, f->bytes);
            return status;
        }
    return penta_fail(ctx, PENTA_INTERNAL, "kernel file %s is not embedded", file);
}

/* Whether the line is #include "name"; the name is copied. */
static bool is_include(const char *line, size_t length, char *name, size_t size)
{
    size_t i = strspn(line, " \t"), n = 0;

    if (i >= length || strncmp(line + i, "#include", 8) != 0)
        return false;
    i += 8;
    i += strspn(line + i, " \t");
    if (line[i++] != '"')
        return false;
    while (i < length && line[i] != '"' && n + 1 < size)
        name[n++] = line[i++];
    name[n] = 0;
    return line[i] == '"';
}

static penta_status expand(expansion *e, const char *file);

static penta_status expand_include(expansion *e, const char *name, const char *file, unsigned next_line)
{
    penta_status status = PENTA_OK;
    char mark[320];

    TRY(expand(e, name));
    snprintf(mark, sizeof mark, "#line %u \"%s\"\n", next_line, file);
    TRY(append(e, mark, strlen(mark)));
cleanup:
    return status;
}

static penta_status remember(expansion *e, const char *file)
{
    penta_status status;
    char *copy;

    if (e->seen_count == MAX_INCLUDES)
        return penta_fail(e->ctx, PENTA_INTERNAL, "more than %d kernel includes at %s", MAX_INCLUDES, file);
    status = penta_calloc(e->ctx, strlen(file) + 1, 1, &copy);
    if (status != PENTA_OK)
        return status;
    strcpy(copy, file);
    e->seen[e->seen_count++] = copy;
    return PENTA_OK;
}

static penta_status expand(expansion *e, const char *file)
{
    penta_status status = PENTA_OK;
    char *text = NULL, mark[320], name[256];
    unsigned number = 1;

    for (size_t i = 0; i < e->seen_count; i++)
        if (strcmp(e->seen[i], file) == 0)
            return PENTA_OK;
    TRY(remember(e, file));
    TRY(load_raw(e->ctx, file, &text));
    snprintf(mark, sizeof mark, "#line 1 \"%s\"\n", file);
    TRY(append(e, mark, strlen(mark)));
    for (const char *line = text; *line; number++) {
        size_t length = strcspn(line, "\n");

        if (is_include(line, length, name, sizeof name)) {
            TRY(expand_include(e, name, file, number + 1));
        } else {
            TRY(append(e, line, length));
            TRY(append(e, "\n", 1));
        }
        line += length + (line[length] == '\n');
    }
cleanup:
    free(text);
    return status;
}

penta_status penta_source_load(penta_context *ctx, const char *file, char **text)
{
    expansion e = {.ctx = ctx};
    penta_status status = expand(&e, file);

    *text = NULL;
    if (status == PENTA_OK) {
        *text = e.text;
        e.text = NULL;
    }
    free(e.text);
    for (size_t i = 0; i < e.seen_count; i++)
        free(e.seen[i]);
    return status;
}

/* The file and line in the source tree of a line of expanded text, by the last #line before it. */
static unsigned place_of(const char *text, unsigned long line, char *file, size_t size)
{
    unsigned long at = 0;
    unsigned number = 0;

    snprintf(file, size, "?");
    for (const char *p = text; *p && at < line; p += strcspn(p, "\n"), p += *p == '\n') {
        unsigned start;
        char name[256];

        at++;
        number++;
        if (sscanf(p, "#line %u \"%255[^\"]\"", &start, name) == 2) {
            snprintf(file, size, "%s", name);
            number = start - 1; /* of the line after it */
        }
    }
    return number;
}

penta_status penta_source_relocate(penta_context *ctx, const char *text, const char *log, char **out)
{
    static const char mark[] = "<kernel>:";
    expansion e = {.ctx = ctx};
    penta_status status = PENTA_OK;
    const char *found;

    *out = NULL;
    TRY(append(&e, "", 0));
    while ((found = strstr(log, mark)) != NULL) {
        char *end, file[256], place[300];
        unsigned long line = strtoul(found + sizeof mark - 1, &end, 10);
        unsigned number = place_of(text, line, file, sizeof file);

        TRY(append(&e, log, (size_t)(found - log)));
        snprintf(place, sizeof place, "%s:%u", file, number);
        TRY(append(&e, place, strlen(place)));
        log = end;
    }
    TRY(append(&e, log, strlen(log)));
    *out = e.text;
    e.text = NULL;
cleanup:
    free(e.text);
    return status;
}
