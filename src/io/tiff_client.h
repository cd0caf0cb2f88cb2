/* libtiff on files opened by this library; its messages are kept instead of printed. Internal to src/io. */
#pragma once

#include <stdbool.h>
#include <tiffio.h>

/* libtiff's messages on this thread since io_tiff_hush; never printed. */
typedef struct {
    char error[400];   /* the first error, which causes later ones */
    char warning[400]; /* the last warning */
    bool made_up;      /* a codec warned that the data are damaged and that it invented pixels */
} io_tiff_said;

io_tiff_said *io_tiff_text(void);
void io_tiff_hush(void);

typedef struct {
    TIFFReadWriteProc read, write;
    TIFFSeekProc seek;
    TIFFSizeProc size;
} io_tiff_calls;

/* mode: as for TIFFOpen. limit: most bytes that libtiff may allocate at once (libtiff 4.5 and later), 0: no limit. The
 * file behind `handle` stays open when the TIFF is closed. NULL on failure, with the reason in io_tiff_text. */
TIFF *io_tiff_client(const char *name, const char *mode, void *handle, const io_tiff_calls *calls, tmsize_t limit);
