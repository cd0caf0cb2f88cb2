/* The table of statistics. */
#ifndef PENTA_TOOLS_OPTMAP_STATISTICS_H
#define PENTA_TOOLS_OPTMAP_STATISTICS_H

#include <stdio.h>

#include "optmap/findings.h"

/* name,unit,median,q1,q3,mean,sd,range,least,largest,pixels,beats. False when out of memory. */
bool optmap_put_statistics(FILE *out, const optmap_findings *f);

#endif
