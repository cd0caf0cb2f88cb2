/* The pages of many files as one series (list), and its decoding on threads (stream). */
#include "shared/frames.h"
#include "shared/stages.h"
#include "shared/stems.h"
#include "shared/streams.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pentacl/io/image.h>

/* ---- the list ---- */

static char *format_text(const char *format, const char *text, size_t number)
{
    size_t size = strlen(text) + 40;
    char *out = malloc(size);

    if (out)
        snprintf(out, size, format, text, number);
    return out;
}

/* place: of the page in its file, by which it is named. */
static bool add_source(frame_list *list, size_t *room, const char *path, size_t page, size_t place, size_t pages,
                       const char *error, const char *doubt)
{
    frame_source *s;
    char *stem;

    if (list->count == *room) {
        frame_source *grown = realloc(list->sources, (*room ? 2 * *room : 64) * sizeof *grown);

        if (!grown)
            return false;
        list->sources = grown;
        *room = *room ? 2 * *room : 64;
    }
    s = &list->sources[list->count++];
    stem = stem_of(path);
    *s = (frame_source){.path = strdup(path),
                        .page = page,
                        .error = error ? strdup(error) : NULL,
                        .doubt = doubt ? strdup(doubt) : NULL};
    s->name = pages > 1 ? format_text("%s[%zu]", streams_name(path), place) : strdup(streams_name(path));
    s->stem = !stem ? NULL : pages > 1 ? format_text("%s-%04zu", stem, place) : strdup(stem);
    free(stem);
    return s->path && s->name && s->stem && (!error || s->error) && (!doubt || s->doubt);
}

/* What a doubt says behind the name of its file. */
static const char *without_path(const char *doubt, const char *path)
{
    size_t length = strlen(path);

    return strncmp(doubt, path, length) == 0 ? doubt + length : doubt;
}

/* Whether a file before says the same. */
static bool is_known(const frame_list *list, const char *path, const char *doubt)
{
    for (size_t i = list->count; i-- > 0;) {
        const frame_source *s = &list->sources[i];

        if (s->doubt)
            return strcmp(without_path(s->doubt, s->path), without_path(doubt, path)) == 0;
    }
    return false;
}

static bool make_unique(frame_list *list)
{
    char **stems = malloc((list->count + 1) * sizeof *stems);
    bool ok;

    for (size_t i = 0; stems && i < list->count; i++)
        stems[i] = list->sources[i].stem;
    ok = stems && stems_tell_apart(stems, list->count);
    for (size_t i = 0; stems && i < list->count; i++)
        list->sources[i].stem = stems[i];
    free(stems);
    return ok;
}

bool frame_list_make(char **paths, size_t count, frame_list *out)
{
    return frame_list_make_chosen(paths, count, &(penta_io_choice){0}, out);
}

bool frame_list_make_chosen(char **paths, size_t count, const penta_io_choice *choice, frame_list *out)
{
    frame_list list = {.choice = *choice, .out_of_order = stems_out_of_order(paths, count)};
    size_t room = 0;
    bool ok = true;

    for (size_t i = 0; ok && i < count; i++) {
        penta_io_reader *reader = NULL;
        penta_io_error error = {""};
        const char *doubt;
        size_t pages;

        if (!penta_io_reader_open_chosen(paths[i], choice, &reader, &error)) {
            ok = add_source(&list, &room, paths[i], 0, 0, 1, error.text, NULL);
            continue;
        }
        pages = penta_io_reader_pages(reader);
        doubt = penta_io_reader_doubt(reader);
        if (doubt && is_known(&list, paths[i], doubt))
            doubt = NULL;
        for (size_t page = 0; ok && page < pages; page++) {
            size_t all, place = penta_io_reader_place(reader, page, &all);

            ok = add_source(&list, &room, paths[i], page, place, all, NULL, page == 0 ? doubt : NULL);
        }
        penta_io_reader_close(reader);
    }
    ok = ok && make_unique(&list);
    if (!ok)
        frame_list_free(&list);
    *out = list;
    return ok;
}

void frame_source_free(frame_source *source)
{
    free(source->path);
    free(source->name);
    free(source->stem);
    free(source->error);
    free(source->doubt);
    free(source->mask);
    free(source->failure);
}

void frame_list_fail(frame_list *list, size_t index, const char *text)
{
    free(list->sources[index].failure);
    list->sources[index].failure = strdup(text);
}

void frame_list_cut(frame_list *list, size_t first, size_t count)
{
    for (size_t i = 0; i < list->count; i++)
        if (i < first || i >= first + count)
            frame_source_free(&list->sources[i]);
    memmove(list->sources, list->sources + first, count * sizeof *list->sources);
    list->count = count;
}

