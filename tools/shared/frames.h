/*
 * A series of frames from files, decoded ahead on host threads and handed out in order. Memory is bounded by the number
 * of slots, whatever the length of the series. The same threads run the jobs that finish a frame (writing its files).
 */
#pragma once

#include <stdint.h>

#include <pentacl/io/image.h>

/* One frame of the series: page `page` of a file. */
typedef struct frame_source {
    char *path; /* as given */
    char *name; /* path, or path[page] for a file of several pages */
    char *stem; /* file name without directory and extension, -NNNN for a page, unique in the series */
    size_t page;
    char *error; /* the file could not be opened: one line; else NULL */
    char *doubt; /* what reading the file may get wrong (penta_io_reader_doubt), at its first page and unless the file
                    before says the same; else NULL */
    char
        *mask; /* path of the image that says which pixels count, those where it is not 0; NULL: all. Set like colour */
    char *failure; /* why the run could not use it (frame_list_fail); NULL: it could, or has not come to it */
} frame_source;

typedef struct frame_list {
    frame_source *sources;
    size_t count;
    bool colour; /* frames of colour keep their 3 channels; set between making the list and opening a stream */
    bool strict; /* infinite pixels and frames of NaN alone are errors of the frame; set like colour */
    penta_io_choice choice;   /* which pages; its texts are the caller's */
    const char *out_of_order; /* the caller's path that stems_out_of_order finds */
} frame_list;

/* The rows of an option table for the lists of a choice; the flags have fields of these names. */
#define FRAME_CHOICE_OPTIONS(flags)                                                                                    \
    PENTA_TEXT_OPTION(flags, page, 0, "LIST",                                                                          \
                      "pages to read of each file, counted from 1: 3, or 2,5-9, or 1-:10 for every tenth; with "       \
                      "--channel, pages of the channel"),                                                              \
        PENTA_TEXT_OPTION(                                                                                             \
            flags, channel, 0, "LIST",                                                                                 \
            "channels of OME and ImageJ stacks to read, counted from 1 as in ImageJ; default: the first"),             \
        PENTA_TEXT_OPTION(flags, hdu, 0, "LIST",                                                                       \
                          "FITS: HDUs to read, 0 being the primary one as in astropy and DS9; default: the first "     \
                          "image")

/* Lists the pages of the files. A file that does not open becomes one frame with an error. False: out of memory. */
bool frame_list_make(char **paths, size_t count, frame_list *out);
/* The same of chosen pages. */
bool frame_list_make_chosen(char **paths, size_t count, const penta_io_choice *choice, frame_list *out);
/* Leaves so many frames from this one on. */
void frame_list_cut(frame_list *list, size_t first, size_t count);
void frame_list_free(frame_list *list);
/* Frees what a source has, not itself. */
void frame_source_free(frame_source *source);
/* Keeps why the run could not use a frame. */
void frame_list_fail(frame_list *list, size_t index, const char *text);

typedef struct frame {
    const frame_source *source;
    size_t index;         /* in the list */
    size_t place;         /* in the stream */
    penta_io_image image; /* empty when error.text is set */
    uint8_t *mask;        /* height x width, 0 where a pixel does not count; NULL: all do */
    size_t nan_pixels;    /* of a strict list: pixels that count by the mask and are NaN */
    size_t places;        /* that its content may lie at, of a frame that was prepared; else 0 */
    penta_io_error error;
    void *user; /* the caller's, for its finish job */
} frame;

typedef struct frame_stream frame_stream;

/* Runs on a worker thread when the caller is done with the frame; then the slot is used again. */
typedef void (*frame_finish)(frame *f, void *context);

/* threads 0: one per online core. slots: frames in memory at a time, at least 2. NULL when memory or threads run out.
 */
frame_stream *frame_stream_open(const frame_list *list, size_t threads, size_t slots, frame_finish finish,
                                void *context);

/* The same of a stream that decodes what frame_stream_assign says. */
frame_stream *frame_stream_open_empty(const frame_list *list, size_t threads, size_t slots, frame_finish finish,
                                      void *context);

/* Frames first .. first + n - 1 of the list come next; each frame is assigned once. */
void frame_stream_assign(frame_stream *stream, size_t first, size_t n);

/*
 * The next frames in order: waits for the first, takes as many more as are ready, at most `most`. 0 at the end of what
 * is assigned. They stay valid until given to frame_stream_finish.
 */
size_t frame_stream_next(frame_stream *stream, size_t most, frame **out);

/* Hands a frame to a worker for its finish job. Must be called once for every frame taken, in order. */
void frame_stream_finish(frame_stream *stream, frame *f);

/* Waits for the jobs, ends the threads, frees. Frames not yet decoded are dropped. NULL is fine. */
void frame_stream_close(frame_stream *stream);
