#ifndef CEXECUTOR_H
#define CEXECUTOR_H

#include <stdint.h>

/* Runs Swift's tasks on threads that sleep until there is work.
 *
 * The runtime's own pool on Linux, libdispatch, checks its threads once a second for as long as the
 * program runs. This executor does not. Only the package trait QuietExecutor builds it in, and that
 * trait is off: the executor replaces the runtime's by a private hook, swift_task_enqueueGlobal_hook,
 * whose form may change with any version of Swift, and it runs tasks in their order, whatever their
 * priority. */

/* Puts the executor in place. Call it before the first task exists, from the only thread. 1: it is in
 * place. 0: this runtime has no such hook, or no thread can be started; the runtime's pool stays. */
int cexecutor_install(void);

/* Calls, on one of the threads, when so many nanoseconds have passed; the machine's sleep does not
 * count. Only where the executor is in place. The number, never 0, is for cexecutor_cancel. */
uint64_t cexecutor_call_after(int64_t nanoseconds, void (*call)(void *), void *context);

/* Takes a call back. 1: it will not be made. 0: it is made, or will be at once. */
int cexecutor_cancel(uint64_t number);

#endif