void frame_list_free(frame_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        frame_source_free(&list->sources[i]);
    free(list->sources);
    *list = (frame_list){0};
}

/* ---- the stream ---- */

/* A slot goes EMPTY -> DECODING -> READY -> TAKEN -> FINISHING -> EMPTY. The frame of place i lives in slot i % slots.
 */
enum slot_state { EMPTY, DECODING, READY, TAKEN, TO_FINISH, FINISHING };

typedef struct {
    frame frame;
    enum slot_state state;
} slot;

struct frame_stream {
    const frame_list *list;
    slot *slots;
    size_t slot_count;
    size_t *order;                              /* frame numbers by place; NULL: they are places */
    size_t assigned;                            /* places */
    size_t next_decode, next_take, next_finish; /* places */
    frame_finish finish;
    void *context;
    bool closing;
    pthread_t *threads;
    size_t thread_count;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

/* A worker keeps the reader of its last file: pages of one file follow one another. */
typedef struct {
    penta_io_reader *reader;
    const char *path;
} worker_reader;

static bool decode_mask(frame *f)
{
    const char *path = f->source->mask;
    penta_io_image image = {0};
    bool ok = penta_io_image_read(path, &image, &f->error);

    if (ok && (image.width != f->image.width || image.height != f->image.height))
        ok = penta_io_fail(&f->error, "%s is %zu x %zu, but the frame that it is the mask of, %s, is %zu x %zu", path,
                           image.width, image.height, f->source->name, f->image.width, f->image.height);
    if (ok) {
        f->mask = penta_io_mask_bytes(&image);
        ok = f->mask || penta_io_fail(&f->error, "%s: out of memory for it", path);
    }
    penta_io_image_free(&image);
    return ok;
}

static void free_pixels(frame *f)
{
    penta_io_image_free(&f->image);
    free(f->mask);
    f->mask = NULL;
}

/* Counts NaN among the pixels that count; false with an error for an infinite one, or where no number is left. */
static bool check_numbers(frame *f)
{
    size_t channels = f->image.channels == 3 ? 3 : 1, pixels = f->image.width * f->image.height, counted = 0;

    if (f->image.type != PENTA_F32 && f->image.type != PENTA_F64)
        return true;
    for (size_t i = 0; i < pixels; i++) {
        bool nan = false;

        if (f->mask && !f->mask[i])
            continue;
        for (size_t k = 0; k < channels; k++) {
            double v = penta_io_image_value(&f->image, channels * i + k);

            if (isinf(v))
                return penta_io_fail(
                    &f->error, "%s: pixel (%zu, %zu), counted from 0, is infinite; make it NaN, which leaves it out",
                    f->source->name, i % f->image.width, i / f->image.width);
            nan = nan || isnan(v);
        }
        counted++;
        f->nan_pixels += nan;
    }
    return counted > f->nan_pixels || counted == 0 ||
           penta_io_fail(&f->error, "%s: every pixel is NaN, so nothing is left to measure", f->source->name);
}

static void decode(frame *f, worker_reader *r, const frame_list *list)
{
    f->error.text[0] = 0;
    f->image = (penta_io_image){0};
    if (f->source->error) {
        penta_io_fail(&f->error, "%s", f->source->error);
        return;
    }
    if (!r->path || strcmp(r->path, f->source->path) != 0) {
        penta_io_reader_close(r->reader);
        r->reader = NULL;
        r->path = NULL;
        if (!penta_io_reader_open_chosen(f->source->path, &list->choice, &r->reader, &f->error))
            return;
        if (list->colour)
            penta_io_reader_keep_colour(r->reader);
        r->path = f->source->path;
    }
    if (!penta_io_reader_read(r->reader, f->source->page, &f->image, &f->error))
        return;
    if ((f->source->mask && !decode_mask(f)) || (list->strict && !check_numbers(f)))
        free_pixels(f);
}

static slot *slot_of(frame_stream *s, size_t place)
{
    return &s->slots[place % s->slot_count];
}

/* The next thing to do, finishing first since that frees slots. Called with the lock held; NULL: nothing now. */
static slot *next_job(frame_stream *s)
{
    slot *candidate;

    if (s->next_finish < s->next_take && (candidate = slot_of(s, s->next_finish))->state == TO_FINISH) {
        s->next_finish++;
        candidate->state = FINISHING;
        return candidate;
    }
    if (!s->closing && s->next_decode < s->assigned && (candidate = slot_of(s, s->next_decode))->state == EMPTY) {
        size_t index = s->order ? s->order[s->next_decode] : s->next_decode;

        candidate->frame = (frame){.source = &s->list->sources[index], .index = index, .place = s->next_decode};
        s->next_decode++;
        candidate->state = DECODING;
        return candidate;
    }
    return NULL;
}

static void do_job(frame_stream *s, slot *job, worker_reader *reader)
{
    if (job->state == DECODING) {
        decode(&job->frame, reader, s->list);
    } else {
        s->finish(&job->frame, s->context);
        free_pixels(&job->frame);
    }
}

static void *work(void *argument)
{
    frame_stream *s = argument;
    worker_reader reader = {NULL, NULL};

    pthread_mutex_lock(&s->lock);
    for (;;) {
        slot *job = next_job(s);

        if (job) {
            enum slot_state done = job->state == DECODING ? READY : EMPTY;

            pthread_mutex_unlock(&s->lock);
            do_job(s, job, &reader);
            pthread_mutex_lock(&s->lock);
            job->state = done;
            pthread_cond_broadcast(&s->changed);
        } else if (s->closing && s->next_finish == s->next_take) {
            break;
        } else {
            pthread_cond_wait(&s->changed, &s->lock);
        }
    }
    pthread_mutex_unlock(&s->lock);
    penta_io_reader_close(reader.reader);
    return NULL;
}

static size_t online_cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n < 1 ? 1 : (size_t)n;
}

