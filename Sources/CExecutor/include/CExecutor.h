#ifndef CEXECUTOR_H
#define CEXECUTOR_H

#include <stdint.h>

/* Runs Swift's concurrent work on threads that sleep until there is some.
 *
 * The runtime's own pool on Linux looks after its threads once a second for as long as a program
 * runs; a client that waits for a signal should not wake for that. The runtime offers a hook to put
 * another executor in its place (swift/Runtime/Concurrency.h); NIO and FoundationDB use the same. */

/* To be called before the first task is made, from the only thread. 1: it is in place. 0: this
 * runtime has no such hook, or threads are short; its own pool goes on. */
int cexecutor_install(void);

/* Calls, on one of the threads, when so many nanoseconds have passed; the machine's sleep does not
 * count. Only where the executor is in place. The number, never 0, is for cexecutor_cancel. */
uint64_t cexecutor_call_after(int64_t nanoseconds, void (*call)(void *), void *context);

/* Takes a call back. 1: it will not be made. 0: it is made, or will be at once. */
int cexecutor_cancel(uint64_t number);

#endif
