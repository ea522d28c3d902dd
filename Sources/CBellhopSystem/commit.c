#include "bellhop_commit.h"

#include <stddef.h>

#ifdef BELLHOP_COMMIT

/* The second macro gets the digits that the first one stands for. */
#define TEXT_OF(digits) #digits
#define TEXT(macro) TEXT_OF(macro)

const char *bellhop_commit(void) { return TEXT(BELLHOP_COMMIT); }

#else

const char *bellhop_commit(void) { return NULL; }

#endif
