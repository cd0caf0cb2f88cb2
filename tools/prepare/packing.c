/* What ranks tell each other, and --resume: the plan and the state of the series, and of a frame its drift and its cell
 * of the sheet. The files they write themselves. */
#include <stdlib.h>

#include "prepare/run.h"

bool prepare_pack_plan(void *run, FILE *out)
{
    const preparation *p = run;

    return prepare_members_pack(&p->members, out);
}

int prepare_unpack_plan(void *run, const void *bytes, size_t size)
{
    preparation *p = run;
    parcel_reader r = parcel_read(bytes, size);
    int code = prepare_members_unpack(&p->members, &p->job, &p->recipe, &r);

    if (code != CLI_OK)
        return code;
    p->first = p->members.first;
    p->plan = p->members.plans[0];
    return CLI_OK;
}

/* ---- a frame ---- */

static size_t bytes_of(const sheet_cell *cell, int which)
{
    return 3 * cell->width[which] * cell->height[which];
}

bool prepare_pack(void *run, const frame *f, FILE *out)
{
    const prepare_result *own = f->user;
    const sheet_cell *cell = &own->cell;
    penta_prepare_result plain = own->r;

    (void)run;
    plain.image = NULL;
    plain.mask = NULL;
    parcel_put(out, &plain, sizeof plain);
    parcel_put(out, &own->white, sizeof own->white);
    parcel_put_text(out, cell->label);
    if (!cell->label)
        return true;
    parcel_put(out, cell->width, sizeof cell->width);
    parcel_put(out, cell->height, sizeof cell->height);
    parcel_put_block(out, cell->before, bytes_of(cell, 0));
    parcel_put_block(out, cell->after, bytes_of(cell, 1));
    return true;
}

bool prepare_unpack(void *run, frame *f, const void *bytes, size_t size)
{
    parcel_reader r = parcel_read(bytes, size);
    prepare_result *own = calloc(1, sizeof *own);
    size_t before = 0, after = 0;

    (void)run;
    if (!own)
        return false;
    parcel_get(&r, &own->r, sizeof own->r);
    parcel_get(&r, &own->white, sizeof own->white);
    own->cell.label = parcel_get_text(&r);
    if (own->cell.label) {
        parcel_get(&r, own->cell.width, sizeof own->cell.width);
        parcel_get(&r, own->cell.height, sizeof own->cell.height);
        own->cell.before = parcel_get_block(&r, &before);
        own->cell.after = parcel_get_block(&r, &after);
        r.ok = r.ok && before == bytes_of(&own->cell, 0) && after == bytes_of(&own->cell, 1);
    }
    f->user = own;
    if (!r.ok) {
        prepare_free_result(own);
        f->user = NULL;
    }
    return r.ok;
}
