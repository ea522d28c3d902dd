#ifndef CEXECUTOR_H
#define CEXECUTOR_H

#include <stdint.h>

/* An executor that runs Swift's tasks on threads that sleep until there is work.
 *
 * The runtime's own pool on Linux, libdispatch, checks its threads once a second for as long as the
 * program runs. This executor does not. Only the package trait QuietExecutor includes it, and that
 * trait is off by default: the executor replaces the runtime's through a private hook,
 * swift_task_enqueueGlobal_hook, whose form may change with any version of Swift. It also runs
 * tasks in order and ignores their priority. */

/* Installs the executor. Call it before the first task exists, from the only thread. Returns 1 if
 * it is installed. Returns 0 if this runtime has no such hook or no thread can be started; the
 * runtime's pool then stays. */
int cexecutor_install(void);

/* Calls the function on one of the threads after the given time, which does not include sleep of
 * the machine. Requires the installed executor. Returns a number for cexecutor_cancel, never 0. */
uint64_t cexecutor_call_after(int64_t nanoseconds, void (*call)(void *), void *context);

/* Cancels a call. Returns 1 if it will not happen, and 0 if it has happened or is about to. */
int cexecutor_cancel(uint64_t number);

#endif
