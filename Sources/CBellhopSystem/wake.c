#include "bellhop_wake.h"

#ifdef __linux__

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* Makes the timer report jumps of the clock. It does not expire for centuries. */
static int arm(int descriptor) {
  struct itimerspec never;
  memset(&never, 0, sizeof never);
  never.it_value.tv_sec = sizeof(time_t) > 4 ? (time_t)1 << 40 : (time_t)INT32_MAX;
  return timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

int bellhop_wake_open(void) {
  int descriptor = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC);
  if (descriptor < 0) return -1;
  if (!arm(descriptor)) return descriptor;
  close(descriptor);
  return -1;
}

int bellhop_wake_wait(int descriptor) {
  uint64_t expirations;
  ssize_t count;
  do count = read(descriptor, &expirations, sizeof expirations);
  while (count < 0 && errno == EINTR);
  return count < 0 && errno == ECANCELED;
}

void bellhop_wake_end(int descriptor) {
  struct itimerspec now;
  memset(&now, 0, sizeof now);
  now.it_value.tv_nsec = 1;
  timerfd_settime(descriptor, 0, &now, NULL);
}

#else

int bellhop_wake_open(void) { return -1; }
int bellhop_wake_wait(int descriptor) {
  (void)descriptor;
  return 0;
}
void bellhop_wake_end(int descriptor) { (void)descriptor; }

#endif
