/*
 * Stars of the built-in Bright Star Catalogue whose magnitude there says little about a given night: T Coronae Borealis
 * and the Miras. data/README.md has the sources.
 */
#ifndef PENTA_TOOLS_STARS_VARIABLES_H
#define PENTA_TOOLS_STARS_VARIABLES_H

#include <stddef.h>
#include <stdint.h>

typedef struct star_variable {
    uint64_t hr;
    const char *name;
    double mag; /* V, instead of the catalogue's; NAN: as catalogued, near the maximum */
} star_variable;

enum { STAR_VARIABLES = 29 }; /* fewer than the bits of a uint64_t */
extern const star_variable star_variables[STAR_VARIABLES];

/* The place of a star in the table; STAR_VARIABLES: it is not there. */
size_t star_variable_find(uint64_t hr);

#endif
