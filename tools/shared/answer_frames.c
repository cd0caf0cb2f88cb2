/* Frames are pages of files; those of a file stand together. */
#include "shared/answer_frames.h"

#include <string.h>

#include "shared/answer.h"

typedef struct {
    json_t *frames;      /* that have run */
    const char *failure; /* of the first that failed; or NULL */
    bool waiting;        /* some have not run */
} file;

static bool is_of(const frame_list *list, size_t i, const char *path)
{
    return i < list->count && strcmp(list->sources[i].path, path) == 0;
}

static void put_file(const char *path, const file *f)
{
    const char *status = f->failure ? "error" : !f->waiting ? "ok" : cli_interrupted() ? "interrupted" : "not_run";

    answer_input(path, status, f->failure, json_pack("{s:o}", "frames", f->frames));
}

json_t *answer_frames(const frame_list *list, json_t *(*describe)(const void *run, size_t i), const void *run)
{
    json_t *all = json_array();

    for (size_t i = 0; i < list->count;) {
        const char *path = list->sources[i].path;
        file f = {.frames = json_array()};

        for (; is_of(list, i, path); i++) {
            json_t *one = describe(run, i);
            const char *failure = list->sources[i].failure;

            f.failure = f.failure ? f.failure : failure;
            f.waiting = f.waiting || (!one && !failure);
            if (one)
                json_array_append(f.frames, one);
            if (one)
                json_array_append_new(all, one);
        }
        put_file(path, &f);
    }
    return all;
}
