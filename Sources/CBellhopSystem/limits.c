#define _GNU_SOURCE
#include "bellhop_limits.h"

#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>

#ifdef __linux__
static int set(pid_t child, int resource, uint64_t most) {
  struct rlimit limit = {most, most};
  return prlimit(child, resource, &limit, NULL) == 0 || errno == ESRCH;
}

int bellhop_limit_child(pid_t child, uint64_t memory_bytes, uint64_t seconds) {
  return set(child, RLIMIT_AS, memory_bytes) && set(child, RLIMIT_CPU, seconds) &&
         set(child, RLIMIT_FSIZE, 0) && set(child, RLIMIT_CORE, 0);
}
#else
int bellhop_limit_child(pid_t child, uint64_t memory_bytes, uint64_t seconds) { return 0; }
#endif
