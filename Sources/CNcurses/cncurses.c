#define _GNU_SOURCE
#ifndef _XOPEN_SOURCE_EXTENDED
#define _XOPEN_SOURCE_EXTENDED 1
#endif
#define NCURSES_WIDECHAR 1
#include "CNcurses.h" /* before term.h, whose macros redefine common names */
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

enum { MODES_MAX = 256, RESTORE_MAX = 1024 };

static SCREEN *terminal;
/* The output of ncurses: the terminal, through a separate descriptor that can be redirected. */
static FILE *screen_stream;
/* A file in memory that collects a frame. */
static int frame_file = -1;
static struct termios shell_modes;
static cn_capabilities capabilities;
static char modes_on[MODES_MAX], modes_off[MODES_MAX];
/* The output of the crash handler, prepared in advance because it cannot compute anything. */
static char restore_bytes[RESTORE_MAX];
static size_t restore_count;
static atomic_int is_active;

static int wake_pipe[2] = {-1, -1};
static atomic_int wake_pending, resize_pending, suspend_pending, continue_pending, end_signal;
static int input_ended, last_signal;

static const int ending_signals[] = {SIGTERM, SIGHUP, SIGINT};
static const int crash_signals[] = {SIGILL,  SIGTRAP, SIGABRT, SIGBUS,
                                    SIGFPE, SIGSEGV, SIGQUIT, SIGSYS};
static struct sigaction old_actions[NSIG];
static int suspend_is_ignored;

/* MARK: writing */

static void write_all(const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = write(STDOUT_FILENO, bytes, count);
    if (written < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN) return;
      struct pollfd waiting = {STDOUT_FILENO, POLLOUT, 0};
      if (poll(&waiting, 1, 1000) <= 0) return;
      continue;
    }
    bytes += written;
    count -= (size_t)written;
  }
}

void cn_write(const char *bytes, int count) {
  if (atomic_load(&is_active) && count > 0) write_all(bytes, (size_t)count);
}

static void append_restore(const char *text) {
  if (!text || text == (char *)-1) return;
  while (*text && restore_count < RESTORE_MAX) {
    /* Skips padding times ("$<5>"), which only historical terminals need. */
    const char *end = text[0] == '$' && text[1] == '<' ? strchr(text, '>') : NULL;
    if (end) {
      text = end + 1;
    } else {
      restore_bytes[restore_count++] = *text++;
    }
  }
}

static void precompute_restore(void) {
  restore_count = 0;
  append_restore(modes_off);
  append_restore(exit_attribute_mode);
  append_restore(orig_pair);
  append_restore(cursor_normal);
  append_restore(keypad_local);
  append_restore(exit_ca_mode ? exit_ca_mode : "\r\n");
}

void cn_set_modes(const char *on, const char *off) {
  if (atomic_load(&is_active)) write_all(modes_off, strlen(modes_off));
  strncpy(modes_on, on, MODES_MAX - 1);
  strncpy(modes_off, off, MODES_MAX - 1);
  if (!atomic_load(&is_active)) return;
  precompute_restore();
  write_all(modes_on, strlen(modes_on));
}

/* MARK: signals; handlers only record them */

void cn_wake(void) {
  if (atomic_exchange(&wake_pending, 1)) return;
  int saved = errno;
  ssize_t ignored = write(wake_pipe[1], "w", 1);
  (void)ignored;
  errno = saved;
}

static void on_signal(int number) {
  int saved = errno;
  switch (number) {
  case SIGWINCH: atomic_store(&resize_pending, 1); break;
  case SIGTSTP: atomic_store(&suspend_pending, 1); break;
  case SIGCONT: atomic_store(&continue_pending, 1); break;
  default: atomic_store(&end_signal, number); break;
  }
  ssize_t ignored = write(wake_pipe[1], "s", 1);
  (void)ignored;
  errno = saved;
}

/* Makes only async-signal-safe calls: write and tcsetattr. */
static void restore_now(void) {
  if (!atomic_exchange(&is_active, 0)) return;
  ssize_t ignored = write(STDOUT_FILENO, restore_bytes, restore_count);
  (void)ignored;
  tcsetattr(STDIN_FILENO, TCSANOW, &shell_modes);
}

