/* Threads that write frames while the next ones are drawn. */
#ifndef PENTA_TOOLS_STARS_WRITERS_H
#define PENTA_TOOLS_STARS_WRITERS_H

#include "stars/shot.h"

typedef struct star_writers star_writers;

/* Writes one frame; on any thread, never two of one frame. */
typedef bool (*star_write)(void *context, const star_shot *shot, penta_io_error *err);

/* One thread a core, and as many frames in waiting. NULL when memory or threads run out. */
star_writers *star_writers_open(star_write write, void *context);

/* Takes over a frame; waits while too many are queued. After a failure: false, and the frame is freed. */
bool star_writers_put(star_writers *writers, const star_shot *shot);

/* Waits for the last and ends the threads. False with the first error. NULL is fine. */
bool star_writers_close(star_writers *writers, penta_io_error *err);

#endif
