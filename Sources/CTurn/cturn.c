#define _GNU_SOURCE
#include "CTurn.h"

#ifdef __linux__

#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As sched_setattr(2) has it, in its first version; C libraries have no name for it before glibc 2.41. */
struct attributes {
  uint32_t size;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime; /* Nanoseconds. */
  uint64_t deadline;
  uint64_t period;
};

enum { policy_other = 0, flag_reset_on_fork = 1 };

int cturn_shorten(uint32_t microseconds) {
  static __thread uint32_t last;
  if (microseconds == last) return 1;
  int nice = getpriority(PRIO_PROCESS, 0);
  struct attributes wanted = {
      .size = sizeof wanted,
      .policy = policy_other,
      .flags = flag_reset_on_fork,
      .nice = nice,
      .runtime = (uint64_t)microseconds * 1000,
  };
  int before = errno;
  int is_so = syscall(SYS_sched_setattr, 0, &wanted, 0) == 0;
  errno = before;
  if (is_so) last = microseconds;
  return is_so;
}

#else
int cturn_shorten(uint32_t microseconds) { return 0; }
#endif