static void on_crash(int number) {
  if (atomic_load(&is_active)) {
    static const char words[] =
        "This program has stopped because of an internal error. What it had stored is safe.\n";
    restore_now();
    ssize_t ignored = write(STDERR_FILENO, words, sizeof words - 1);
    (void)ignored;
  }
  signal(number, SIG_DFL);
  raise(number);
}

static void install(int number, void (*handler)(int), int flags) {
  struct sigaction action = {0};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigfillset(&action.sa_mask);
  sigaction(number, &action, &old_actions[number]);
}

static void install_handlers(void) {
  install(SIGWINCH, on_signal, SA_RESTART);
  install(SIGCONT, on_signal, SA_RESTART);
  for (size_t i = 0; i < sizeof ending_signals / sizeof *ending_signals; i++) {
    /* Leaves signals ignored that nohup or a similar program had ignored. */
    struct sigaction now;
    sigaction(ending_signals[i], NULL, &now);
    old_actions[ending_signals[i]] = now;
    if (now.sa_handler != SIG_IGN) install(ending_signals[i], on_signal, SA_RESTART);
  }
  install(SIGTSTP, on_signal, SA_RESTART);
  suspend_is_ignored = old_actions[SIGTSTP].sa_handler == SIG_IGN;
  if (suspend_is_ignored) signal(SIGTSTP, SIG_IGN);
  /* A separate stack, so that the handler can run even after a stack overflow. */
  static char crash_stack[65536];
  stack_t ours = {.ss_sp = crash_stack, .ss_size = sizeof crash_stack}, theirs;
  if (sigaltstack(NULL, &theirs) == 0 && (theirs.ss_flags & SS_DISABLE)) sigaltstack(&ours, NULL);
  for (size_t i = 0; i < sizeof crash_signals / sizeof *crash_signals; i++)
    install(crash_signals[i], on_crash, SA_ONSTACK | SA_NODEFER);
}

/* A terminal that is closed causes more than one SIGHUP: the kernel sends it to the session and,
   when the shell ends, to the job; the shell also sends it to the job. The input may end before the
   first. Later ones must not end the program while it saves its data. */
static int has_hung_up(void) { return input_ended || last_signal == SIGHUP; }

static void remove_handlers(void) {
  sigaction(SIGWINCH, &old_actions[SIGWINCH], NULL);
  sigaction(SIGCONT, &old_actions[SIGCONT], NULL);
  sigaction(SIGTSTP, &old_actions[SIGTSTP], NULL);
  if (has_hung_up()) {
    struct sigaction ignore = {0};
    ignore.sa_handler = SIG_IGN;
    old_actions[SIGHUP] = ignore;
  }
  for (size_t i = 0; i < sizeof ending_signals / sizeof *ending_signals; i++)
    sigaction(ending_signals[i], &old_actions[ending_signals[i]], NULL);
  for (size_t i = 0; i < sizeof crash_signals / sizeof *crash_signals; i++)
    sigaction(crash_signals[i], &old_actions[crash_signals[i]], NULL);
}

/* MARK: locale */

