/* Which rows of a movie are whose. */
#include "optmap/shared.h"

/* Every pixel is loaded, which costs 1; one that is not masked is worked on, too. The ratio is a guess. */
enum { WORK_COST = 8 };

static size_t cost_of(const uint8_t *mask, size_t width)
{
    size_t cost = width;

    for (size_t x = 0; x < width; x++)
        cost += WORK_COST * (!mask || mask[x]);
    return cost;
}

void penta_optmap_share(size_t width, size_t height, const uint8_t *mask, size_t members, size_t *first)
{
    double all = 0, before = 0;
    size_t member = 0;

    for (size_t y = 0; y < height; y++)
        all += (double)cost_of(mask ? mask + y * width : NULL, width);
    for (size_t y = 0; y < height; y++) {
        double cost = (double)cost_of(mask ? mask + y * width : NULL, width);

        /* a row belongs to the member in whose part its middle lies */
        while (member < members && before + cost / 2 >= all * (double)member / (double)members)
            first[member++] = y;
        before += cost;
    }
    while (member <= members)
        first[member++] = height;
}

optmap_part optmap_part_of(const optmap_shared *s, size_t member)
{
    size_t height = s->plan->shape.height, halo = (size_t)s->plan->options.window / 2;
    optmap_part p = {.from = s->first[member], .to = s->first[member + 1]};

    if (p.from < p.to) {
        p.begin = p.from < halo ? 0 : p.from - halo;
        p.end = height - p.to < halo ? height : p.to + halo;
    }
    return p;
}
