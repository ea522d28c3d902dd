#include "bellhop_commit.h"

#include <stddef.h>

#ifndef BELLHOP_COMMIT
#define BELLHOP_COMMIT NULL
#endif

const char *bellhop_commit(void) { return BELLHOP_COMMIT; }