static int is_utf8(void) {
  return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

int cn_choose_locale(void) {
  const char *wanted = getenv("LC_ALL");
  if (!wanted || !*wanted) wanted = getenv("LC_CTYPE");
  if (!wanted || !*wanted) wanted = getenv("LANG");
  int names_utf8 = wanted && (strcasestr(wanted, "UTF-8") || strcasestr(wanted, "UTF8"));
  int is_installed = setlocale(LC_CTYPE, "") != NULL;
  if (is_installed && is_utf8()) return 1;
  if (!wanted || !*wanted || names_utf8) {
    if (setlocale(LC_CTYPE, "C.UTF-8") && is_utf8()) return 1;
    if (setlocale(LC_CTYPE, "en_US.UTF-8") && is_utf8()) return 1;
    setlocale(LC_CTYPE, "C");
  }
  return 0;
}

int cn_can_show(int32_t scalar, int width) {
  char bytes[MB_LEN_MAX];
  mbstate_t state = {0};
  return wcwidth((wchar_t)scalar) == width
         && wcrtomb(bytes, (wchar_t)scalar, &state) != (size_t)-1;
}

/* MARK: open, close, suspend */

static int positive_variable(const char *name, int otherwise) {
  const char *text = getenv(name);
  int number = text ? atoi(text) : 0;
  return number > 0 && number < 10000 ? number : otherwise;
}

static void read_size(int *width, int *height) {
  struct winsize window = {0};
  ioctl(STDOUT_FILENO, TIOCGWINSZ, &window);
  capabilities.cell_width = window.ws_col ? window.ws_xpixel / window.ws_col : 0;
  capabilities.cell_height = window.ws_row ? window.ws_ypixel / window.ws_row : 0;
  *width = window.ws_col ? window.ws_col : positive_variable("COLUMNS", 80);
  *height = window.ws_row ? window.ws_row : positive_variable("LINES", 24);
}

int cn_resize(void) {
  int width, height;
  if (!terminal) return 0;
  read_size(&width, &height);
  int changed = width != capabilities.width || height != capabilities.height;
  capabilities.width = width;
  capabilities.height = height;
  if (width != getmaxx(stdscr) || height != getmaxy(stdscr)) {
    resizeterm(height, width);
    clearok(curscr, TRUE);
  }
  return changed;
}

static void read_colors(void) {
  capabilities.colors = 0;
  if (!has_colors() || start_color() == ERR) return;
  capabilities.has_defaults = use_default_colors() == OK;
  capabilities.colors = COLORS;
  capabilities.is_direct = COLORS >= 0x1000000 && (tigetflag("RGB") > 0 || tigetnum("RGB") > 0);
}

int cn_colors_of(const char *name) {
  int problem = 0;
  if (!name || !*name || setupterm(name, STDOUT_FILENO, &problem) == ERR) return -1;
  int colors = tigetnum("colors");
  del_curterm(cur_term);
  return colors < 0 ? 0 : colors;
}

static int open_error;

static int open_screen_stream(void) {
  int descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  screen_stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  if (!screen_stream) {
    if (descriptor >= 0) close(descriptor);
    return 0;
  }
  /* Without this file, frames are written in pieces. */
  frame_file = memfd_create("frame", MFD_CLOEXEC);
  return 1;
}

static void close_screen_stream(void) {
  if (screen_stream) fclose(screen_stream);
  if (frame_file >= 0) close(frame_file);
  screen_stream = NULL;
  frame_file = -1;
}

int cn_open_error(void) { return open_error; }

int cn_open(void) {
  static int has_exit_handler;
  if (terminal) return CN_ALREADY_OPEN;
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return CN_NOT_A_TERMINAL;
  if ((wake_pipe[0] < 0 && pipe2(wake_pipe, O_NONBLOCK | O_CLOEXEC))
      || tcgetattr(STDIN_FILENO, &shell_modes)) {
    open_error = errno;
    return CN_SYSTEM;
  }
  memset(&capabilities, 0, sizeof capabilities);
  capabilities.is_utf8 = cn_choose_locale();
  /* Uses the window's actual size, not the LINES and COLUMNS from the start of the shell. */
  use_env(TRUE);
  use_tioctl(TRUE);
  if (!open_screen_stream()) {
    open_error = errno;
    return CN_SYSTEM;
  }
  terminal = newterm(NULL, screen_stream, stdin);
  /* newterm also fails for a description without cursor addressing ("dumb"), as for an unknown
     one. */
  if (!terminal) terminal = newterm("xterm-256color", screen_stream, stdin);
  if (!terminal) {
    close_screen_stream();
    return CN_NO_DESCRIPTION;
  }
  raw();
  noecho();
  nonl();
  intrflush(stdscr, FALSE);
  typeahead(-1);
  leaveok(stdscr, FALSE);
  scrollok(stdscr, FALSE);
  read_colors();
  cn_resize();
  /* Enters the alternate screen and flushes the buffer of ncurses: other output must not get into
     the middle of its sequences. */
  wnoutrefresh(stdscr);
  doupdate();
  precompute_restore();
  input_ended = 0;
  last_signal = 0;
  atomic_store(&is_active, 1);
  install_handlers();
  if (!has_exit_handler) atexit(restore_now);
  has_exit_handler = 1;
  write_all(modes_on, strlen(modes_on));
  return CN_OK;
}

void cn_close(void) {
  if (!terminal) return;
  if (atomic_load(&is_active)) {
    write_all(modes_off, strlen(modes_off));
    curs_set(1);
    endwin();
    atomic_store(&is_active, 0);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &shell_modes);
  }
  remove_handlers();
  delscreen(terminal);
  terminal = NULL;
  close_screen_stream();
}

