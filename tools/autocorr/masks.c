/* The operands as frames with their masks. */
#include "autocorr/masks.h"

#include <stdlib.h>
#include <string.h>

static const char SUFFIX[] = ".mask.png";

/* The part of a path that a frame and its mask have in common: without the suffix of masks, else the last extension. */
static size_t key_length(const char *path, bool mask)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');

    if (mask)
        return strlen(path) - strlen(SUFFIX);
    return dot && dot != base ? (size_t)(dot - path) : strlen(path);
}

static bool is_called_mask(const char *path)
{
    size_t length = strlen(path);

    return length > strlen(SUFFIX) && path[length - strlen(SUFFIX) - 1] != '/' &&
           strcmp(path + length - strlen(SUFFIX), SUFFIX) == 0;
}

typedef struct {
    char *path;
    size_t length; /* of its key */
} operand;

static int by_key(const void *a, const void *b)
{
    const operand *x = a, *y = b;
    size_t least = x->length < y->length ? x->length : y->length;
    int order = memcmp(x->path, y->path, least);

    return order ? order : (x->length > y->length) - (x->length < y->length);
}

/* The operand of the same key in a sorted list, or NULL. */
static const operand *partner(const char *path, bool mask, const operand *list, size_t count)
{
    operand wanted = {.path = (char *)path, .length = key_length(path, mask)};

    return bsearch(&wanted, list, count, sizeof *list, by_key);
}

/* Sorted operands that are called masks, or that are not; their number. */
static size_t select_operands(char **paths, size_t count, bool mask, operand *out)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (is_called_mask(paths[i]) == mask)
            out[n++] = (operand){paths[i], key_length(paths[i], mask)};
    qsort(out, n, sizeof *out, by_key);
    return n;
}

static bool give_masks(frame_list *list, const operand *masks, size_t count, penta_io_error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        frame_source *s = &list->sources[i];
        const operand *mask = partner(s->path, false, masks, count);

        if (!mask)
            return penta_io_fail(err, "%s has no mask, but other frames have; give its %s too, or no mask at all",
                                 s->name, SUFFIX + 1);
        s->mask = strdup(mask->path);
        if (!s->mask)
            return penta_io_fail(err, "out of memory for the list of frames");
    }
    return true;
}

/* frames: room for all operands. */
static bool list_frames(char **paths, size_t count, const penta_io_choice *choice, operand *sorted, char **frames,
                        frame_list *out, penta_io_error *err)
{
    size_t n = select_operands(paths, count, false, sorted), left = 0, masks;

    for (size_t i = 0; i < count; i++)
        if (!is_called_mask(paths[i]) || !partner(paths[i], true, sorted, n))
            frames[left++] = paths[i];
    if (!frame_list_make_chosen(frames, left, choice, out))
        return penta_io_fail(err, "out of memory for the list of frames");
    masks = left < count ? select_operands(paths, count, true, sorted) : 0;
    return masks == 0 || give_masks(out, sorted, masks, err);
}

bool masks_list_frames(char **paths, size_t count, const penta_io_choice *choice, frame_list *out, penta_io_error *err)
{
    operand *sorted = calloc(count + 1, sizeof *sorted);
    char **frames = calloc(count + 1, sizeof *frames);
    bool ok = sorted && frames ? true : penta_io_fail(err, "out of memory for the list of frames");

    *out = (frame_list){0};
    ok = ok && list_frames(paths, count, choice, sorted, frames, out, err);
    if (!ok)
        frame_list_free(out);
    free(sorted);
    free(frames);
    return ok;
}
