/* Parts of the report, as HTML. Those that return bool are false when out of memory. */
#pragma once

#include <stdio.h>

#include "optmap/findings.h"

bool optmap_report_summary(FILE *out, const optmap_findings *f);
bool optmap_report_beats(FILE *out, const optmap_findings *f);
/* Table and paths. */
bool optmap_report_rotors(FILE *out, const optmap_findings *f);
void optmap_report_settings(FILE *out, const optmap_findings *f);
