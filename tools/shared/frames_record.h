/* What frames_resume.c and frames_record.c share: the record of a series, as it grows. */
#pragma once

#include "shared/frames_work.h"
#include "shared/resume.h"

struct frame_entry {
    size_t size;
    char bytes[]; /* a frame_head, error text, files, result */
};

typedef struct frame_head {
    uint64_t nan_pixels, places;
} frame_head;

/* Of the command's part of the record; the plan and the entries follow. */
typedef struct record_head {
    uint64_t frames, plan_at;
} record_head;

struct frames_record {
    resume resume;
    frame_entry **entries; /* one a frame; NULL: it is not finished. Under the work's lock while frames run */
    size_t count;
    void *plan; /* what the command's pack_plan has put */
    size_t plan_size;
    size_t plan_at; /* frames before the series was as the plan says */
    size_t covered; /* frames that the plan will do for: from plan_at to here they were shared */
    size_t start;   /* frames that were taken over */
    bool is_done, planned;
    bool alone;            /* frames run in order, on the first member */
    bool given_up;         /* the record cannot be written, which was said */
    double plan_time, due; /* on the clock of cli_seconds */
    pthread_cond_t filled; /* an entry more, or an error of finishing */
};

struct frames_record *frames_record_open(size_t count);
/* Takes the bytes over; NULL: out of memory. */
frame_entry *frames_record_entry_of(void *bytes, size_t size);