/* order: to be taken over; NULL: the whole list. */
static frame_stream *open_stream(const frame_list *list, size_t threads, size_t slots, frame_finish finish,
                                 void *context, size_t *order)
{
    frame_stream *s = calloc(1, sizeof *s);

    if (!s) {
        free(order);
        return NULL;
    }
    if (threads == 0)
        threads = online_cores();
    s->list = list;
    s->order = order;
    s->assigned = order ? 0 : list->count;
    s->finish = finish;
    s->context = context;
    s->slot_count = slots < 2 ? 2 : slots;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->slots = calloc(s->slot_count, sizeof *s->slots);
    s->threads = calloc(threads, sizeof *s->threads);
    while (s->slots && s->threads && s->thread_count < threads &&
           pthread_create(&s->threads[s->thread_count], NULL, work, s) == 0)
        s->thread_count++;
    if (s->thread_count == 0) {
        frame_stream_close(s);
        return NULL;
    }
    return s;
}

frame_stream *frame_stream_open(const frame_list *list, size_t threads, size_t slots, frame_finish finish,
                                void *context)
{
    return open_stream(list, threads, slots, finish, context, NULL);
}

frame_stream *frame_stream_open_empty(const frame_list *list, size_t threads, size_t slots, frame_finish finish,
                                      void *context)
{
    size_t *order = malloc((list->count + 1) * sizeof *order);

    return order ? open_stream(list, threads, slots, finish, context, order) : NULL;
}

void frame_stream_assign(frame_stream *s, size_t first, size_t n)
{
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < n && s->assigned < s->list->count; i++)
        s->order[s->assigned++] = first + i;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

size_t frame_stream_next(frame_stream *s, size_t most, frame **out)
{
    stage before = stages_enter(STAGE_READ);
    size_t taken = 0;

    pthread_mutex_lock(&s->lock);
    while (s->next_take < s->assigned && taken < most) {
        slot *next = slot_of(s, s->next_take);
        bool ready = next->state == READY && next->frame.place == s->next_take;

        if (!ready && taken > 0)
            break;
        if (!ready) {
            pthread_cond_wait(&s->changed, &s->lock);
            continue;
        }
        next->state = TAKEN;
        s->next_take++;
        out[taken++] = &next->frame;
    }
    pthread_mutex_unlock(&s->lock);
    (void)stages_enter(before);
    return taken;
}

void frame_stream_finish(frame_stream *s, frame *f)
{
    pthread_mutex_lock(&s->lock);
    slot_of(s, f->place)->state = TO_FINISH;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

void frame_stream_close(frame_stream *s)
{
    stage before;

    if (!s)
        return;
    before = stages_enter(STAGE_WRITE);
    pthread_mutex_lock(&s->lock);
    s->closing = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < s->thread_count; i++)
        pthread_join(s->threads[i], NULL);
    for (size_t i = 0; s->slots && i < s->slot_count; i++)
        if (s->slots[i].state == READY)
            free_pixels(&s->slots[i].frame);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s->slots);
    free(s->order);
    free(s->threads);
    free(s);
    (void)stages_enter(before);
}
