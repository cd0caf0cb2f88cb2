/* The parts of the report. They print HTML; those that return bool are false when out of memory. */
#ifndef PENTA_TOOLS_OPTMAP_REPORT_HTML_H
#define PENTA_TOOLS_OPTMAP_REPORT_HTML_H

#include <stdint.h>
#include <stdio.h>

#include "optmap/draw.h"

/* Text from outside: & < > " and ' as entities, control characters and bytes that are no UTF-8 as U+FFFD. */
void optmap_html_text(FILE *out, const char *text);
/* data:image/png;base64,.. */
void optmap_html_png(FILE *out, const uint8_t *bytes, size_t size);

/* A figure: a panel for each beat, isochrones, colour bar, scale bar; nothing where there are no such maps. */
bool optmap_html_maps(FILE *out, const optmap_findings *f, const char *name);
/* A figure of traces before and after. */
void optmap_html_traces(FILE *out, const optmap_findings *f);
/* Tables, and the paths of rotors. */
bool optmap_html_summary(FILE *out, const optmap_findings *f);
bool optmap_html_beats(FILE *out, const optmap_findings *f);
bool optmap_html_rotors(FILE *out, const optmap_findings *f);
void optmap_html_settings(FILE *out, const optmap_findings *f);

#endif
