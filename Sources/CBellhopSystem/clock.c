#include "bellhop_clock.h"

#ifdef __linux__
#include <string.h>
#include <sys/timex.h>

int bellhop_clock_synchronized(int64_t *milliseconds) {
  struct timex clock;
  memset(&clock, 0, sizeof clock); /* modes = 0: reads only. */
  int state = adjtimex(&clock);
  if (state < 0 || state == TIME_ERROR || (clock.status & STA_UNSYNC)) return 0;
  int64_t fraction = clock.status & STA_NANO ? clock.time.tv_usec / 1000000 : clock.time.tv_usec / 1000;
  *milliseconds = (int64_t)clock.time.tv_sec * 1000 + fraction;
  return 1;
}
#else
int bellhop_clock_synchronized(int64_t *milliseconds) { return 0; }
#endif
