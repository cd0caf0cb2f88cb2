#include "reference/prepare.h"

#include <stdlib.h>

void reference_nodes_free(reference_nodes *n)
{
    free(n->x);
    free(n->y);
    free(n->mean);
    free(n->weight);
    *n = (reference_nodes){0};
}
