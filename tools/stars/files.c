#include "stars/files.h"

#include <stdlib.h>

#include "stars/track_frame.h"

static bool take(penta_io_run *from, size_t frame, int which, stars_files *out, penta_io_error *err)
{
    return !from || penta_io_run_take(from, frame + 1, &out->bytes[which], &out->sizes[which], err);
}

bool stars_files_write(const stars_run *run, const stars_shot *shot, stars_files *out, penta_io_error *err)
{
    bool ok;

    *out = (stars_files){0};
    penta_io_run_mark(shot->number + 1);
    ok = stars_frame_write(run, shot, err) && take(run->job.run, shot->number, 0, out, err) &&
         take(run->truth, shot->number, 1, out, err);
    penta_io_run_mark(0);
    if (!ok)
        stars_files_free(out, true);
    return ok;
}

bool stars_files_give(const stars_run *run, const stars_files *files, penta_io_error *err)
{
    penta_io_run *const runs[2] = {run->job.run, run->truth};
    bool ok = true;

    for (int i = 0; i < 2; i++) {
        if (files->sizes[i] == 0)
            continue;
        ok = ok && penta_io_run_give(runs[i], files->bytes[i], files->sizes[i], err);
        if (!ok)
            penta_io_run_discard(files->bytes[i], files->sizes[i]);
    }
    return ok;
}

void stars_files_settle(const stars_run *run, size_t frame)
{
    penta_io_run *const runs[2] = {run->job.run, run->truth};

    for (int i = 0; i < 2; i++)
        if (runs[i])
            penta_io_run_let_go(runs[i], frame + 1);
}

void stars_files_free(stars_files *files, bool discard)
{
    for (int i = 0; i < 2; i++) {
        if (discard)
            penta_io_run_discard(files->bytes[i], files->sizes[i]);
        free(files->bytes[i]);
    }
    *files = (stars_files){0};
}
