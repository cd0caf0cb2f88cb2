/* To be written. */
#include "reference/optmap.h"
