/* Which pages of a file are read: lists of numbers such as 3, 2,5-9 and 1-:10, and the channels, slices and series that
 * a file says its pages are of. */
#include <pentacl/numbers.h>
#include "io/format.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists of numbers ---- */

typedef struct {
    uint64_t first, last, step; /* last UINT64_MAX: to the end */
} range;

static bool take_number(const char **at, uint64_t *out)
{
    size_t digits = 0;

    for (*out = 0; **at >= '0' && **at <= '9'; (*at)++, digits++)
        *out = digits < 18 ? 10 * *out + (uint64_t)(**at - '0') : 0;
    return digits > 0 && digits <= 18;
}

/* Takes N, N-M or N-, each perhaps followed by :STEP, and the comma after it. */
static bool take_range(const char **at, range *out)
{
    out->step = 1;
    if (!take_number(at, &out->first))
        return false;
    out->last = out->first;
    if (**at == '-') {
        ++*at;
        if (**at < '0' || **at > '9')
            out->last = UINT64_MAX;
        else if (!take_number(at, &out->last) || out->last < out->first)
            return false;
        if (**at == ':' && (++*at, !take_number(at, &out->step) || out->step == 0))
            return false;
    }
    if (**at == ',')
        return *++*at != 0;
    return **at == 0;
}

static bool is_list(const char *text, uint64_t least)
{
    range r;

    do
        if (!take_range(&text, &r) || r.first < least)
            return false;
    while (*text);
    return true;
}

bool io_choice_has(const char *text, uint64_t number)
{
    range r;
    bool has = false;

    while (!has && *text && take_range(&text, &r))
        has = number >= r.first && number <= r.last && (number - r.first) % r.step == 0;
    return has;
}

uint64_t io_choice_most(const char *text)
{
    range r;
    uint64_t most = 0;

    while (*text && take_range(&text, &r)) {
        uint64_t last = r.last == UINT64_MAX ? r.first : r.last;

        most = last > most ? last : most;
    }
    return most;
}

bool penta_io_choice_check(const penta_io_choice *choice, penta_io_error *err)
{
    const struct {
        const char *name, *text;
        uint64_t least;
    } lists[] = {{"page", choice->page, 1}, {"channel", choice->channel, 1}, {"hdu", choice->hdu, 0}};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i].text && !is_list(lists[i].text, lists[i].least))
            return penta_io_fail(err,
                                 "`%s` needs numbers or ranges from %" PRIu64 ", such as 3 or 2,5-9 or 1-:10, not '%s'",
                                 lists[i].name, lists[i].least, lists[i].text);
    return true;
}

/* ---- doubts ---- */

void io_reader_doubt(penta_io_reader *reader, const char *format, ...)
{
    size_t used = strlen(reader->doubt);
    va_list args;

    used += (size_t)snprintf(reader->doubt + used, sizeof reader->doubt - used, "%s%s", used ? "" : reader->input.path,
                             used ? "; " : ": ");
    if (used >= sizeof reader->doubt)
        return;
    va_start(args, format);
    if (penta_vsnprintf(reader->doubt + used, sizeof reader->doubt - used, format, args) < 0)
        reader->doubt[used] = 0;
    va_end(args);
}

/* ---- the pages ---- */

/* What the first series of the file has. */
typedef struct {
    uint32_t channels, slices, times, series;
    bool more_channels; /* than that of the first page: not so in a file a channel */
} extents;

static extents measure(const penta_io_reader *reader)
{
    extents e = {1, 1, 1, 1, false};

    for (size_t i = 0; i < reader->pages; i++) {
        const io_page_place *p = &reader->places[i];

        e.series = p->series >= e.series ? p->series + 1 : e.series;
        if (p->series != reader->places->series)
            continue;
        e.channels = p->channel >= e.channels ? p->channel + 1 : e.channels;
        e.more_channels = e.more_channels || p->channel != reader->places->channel;
        e.slices = p->slice >= e.slices ? p->slice + 1 : e.slices;
        e.times = p->time >= e.times ? p->time + 1 : e.times;
    }
    return e;
}

