#define _GNU_SOURCE
#include "CPty.h"
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <gnu/libc-version.h>
#include <locale.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>
#include <wchar.h>

/* Replaces a newly forked child with the program. */
static void become(const char *path, char *const arguments[], char *const environment[],
                   const char *directory) {
  /* A test runner may block or ignore signals, which the program must not inherit. */
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  close_range(3, ~0U, 0);
  if (directory && chdir(directory)) _exit(126);
  execve(path, arguments, environment);
  _exit(127);
}

pid_t cpty_spawn(const char *path, char *const arguments[], char *const environment[],
                 const char *directory, int columns, int rows, int *master) {
  struct winsize window = {(unsigned short)rows, (unsigned short)columns, 0, 0};
  pid_t process = forkpty(master, NULL, NULL, &window);
  if (process < 0) return -errno;
  if (process == 0) become(path, arguments, environment, directory);
  fcntl(*master, F_SETFD, FD_CLOEXEC);
  fcntl(*master, F_SETFL, O_NONBLOCK);
  return process;
}

int cpty_resize(int master, int columns, int rows) {
  struct winsize window = {(unsigned short)rows, (unsigned short)columns, 0, 0};
  return ioctl(master, TIOCSWINSZ, &window) ? -errno : 0;
}

int cpty_is_cooked(int master) {
  struct termios modes;
  if (tcgetattr(master, &modes)) return 0;
  return (modes.c_lflag & ICANON) && (modes.c_lflag & ECHO);
}

pid_t cpty_start(const char *path, char *const arguments[], char *const environment[],
                 const char *directory, const int streams[3]) {
  pid_t process = fork();
  if (process < 0) return -errno;
  if (process == 0) {
    for (int number = 0; number < 3; number++) dup2(streams[number], number);
    become(path, arguments, environment, directory);
  }
  return process;
}

int cpty_cell_widths(unsigned int count, signed char *widths) {
  locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
  if (!utf8) return -errno;
  locale_t before = uselocale(utf8);
  for (unsigned int scalar = 0; scalar < count; scalar++)
    widths[scalar] = (signed char)wcwidth((wchar_t)scalar);
  uselocale(before);
  freelocale(utf8);
  return 0;
}

const char *cpty_library_version(void) { return gnu_get_libc_version(); }

int cpty_cell_width(unsigned int character) {
  static _Thread_local locale_t utf8;
  if (!utf8) utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  locale_t before = uselocale(utf8);
  int width = wcwidth((wchar_t)character);
  uselocale(before);
  return width < 0 ? 0 : width;
}
