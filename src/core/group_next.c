/* Slices of a list, each for the member that asks first. Members of a process count together; for those of other
 * processes a thread of rank 0 counts, which does nothing else, so that nobody waits for what rank 0 is busy with. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/group.h"

enum { NAP = 200000 }; /* ns, of the thread while nobody asks */

static const size_t stopped = SIZE_MAX / 2; /* more slices than a list has */

static size_t count_one(penta_counter *c, size_t members, size_t slices)
{
    size_t slice = atomic_fetch_add(&c->next, 1);

    if (slice < slices)
        return slice;
    if (atomic_fetch_add(&c->ended, 1) + 1 == members) {
        atomic_store(&c->ended, 0);
        atomic_store(&c->next, 0);
    }
    return slices;
}

/* Not a list that has begun since. */
static void end_list(penta_counter *c)
{
    size_t next = atomic_load(&c->next);

    while (next > 0 && next < stopped && !atomic_compare_exchange_weak(&c->next, &next, stopped))
        continue;
}

/* ---- between processes: a message is the number of slices, or nothing where the list ends ---- */

static penta_status answer(penta_group *group, const penta_message *asked, size_t *left)
{
    uint64_t slices, slice;

    if (asked->bytes == 0) {
        end_list(group->counter);
        return PENTA_OK;
    }
    memcpy(&slices, asked->data, sizeof slices);
    slice = count_one(group->counter, group->size, (size_t)slices);
    *left -= slice == slices;
    return penta_group_send(group, asked->from, PENTA_CHANNEL_ANSWER, &slice, sizeof slice);
}

/* Until all others have been told that no slice is left. */
static void *count_for_others(void *argument)
{
    penta_group *group = argument;
    const struct timespec nap = {0, NAP};
    penta_status status = PENTA_OK;
    size_t left = group->size - 1;

    while (status == PENTA_OK && left > 0 && !atomic_load(&group->over)) {
        penta_message asked;
        bool found;

        status = penta_group_try(group, PENTA_CHANNEL_ASK, &asked, &found);
        if (status == PENTA_OK && found)
            status = answer(group, &asked, &left);
        else
            nanosleep(&nap, NULL);
        free(asked.data);
    }
    return NULL;
}

static void end_thread(penta_group *group)
{
    atomic_store(&group->over, true);
    pthread_join(group->thread, NULL);
    group->end_thread = NULL;
}

/* With the first slice of a list. */
static penta_status begin_count(penta_group *group)
{
    if (group->counter != &group->own || group->size == 1 || atomic_load(&group->own.next) > 0)
        return PENTA_OK;
    if (group->end_thread)
        end_thread(group);
    atomic_store(&group->over, false);
    if (pthread_create(&group->thread, NULL, count_for_others, group) != 0)
        return penta_fail(NULL, PENTA_MEMORY, "cannot start a thread that counts slices");
    group->end_thread = end_thread;
    return PENTA_OK;
}

static penta_status ask(penta_group *group, size_t slices, size_t *slice)
{
    penta_status status = PENTA_OK;
    penta_message answered = {NULL, 0, 0};
    uint64_t number = slices;

    TRY(penta_group_send(group, 0, PENTA_CHANNEL_ASK, &number, sizeof number));
    TRY(penta_group_receive(group, 0, PENTA_CHANNEL_ANSWER, &answered));
    memcpy(&number, answered.data, sizeof number);
    *slice = (size_t)number;
cleanup:
    free(answered.data);
    return status;
}

/* ---- for all ---- */

penta_status penta_group_next(penta_group *group, size_t slices, size_t *slice)
{
    penta_status status = PENTA_OK;

    *slice = slices;
    if (!group->counter)
        return ask(group, slices, slice);
    TRY(begin_count(group));
    *slice = count_one(group->counter, group->size, slices);
cleanup:
    return status;
}

penta_status penta_group_stop(penta_group *group)
{
    if (!group->counter)
        return penta_group_send(group, 0, PENTA_CHANNEL_ASK, NULL, 0);
    end_list(group->counter);
    return PENTA_OK;
}