/* The pages of the second slice, where slices run fastest in a channel. */
static void note_slices(penta_io_reader *reader, const extents *e, const char *channel)
{
    const io_page_place *first = reader->places;
    char how[96] = "`page` chooses", also[48] = "";
    size_t next = 1;

    while (next < reader->pages && (first[next].channel != first->channel || first[next].series != first->series))
        next++;
    if (!channel && (e->channels > 1 || e->series > 1))
        snprintf(also, sizeof also, "`channel` %" PRIu32 " ", first->channel + 1);
    if (next < reader->pages && first[next].slice == first->slice + 1)
        snprintf(how, sizeof how, "slice %" PRIu32 ": %s`page` 2-:%" PRIu32, first->slice + 2, also, e->slices);
    io_reader_doubt(reader, "slice %" PRIu32 " of %" PRIu32 " in depth is read (%s)", first->slice + 1, e->slices, how);
}

/* What is left out where nobody has chosen it. */
static void note_places(penta_io_reader *reader, const extents *e, const penta_io_choice *choice)
{
    const io_page_place *first = reader->places;

    if (e->more_channels && !choice->channel)
        io_reader_doubt(reader, "channel %" PRIu32 " of %" PRIu32 " is read (`channel` chooses)", first->channel + 1,
                        e->channels);
    if (e->slices > 1 && e->times > 1 && !choice->page)
        note_slices(reader, e, choice->channel);
    if (e->slices > 1 && e->times == 1 && !choice->page && reader->depth_stated)
        io_reader_doubt(reader, "its %" PRIu32 " slices in depth are read as frames (`page` chooses)", e->slices);
    if (e->series > 1)
        io_reader_doubt(reader, "the first of its %" PRIu32 " series is read (`page` chooses)", e->series);
}

static bool page_is_read(const penta_io_reader *reader, const penta_io_choice *choice, const extents *e, size_t page)
{
    const io_page_place *first = reader->places, *p = first + page;

    if (!first || (choice->page && !choice->channel))
        return true;
    if (p->series != first->series ||
        (choice->channel ? !io_choice_has(choice->channel, (uint64_t)p->channel + 1) : p->channel != first->channel))
        return false;
    return choice->page || e->slices == 1 || e->times == 1 || p->slice == first->slice;
}

bool io_choose_pages(penta_io_reader *reader, const penta_io_choice *choice, penta_io_error *err)
{
    extents e = {1, 1, 1, 1, false};
    size_t candidates = 0;

    if (reader->places)
        e = measure(reader);
    if (choice->channel && io_choice_most(choice->channel) > e.channels)
        return penta_io_fail(err, "%s: has %" PRIu32 " channel%s, but `channel` asks for %" PRIu64, reader->input.path,
                             e.channels, e.channels == 1 ? "" : "s", io_choice_most(choice->channel));
    if (!reader->places && !choice->page)
        return true;
    reader->chosen = malloc(reader->pages * sizeof *reader->chosen);
    if (!reader->chosen)
        return penta_io_fail(err, "%s: out of memory for its list of pages", reader->input.path);
    for (size_t i = 0; i < reader->pages; i++)
        if (page_is_read(reader, choice, &e, i) &&
            (candidates++, !choice->page || io_choice_has(choice->page, candidates)))
            reader->chosen[reader->chosen_count++] = i;
    if (choice->page && io_choice_most(choice->page) > candidates)
        return penta_io_fail(err, "%s: has %zu page%s%s, but `page` asks for %" PRIu64, reader->input.path, candidates,
                             candidates == 1 ? "" : "s", choice->channel ? " of this channel" : "",
                             io_choice_most(choice->page));
    if (reader->chosen_count == 0)
        return penta_io_fail(err, "%s: has no page of channel %s; leave `channel` out, or choose another",
                             reader->input.path, choice->channel ? choice->channel : "1");
    if (reader->places && !(choice->page && !choice->channel))
        note_places(reader, &e, choice);
    return true;
}
