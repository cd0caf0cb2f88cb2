/* What the command that runs has said, for its JSON answer (shared/answer.h). Any thread may call these functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum { MESSAGE_ERROR, MESSAGE_WARNING, MESSAGE_NOTE } message_kind;
enum { MESSAGE_KINDS = 3 };

/* Keeps a copy of the text, unless memory runs out. False: it is kept already, as a warning or note may be once. */
bool messages_keep(message_kind kind, const char *text);

/* The i-th of this kind, in the order in which they were said; NULL past the last. */
const char *messages_at(message_kind kind, size_t i);
/* The one said last; NULL: none. */
const char *messages_last(message_kind kind);

/* Frees all of them. */
void messages_forget(void);

/* ---- messages that wait for their turn, of threads that work side by side ---- */

typedef struct held_message {
    message_kind kind;
    bool shown;
    char *text, *whole; /* what is kept, and what is printed */
} held_message;

/* All 0: none. */
typedef struct held_messages {
    held_message *list;
    size_t count;
} held_messages;

/* What this thread says from now on goes to the list; NULL: it is said at once. */
void messages_hold(held_messages *to);
/* The same for the first error alone: what else is said of it later is dropped, and other messages are said at once. */
void messages_hold_error(held_messages *to);
/* Whether the message has gone to such a list. */
bool messages_withhold(message_kind kind, bool shown, const char *text, const char *whole);
void messages_free(held_messages *held);
