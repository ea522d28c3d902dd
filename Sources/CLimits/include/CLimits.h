#ifndef CLIMITS_H
#define CLIMITS_H

#include <stdint.h>
#include <sys/types.h>

/* Bounds what a child that was started takes from here on: address space, processor time, and no file
 * that it writes, nor a core dump. 1: it is bounded, or has ended. 0: this system has no such bounds. */
int climits_bound(pid_t child, uint64_t memory_bytes, uint64_t seconds);

#endif
