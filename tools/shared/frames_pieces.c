/* The frames that are left of a list, in pieces to be handed out. */
#include "shared/frames_work.h"

enum { PIECES_EACH = 8 }; /* pieces a worker, at least, so that none waits long for the last */

frames_pieces frames_work_pieces(const frames_work *w, size_t workers)
{
    size_t left = w->list->count - w->done, most = w->slots / 3;
    size_t size = (left + PIECES_EACH * workers - 1) / (PIECES_EACH * workers);

    most = most < w->batch ? most : w->batch;
    size = size < most ? size : most;
    size = size > 0 ? size : 1;
    return (frames_pieces){.from = w->done, .size = size, .end = w->list->count, .count = (left + size - 1) / size};
}

size_t frames_pieces_first(const frames_pieces *p, size_t piece)
{
    return p->from + piece * p->size;
}

size_t frames_pieces_length(const frames_pieces *p, size_t piece)
{
    size_t left = p->end - frames_pieces_first(p, piece);

    return left < p->size ? left : p->size;
}
