#ifndef CTURN_H
#define CTURN_H

#include <stdint.h>

/* Asks that the turns which the calling thread gets on a processor be as short as so many microseconds,
 * of at least 100. A thread with short turns gets one soon when it is woken, also where a thread with
 * longer ones is at work; it gets no more time in all. Threads and programs that it starts are as any
 * others. sched_setattr(2), since Linux 6.12: the slice of SCHED_OTHER. 1: it is so. 0: this system does
 * not do that, or does not let this program. */
int cturn_shorten(uint32_t microseconds);

#endif
