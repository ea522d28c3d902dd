#ifndef CCLOCK_H
#define CCLOCK_H

#include <stdint.h>

/* Whether the kernel reports that its clock is synchronised with a reference; adjtimex(2).
 * 1: it is, and its time in milliseconds since 1970 is in *milliseconds. 0: it is not, or this system
 * does not say. */
int cclock_synchronized(int64_t *milliseconds);

#endif
