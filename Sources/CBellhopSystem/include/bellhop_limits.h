#ifndef BELLHOP_LIMITS_H
#define BELLHOP_LIMITS_H

#include <stdint.h>
#include <sys/types.h>

/* Limits the address space and the processor time of a running child process. The child can then no
 * longer write to files or dump core. Returns 1 if the limits are set or the child has ended, and 0
 * if this system has no such limits. */
int bellhop_limit_child(pid_t child, uint64_t memory_bytes, uint64_t seconds);

#endif