cn_capabilities cn_get_capabilities(void) { return capabilities; }

void cn_reenter(void) {
  if (!terminal) return;
  reset_prog_mode();
  cn_resize();
  clearok(curscr, TRUE);
  wnoutrefresh(stdscr);
  doupdate();
  atomic_store(&is_active, 1);
  write_all(modes_on, strlen(modes_on));
}

int cn_suspend(void) {
  if (!terminal || suspend_is_ignored) return 0;
  write_all(modes_off, strlen(modes_off));
  curs_set(1);
  endwin();
  atomic_store(&is_active, 0);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &shell_modes);
  /* Stops the whole job, as the terminal's own Ctrl-z would. This process ignores the group's
     signal and then stops in this thread: the group's signal could arrive in another thread, too
     late. */
  struct sigaction action = {0}, ours;
  action.sa_handler = SIG_IGN;
  sigaction(SIGTSTP, &action, &ours);
  kill(0, SIGTSTP);
  action.sa_handler = SIG_DFL;
  sigaction(SIGTSTP, &action, NULL);
  raise(SIGTSTP);
  sigaction(SIGTSTP, &ours, NULL);
  atomic_store(&suspend_pending, 0);
  atomic_store(&continue_pending, 0);
  cn_reenter();
  return 1;
}

static struct sigaction lent_actions[NSIG];

static void replace_action(int number, void (*handler)(int)) {
  struct sigaction action = {0};
  action.sa_handler = handler;
  sigaction(number, &action, &lent_actions[number]);
}

int cn_lend(void) {
  if (!terminal || !atomic_load(&is_active)) return 0;
  write_all(modes_off, strlen(modes_off));
  curs_set(1);
  endwin();
  atomic_store(&is_active, 0);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &shell_modes);
  replace_action(SIGINT, SIG_IGN);
  replace_action(SIGQUIT, SIG_IGN);
  replace_action(SIGTSTP, suspend_is_ignored ? SIG_IGN : SIG_DFL);
  return 1;
}

void cn_wait_key(const char *line) {
  write_all(line, strlen(line));
  struct termios modes = shell_modes;
  modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
  modes.c_cc[VMIN] = 1;
  modes.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &modes);
  /* A signal between the check and the wait is detected a second later. */
  while (!atomic_load(&end_signal)) {
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
    int ready = poll(&input, 1, 1000);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    break;
  }
  /* Drops further bytes of the key, such as an arrow key, which must not reach the screen. */
  tcflush(STDIN_FILENO, TCIFLUSH);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &shell_modes);
}

void cn_reclaim(void) {
  sigaction(SIGINT, &lent_actions[SIGINT], NULL);
  sigaction(SIGQUIT, &lent_actions[SIGQUIT], NULL);
  sigaction(SIGTSTP, &lent_actions[SIGTSTP], NULL);
  atomic_store(&suspend_pending, 0);
  atomic_store(&continue_pending, 0);
  cn_reenter();
}

/* MARK: drawing */

static attr_t style_attributes[cn_styles_max];
static int style_pairs[cn_styles_max];

static int styles_count;

