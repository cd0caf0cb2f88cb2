/* Threads that write frames while the next ones are drawn. */
#pragma once

#include "stars/shot.h"

typedef struct stars_writers stars_writers;

/* Writes one frame; on any thread, never two of one frame. */
typedef bool (*stars_write)(void *context, const stars_shot *shot, penta_io_error *err);

/* One thread per core of those that `sharing` of them divide, and as many frames waiting. NULL when memory or threads
 * run out. */
stars_writers *stars_writers_open(size_t sharing, stars_write write, void *context);

/* Takes over a frame; waits while too many are queued. After a failure: false, and the frame is freed. */
bool stars_writers_put(stars_writers *writers, const stars_shot *shot);

/* Waits for the last and ends the threads. False with the first error. NULL is fine. */
bool stars_writers_close(stars_writers *writers, penta_io_error *err);
