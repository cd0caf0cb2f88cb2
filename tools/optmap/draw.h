/* The figures of optmap, and the files that hold one each. */
#pragma once

#include <stdio.h>

#include <pentacl/io/error.h>

#include "figures/figure.h"
#include "optmap/findings.h"
#include "optmap/maps.h"

/* Sizes of figures: of a file of its own, or in the report. */
typedef struct {
    double letters, head, margin;    /* px; head: room for a title, 0: there is none */
    double width, side;              /* px: of all panels together, of the longer side of one; at most */
    size_t columns;                  /* at most; 0: as many as look well */
    size_t most_panels, most_pixels; /* of a map; more are shown by each nth one */
    size_t most_points;              /* of a trace, likewise; 0: all */
} optmap_style;

extern const optmap_style optmap_picture_style, optmap_report_style;

/* A panel for each beat in common colours, with isochrones or arrows. False when out of memory. */
bool optmap_describe_maps(figure *fig, const optmap_findings *f, const penta_findings_map *map,
                          const optmap_style *style);
/* Under or over it: what it shows. */
void optmap_caption(const optmap_findings *f, const penta_findings_map *map, const optmap_style *style, char *text,
                    size_t size);
/* Traces of a few pixels before and after conditioning, and where those are; without any, a remark. */
void optmap_describe_traces(figure *fig, const optmap_findings *f, const optmap_style *style);
/* The same in memory, which the caller frees; NULL where there are no frames. */
bool optmap_film(const optmap_findings *f, char **bytes, size_t *size);

/* Each makes one file of that path, whole or not at all. */
bool optmap_draw_activation(const char *path, const optmap_findings *f, penta_io_error *err); /* PNG: all beats */
bool optmap_draw_map(const char *path, const optmap_findings *f, const char *which,
                     penta_io_error *err);                                                /* "apd80", .. */
bool optmap_draw_traces(const char *path, const optmap_findings *f, penta_io_error *err); /* PNG */
bool optmap_draw_movie(const char *path, const optmap_findings *f, penta_io_error *err);  /* APNG */