static attr_t curses_attributes(int attributes) {
  attr_t result = A_NORMAL;
  if (attributes & CN_BOLD) result |= A_BOLD;
  if (attributes & CN_ITALIC) result |= A_ITALIC;
  if (attributes & CN_UNDERLINE) result |= A_UNDERLINE;
  if (attributes & CN_REVERSE) result |= A_REVERSE;
  return result;
}

/* Whether colours are available. Replaces default colours that the terminal does not support. */
static int has_pair(int *foreground, int *background) {
  if (capabilities.colors == 0 || (*foreground < 0 && *background < 0)) return 0;
  if (!capabilities.has_defaults) {
    if (*foreground < 0) *foreground = COLOR_WHITE;
    if (*background < 0) *background = COLOR_BLACK;
  }
  return 1;
}

void cn_define_style(int style, int attributes, int foreground, int background) {
  if (style < 0 || style >= cn_styles_max) return;
  if (style >= styles_count) styles_count = style + 1;
  style_attributes[style] = curses_attributes(attributes);
  style_pairs[style] = 0;
  if (!has_pair(&foreground, &background)) return;
  /* Each style has its own pair, so that a new theme only changes the colours. */
  int pair = style + 1;
  if (pair < COLOR_PAIRS && init_extended_pair(pair, foreground, background) == OK)
    style_pairs[style] = pair;
}

/* The pairs of pictures: a hash table, at most three quarters full. Pairs of earlier pictures stay
   until the table is full. */
enum { paint_slots = 1 << 15, paints_max = paint_slots / 4 * 3 };
static struct { int foreground, background, pair; } paints[paint_slots];
static int paints_count;

int cn_pair(int foreground, int background) {
  if (!has_pair(&foreground, &background)) return 0;
  int first = styles_count + 1;
  int limit = COLOR_PAIRS - first < paints_max ? COLOR_PAIRS - first : paints_max;
  if (limit <= 0) return 0;
  unsigned start = ((unsigned)foreground * 2654435761u ^ (unsigned)background * 2246822519u) >> 7;
  unsigned slot = start % paint_slots;
  for (; paints[slot].pair != 0; slot = (slot + 1) % paint_slots) {
    if (paints[slot].foreground == foreground && paints[slot].background == background)
      return paints[slot].pair;
  }
  if (paints_count >= limit) {
    memset(paints, 0, sizeof paints);
    paints_count = 0;
    slot = start % paint_slots;
  }
  int pair = first + paints_count;
  if (init_extended_pair(pair, foreground, background) != OK) return 0;
  paints[slot].foreground = foreground;
  paints[slot].background = background;
  paints[slot].pair = pair;
  paints_count++;
  return pair;
}

static void draw_cell(int y, int x, const wchar_t *text, const cn_cluster *cluster) {
  cchar_t cell;
  int is_painted = cluster->style == cn_painted;
  if (!is_painted && cluster->style >= cn_styles_max) return;
  int pair = is_painted ? cluster->pair : style_pairs[cluster->style];
  attr_t attributes =
      is_painted ? curses_attributes(cluster->attributes) : style_attributes[cluster->style];
  if (setcchar(&cell, text, attributes, (short)pair, &pair) == OK)
    mvwadd_wch(stdscr, y, x, &cell);
}

void cn_draw_row(int y, const cn_cluster *clusters, int count) {
  if (!terminal || y < 0 || y >= getmaxy(stdscr)) return;
  int x = 0;
  for (int i = 0; i < count; i++) {
    const cn_cluster *cluster = &clusters[i];
    if (x + cluster->width > getmaxx(stdscr)) break;
    wchar_t text[CCHARW_MAX + 1];
    int length = 0, cells = 0;
    for (; length < cluster->count && length < CCHARW_MAX; length++) {
      text[length] = (wchar_t)cluster->scalars[length];
      int width = wcwidth(text[length]);
      cells += width > 0 ? width : (width < 0 ? 99 : 0);
    }
    text[length] = 0;
    if (cells == cluster->width && length > 0) {
      draw_cell(y, x, text, cluster);
    } else {
      /* A mark for a wider character, or a character to which this C library gives another width:
         the columns stay aligned, and the character is visibly present. */
      const wchar_t *mark = length == 1 && cells == 1 ? text : L"?";
      for (int j = 0; j < cluster->width; j++) draw_cell(y, x + j, mark, cluster);
    }
    x += cluster->width;
  }
}

