/* A list for each kind. */
#include "shared/messages.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char **texts;
    size_t count;
} list;

static list kept[MESSAGE_KINDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool has(const list *l, const char *text)
{
    for (size_t i = 0; i < l->count; i++)
        if (strcmp(l->texts[i], text) == 0)
            return true;
    return false;
}

static void append(list *l, const char *text)
{
    char **more = realloc(l->texts, (l->count + 1) * sizeof *more);

    if (!more)
        return;
    l->texts = more;
    more[l->count] = strdup(text);
    l->count += more[l->count] != NULL;
}

bool messages_keep(message_kind kind, const char *text)
{
    list *l = &kept[kind];
    bool known;

    pthread_mutex_lock(&lock);
    known = kind != MESSAGE_ERROR && has(l, text);
    if (!known)
        append(l, text);
    pthread_mutex_unlock(&lock);
    return !known;
}

const char *messages_at(message_kind kind, size_t i)
{
    const char *text;

    pthread_mutex_lock(&lock);
    text = i < kept[kind].count ? kept[kind].texts[i] : NULL;
    pthread_mutex_unlock(&lock);
    return text;
}

const char *messages_last(message_kind kind)
{
    const char *text;

    pthread_mutex_lock(&lock);
    text = kept[kind].count > 0 ? kept[kind].texts[kept[kind].count - 1] : NULL;
    pthread_mutex_unlock(&lock);
    return text;
}

void messages_forget(void)
{
    pthread_mutex_lock(&lock);
    for (int kind = 0; kind < MESSAGE_KINDS; kind++) {
        for (size_t i = 0; i < kept[kind].count; i++)
            free(kept[kind].texts[i]);
        free(kept[kind].texts);
        kept[kind] = (list){0};
    }
    pthread_mutex_unlock(&lock);
}

/* ---- messages that wait ---- */

static _Thread_local held_messages *holder;
static _Thread_local bool error_alone;

void messages_hold(held_messages *to)
{
    holder = to;
    error_alone = false;
}

void messages_hold_error(held_messages *to)
{
    holder = to;
    error_alone = true;
}

bool messages_withhold(message_kind kind, bool shown, const char *text, const char *whole)
{
    held_messages *to = error_alone && kind != MESSAGE_ERROR ? NULL : holder;
    bool dropped = to && error_alone && to->count > 0;
    held_message *grown = to && !dropped ? realloc(to->list, (to->count + 1) * sizeof *grown) : NULL;

    if (!grown)
        return dropped;
    to->list = grown;
    grown[to->count] = (held_message){kind, shown, strdup(text), strdup(whole)};
    if (grown[to->count].text && grown[to->count].whole) {
        to->count++;
        return true;
    }
    free(grown[to->count].text);
    free(grown[to->count].whole);
    return false;
}

void messages_free(held_messages *held)
{
    for (size_t i = 0; i < held->count; i++) {
        free(held->list[i].text);
        free(held->list[i].whole);
    }
    free(held->list);
    *held = (held_messages){0};
}
