/* The state of a watched series in memory; state_write.c and state_read.c take it to the disk and back. */
#define _POSIX_C_SOURCE 200809L
#include "prepare/state.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pentacl/io/output.h>
#include "prepare/arrivals.h"

char *watch_state_path(const char *directory, const char *name)
{
    char *folder = penta_io_join_path(directory, ".prepare", ""),
         *path = folder ? penta_io_join_path(folder, name, "") : NULL;

    free(folder);
    return path;
}

static void free_file(watch_file *f)
{
    free(f->file);
    free(f->stem);
    free(f->row.file);
}

/* The number of frames up to this page. */
static size_t place_of(const watch_state *state, const char *file, size_t page)
{
    size_t n = state->count;

    while (n > 0) {
        const watch_file *f = &state->files[n - 1];
        int order = arrivals_compare(f->file, file);

        if (order < 0 || (order == 0 && f->page <= page))
            break;
        n--;
    }
    return n;
}

watch_file *watch_state_insert(watch_state *state, const char *file, size_t page)
{
    size_t at = place_of(state, file, page), behind = state->count - at;
    watch_file *last = watch_state_add(state);

    if (!last)
        return NULL;
    memmove(state->files + at + 1, state->files + at, behind * sizeof *last);
    state->files[at] = (watch_file){0};
    return &state->files[at];
}

void watch_state_drop(watch_state *state, const char *file)
{
    size_t kept = 0;

    for (size_t i = 0; i < state->count; i++)
        if (state->files[i].row.skipped && strcmp(state->files[i].file, file) == 0)
            free_file(&state->files[i]);
        else
            state->files[kept++] = state->files[i];
    state->count = kept;
}

watch_file *watch_state_add(watch_state *state)
{
    if (state->count == state->room) {
        size_t room = state->room ? 2 * state->room : 64;
        watch_file *grown = realloc(state->files, room * sizeof *grown);

        if (!grown)
            return NULL;
        state->files = grown;
        state->room = room;
    }
    state->files[state->count] = (watch_file){0};
    return &state->files[state->count++];
}

void watch_state_free(watch_state *state)
{
    for (size_t i = 0; i < state->count; i++)
        free_file(&state->files[i]);
    free(state->files);
    json_decref(state->recipe);
    penta_prepare_state_free(&state->series);
    *state = (watch_state){0};
}

bool watch_sync(const char *path, penta_io_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && fsync(fd) == 0;

    if (fd >= 0)
        close(fd);
    return ok || penta_io_fail(err, "%s: cannot be brought onto the disk", path);
}