void cn_clear(void) {
  /* Not werase: the terminal may show anything, so everything must be redrawn. */
  if (terminal) wclear(stdscr);
}

void cn_cursor(int x, int y) {
  if (!terminal) return;
  curs_set(x < 0 ? 0 : 1);
  wmove(stdscr, x < 0 ? 0 : y, x < 0 ? 0 : x);
}

/* Writes the collected frame and the bytes after it to the terminal. */
static void write_frame(const char *tail, int tail_count) {
  for (int done = 0; done < tail_count;) {
    ssize_t kept = write(frame_file, tail + done, (size_t)(tail_count - done));
    if (kept <= 0) break;
    done += (int)kept;
  }
  off_t count = lseek(frame_file, 0, SEEK_CUR);
  char bytes[16384];
  for (off_t done = 0; done < count;) {
    size_t room = count - done < (off_t)sizeof bytes ? (size_t)(count - done) : sizeof bytes;
    ssize_t taken = pread(frame_file, bytes, room, done);
    if (taken <= 0) break;
    write_all(bytes, (size_t)taken);
    done += taken;
  }
}

void cn_flush(const char *tail, int tail_count) {
  if (!atomic_load(&is_active)) return;
  wnoutrefresh(stdscr);
  /* ncurses writes after each cursor movement. A terminal would show these pieces, and a network
     would carry them, one by one. */
  int is_gathered = frame_file >= 0 && lseek(frame_file, 0, SEEK_SET) == 0
      && dup3(frame_file, fileno(screen_stream), O_CLOEXEC) >= 0;
  doupdate();
  if (!is_gathered) {
    cn_write(tail, tail_count);
    return;
  }
  while (dup3(STDOUT_FILENO, fileno(screen_stream), O_CLOEXEC) < 0 && errno == EINTR) {}
  write_frame(tail, tail_count);
}

void cn_redraw_rows(int y, int count) {
  if (terminal) wredrawln(stdscr, y, count);
}

/* MARK: waiting */

int cn_signal(void) { return last_signal; }

static int take_pending(void) {
  char drained[64];
  int reasons = 0;
  while (read(wake_pipe[0], drained, sizeof drained) > 0) {}
  if (atomic_exchange(&wake_pending, 0)) reasons |= CN_WAKE;
  if (atomic_exchange(&resize_pending, 0)) reasons |= CN_RESIZE;
  if (atomic_exchange(&suspend_pending, 0)) reasons |= CN_SUSPEND;
  if (atomic_exchange(&continue_pending, 0)) reasons |= CN_CONTINUE;
  int ending = atomic_exchange(&end_signal, 0);
  if (ending) {
    last_signal = ending;
    reasons |= CN_TERMINATE;
  }
  return reasons;
}

int cn_wait(int timeout_ms) {
  struct pollfd sources[2] = {
      {input_ended ? -1 : STDIN_FILENO, POLLIN, 0},
      {wake_pipe[0], POLLIN, 0},
  };
  int ready = poll(sources, 2, timeout_ms);
  if (ready == 0) return CN_TIMEOUT;
  int reasons = ready < 0 || (sources[1].revents & POLLIN) ? take_pending() : 0;
  if (ready < 0) return reasons ? reasons : CN_TIMEOUT;
  if (sources[0].revents & POLLIN) {
    reasons |= CN_INPUT;
  } else if (sources[0].revents & (POLLHUP | POLLERR | POLLNVAL)) {
    input_ended = 1;
    reasons |= CN_CLOSED;
  }
  return reasons;
}

int cn_read(uint8_t *bytes, int capacity) {
  ssize_t count;
  do count = read(STDIN_FILENO, bytes, (size_t)capacity);
  while (count < 0 && errno == EINTR);
  if (count > 0) return (int)count;
  if (count < 0 && errno == EAGAIN) return 0;
  input_ended = 1;
  return -1;
}
