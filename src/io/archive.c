/* Archives in memory; archive_write.c and archive_read.c write and read the files. */
#include <pentacl/io/archive.h>

#include <stdlib.h>

#include <pentacl/io/output.h>

char *penta_io_archive_path(const char *directory, const char *name)
{
    char *folder = penta_io_join_path(directory, ".prepare", ""),
         *path = folder ? penta_io_join_path(folder, name, "") : NULL;

    free(folder);
    return path;
}

static void free_file(penta_io_archive_frame *f)
{
    free(f->file);
    free(f->stem);
    free(f->row.file);
}

penta_io_archive_frame *penta_io_archive_add(penta_io_archive *state)
{
    if (state->count == state->room) {
        size_t room = state->room ? 2 * state->room : 64;
        penta_io_archive_frame *grown = realloc(state->files, room * sizeof *grown);

        if (!grown)
            return NULL;
        state->files = grown;
        state->room = room;
    }
    state->files[state->count] = (penta_io_archive_frame){0};
    return &state->files[state->count++];
}

void penta_io_archive_free(penta_io_archive *state)
{
    for (size_t i = 0; i < state->count; i++)
        free_file(&state->files[i]);
    free(state->files);
    free(state->recipe);
    penta_prepare_state_free(&state->series);
    *state = (penta_io_archive){0};
}
