#ifndef BELLHOP_CLOCK_H
#define BELLHOP_CLOCK_H

#include <stdint.h>

/* Reports whether the kernel's clock is synchronised with a reference; adjtimex(2).
 * 1: it is, and *milliseconds is its time since 1970. 0: it is not, or this system does not report it. */
int bellhop_clock_synchronized(int64_t *milliseconds);

#endif
