#ifndef BELLHOP_CLOCK_H
#define BELLHOP_CLOCK_H

#include <stdint.h>

/* Reports whether the kernel's clock is synchronised with a reference (adjtimex(2)). Returns 1 if
 * it is, and stores its time since 1970 in *milliseconds. Returns 0 if it is not, or if this system
 * does not report it. */
int bellhop_clock_synchronized(int64_t *milliseconds);

#endif
