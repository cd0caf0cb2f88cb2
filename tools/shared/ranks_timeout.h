/* A rank that has failed while the others wait for it elsewhere, as in sums of the library, is not heard in an
 * exchange: after a while it says why itself, and ends all ranks. */
#pragma once

/* From now on ranks of this job do so. */
void ranks_timeout_allow(void);

/* Around an exchange of a rank that has failed with this exit code; abort ends all. */
void ranks_timeout_begin(int code, void (*abort)(int code));
void ranks_timeout_end(void);

/* This rank's last error on stderr, with its number and host; of rank 0, which has said it, nothing. */
void ranks_timeout_say(void);
