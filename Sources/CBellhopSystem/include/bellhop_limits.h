#ifndef BELLHOP_LIMITS_H
#define BELLHOP_LIMITS_H

#include <stdint.h>
#include <sys/types.h>

/* Limits a running child process: its address space and its processor time. The child can no longer
 * write to files or dump core. 1: the limits hold, or the child has ended. 0: this system has no such
 * limits. */
int bellhop_limit_child(pid_t child, uint64_t memory_bytes, uint64_t seconds);

#endif
