/* What rank 0 tells the others before frames are shared. */
#include "shared/frames_work.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shared/parcel.h"
#include "shared/ranks.h"

/* What rank 0 says before frames are shared; what others need to run them follows. */
typedef struct {
    uint64_t done, slots, batch;
} share_head;

static bool put_share(frames_work *w, void **bytes, size_t *size)
{
    const share_head h = {w->done, w->slots, w->batch};
    parcel p;
    bool ok = true;

    parcel_begin(&p);
    parcel_put(p.out, &h, sizeof h);
    if (p.out && w->done < w->list->count)
        ok = w->task->pack_plan(w->run, p.out);
    if (parcel_end(&p, bytes, size) && ok)
        return true;
    free(*bytes);
    *bytes = NULL;
    return false;
}

/* At the other ranks. */
static int get_share(frames_work *w, const void *bytes, size_t size)
{
    share_head h;

    memcpy(&h, bytes, sizeof h);
    w->done = (size_t)h.done;
    w->slots = (size_t)h.slots;
    w->batch = (size_t)h.batch;
    if (w->done == w->list->count)
        return CLI_OK;
    if (frames_work_open_streams(w) != CLI_OK)
        return CLI_ERROR;
    return w->task->unpack_plan(w->run, (const char *)bytes + sizeof h, size - sizeof h);
}

int frames_work_tell_plan(frames_work *w)
{
    bool first = ranks_rank() == 0, ok;
    void *mine = NULL, *all = NULL;
    size_t size = 0, *sizes = calloc(ranks_size(), sizeof *sizes);
    int code;

    ok = sizes && (!first || put_share(w, &mine, &size));
    code = ranks_exchange(ok ? CLI_OK : cli_fail(w->job->command, CLI_ERROR, "out of memory"), mine, size, &all, sizes);
    if (code == CLI_OK && !first)
        code = get_share(w, all, sizes[0]);
    free(all);
    free(sizes);
    free(mine);
    return ranks_agree(code);
}
