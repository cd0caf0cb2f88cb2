/* What this build reads and writes: the one list that messages, help and `penta version` have it from. */
#ifndef PENTACL_IO_FORMATS_H
#define PENTACL_IO_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

#include <pentacl/io/error.h>

PENTA_BEGIN_DECLS

enum penta_io_kind {
    PENTA_IO_IMAGES = 0,
    PENTA_IO_CUBES,
    PENTA_IO_MOVIES,
    PENTA_IO_BODIES,
    PENTA_IO_CATALOGS,
    PENTA_IO_KINDS /* how many there are */
};

/* A format. Texts are never freed. */
typedef struct {
    const char *name;        /* "PNG" */
    const char *const *ends; /* usual ends of its files' names, without the dot, up to NULL; none: any */
    const char *library;     /* the library that reads or writes it, "libpng"; NULL: this one itself */
    const char *package; /* Debian's package to install and build with, where this build lacks the library; else NULL */
    bool read, write;    /* in this build; both false where a package is named */
} penta_io_format;

/** "images", "cubes", "movies", "bodies", "catalogs". */
PENTA_API const char *penta_io_kind_name(enum penta_io_kind kind);

/** Format i of a kind, from 0, those that this build lacks included; false: there are fewer. */
PENTA_API bool penta_io_format_at(enum penta_io_kind kind, size_t i, penta_io_format *out);

/** The formats of a kind that this build reads, "PNG, FITS and NPY", as much as there is room for. */
PENTA_API void penta_io_format_names(enum penta_io_kind kind, char *text, size_t size);

PENTA_END_DECLS
#endif
