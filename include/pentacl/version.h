/* The version of these headers. That of the library which runs is penta_version() of context.h. */
#ifndef PENTACL_VERSION_H
#define PENTACL_VERSION_H

#define PENTACL_VERSION_MAJOR 0
#define PENTACL_VERSION_MINOR 3
#define PENTACL_VERSION_PATCH 0

/** As one number that can be compared: 0.3.0 is 300, 1.2.3 is 10203. */
#define PENTACL_VERSION (10000 * PENTACL_VERSION_MAJOR + 100 * PENTACL_VERSION_MINOR + PENTACL_VERSION_PATCH)

#endif
