/* The frames of a watched series, in the order of names. */
#include "prepare/state.h"

#include <stdlib.h>
#include <string.h>

#include "prepare/arrivals.h"

static void free_file(penta_io_archive_frame *f)
{
    free(f->file);
    free(f->stem);
    free(f->row.file);
}

/* The number of frames up to this page. */
static size_t place_of(const penta_io_archive *state, const char *file, size_t page)
{
    size_t n = state->count;

    while (n > 0) {
        const penta_io_archive_frame *f = &state->files[n - 1];
        int order = arrivals_compare(f->file, file);

        if (order < 0 || (order == 0 && f->page <= page))
            break;
        n--;
    }
    return n;
}

penta_io_archive_frame *watch_state_insert(penta_io_archive *state, const char *file, size_t page)
{
    size_t at = place_of(state, file, page), behind = state->count - at;
    penta_io_archive_frame *last = penta_io_archive_add(state);

    if (!last)
        return NULL;
    memmove(state->files + at + 1, state->files + at, behind * sizeof *last);
    state->files[at] = (penta_io_archive_frame){0};
    return &state->files[at];
}

void watch_state_drop(penta_io_archive *state, const char *file)
{
    size_t kept = 0;

    for (size_t i = 0; i < state->count; i++)
        if (state->files[i].row.skipped && strcmp(state->files[i].file, file) == 0)
            free_file(&state->files[i]);
        else
            state->files[kept++] = state->files[i];
    state->count = kept;
}
