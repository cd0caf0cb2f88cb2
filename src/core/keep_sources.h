/* PENTACL_KEEP_SOURCES: the text and the options of every program that is built, in a folder. */
#ifndef PENTA_CORE_KEEP_SOURCES_H
#define PENTA_CORE_KEEP_SOURCES_H

#include "core/core.h"

/* Writes HASH.cl and HASH.options where the variable names a folder, which is made. Equal programs are one pair. */
penta_status penta_keep_sources(penta_context *ctx, const char *text, const char *options);

#endif
