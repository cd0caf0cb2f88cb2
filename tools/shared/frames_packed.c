#define _POSIX_C_SOURCE 200809L
#include "shared/frames_packed.h"

#include <stdint.h>
#include <stdlib.h>

#include "shared/ranks.h"

/* Of every frame of the list; those of frames that another rank has stay empty. */
struct packed_frames {
    packed_frame *of;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static bool pack_result(const frames_work *w, const frame *f, packed_frame *p)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, &p->result_size);
    bool ok = out && w->task->pack(w->run, f, out);

    ok = out && fclose(out) == 0 && ok;
    p->result = text;
    return ok || penta_io_fail(&p->error, "out of memory for the result of %s", f->source->name);
}

/* On a worker thread. */
static void finish_here(frames_work *w, frame *f)
{
    packed_frame p = {.done = true};
    uint64_t mark = (uint64_t)f->index + 1;

    if (f->user) {
        penta_io_run_mark(mark);
        (void)(w->task->write(w->run, f, &p.error) &&
               penta_io_run_take(w->job->run, mark, &p.files, &p.files_size, &p.error) && pack_result(w, f, &p));
        penta_io_run_mark(0);
        frames_work_drop(w, f);
    }
    pthread_mutex_lock(&w->packed->lock);
    w->packed->of[f->index] = p;
    pthread_cond_broadcast(&w->packed->changed);
    pthread_mutex_unlock(&w->packed->lock);
}

packed_frame frames_packed_wait(frames_work *w, size_t index)
{
    struct packed_frames *all = w->packed;
    packed_frame p;

    pthread_mutex_lock(&all->lock);
    while (!all->of[index].done)
        pthread_cond_wait(&all->changed, &all->lock);
    p = all->of[index];
    all->of[index] = (packed_frame){.done = true};
    pthread_mutex_unlock(&all->lock);
    return p;
}

static struct packed_frames *open_packed(size_t count)
{
    struct packed_frames *all = calloc(1, sizeof *all);

    if (all)
        all->of = calloc(count + 1, sizeof *all->of);
    if (!all || !all->of) {
        free(all);
        return NULL;
    }
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->changed, NULL);
    return all;
}

/* Those that nobody has taken go with their files. */
void frames_packed_close(frames_work *w)
{
    struct packed_frames *all = w->packed;

    if (!all)
        return;
    w->packed = NULL;
    for (size_t i = 0; i < w->list->count; i++) {
        penta_io_run_discard(all->of[i].files, all->of[i].files_size);
        free(all->of[i].files);
        free(all->of[i].result);
    }
    pthread_cond_destroy(&all->changed);
    pthread_mutex_destroy(&all->lock);
    free(all->of);
    free(all);
}

int frames_packed_begin(frames_work *w)
{
    struct packed_frames *packed = open_packed(w->list->count);

    pthread_mutex_lock(&w->lock);
    w->finish_here = finish_here;
    w->packed = packed;
    w->packed_from = w->done;
    pthread_mutex_unlock(&w->lock);
    return ranks_agree(packed ? CLI_OK : cli_fail(w->job->command, CLI_ERROR, "out of memory"));
}
