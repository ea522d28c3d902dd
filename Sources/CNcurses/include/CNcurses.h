#pragma once
#include <stdint.h>

/* The terminal through ncurses. No type, macro or global of ncurses is visible here. A process has
   one terminal and makes all calls except cn_wake on one thread. Functions that return int return 0
   for success unless stated otherwise. */

enum {
  CN_OK = 0,
  CN_NOT_A_TERMINAL = 1, /* standard input or output is not a terminal */
  CN_ALREADY_OPEN = 2,
  CN_NO_DESCRIPTION = 3, /* terminfo knows neither TERM nor xterm-256color */
  CN_SYSTEM = 4          /* cn_open_error() returns the reason */
};

enum { CN_BOLD = 1, CN_ITALIC = 2, CN_UNDERLINE = 4, CN_REVERSE = 8 };

/* The reasons why cn_wait returned, as a set. */
enum {
  CN_INPUT = 1,      /* bytes can be read */
  CN_CLOSED = 2,     /* input has ended or the terminal hung up */
  CN_WAKE = 4,       /* cn_wake was called */
  CN_RESIZE = 8,     /* the window's size changed */
  CN_SUSPEND = 16,   /* SIGTSTP arrived */
  CN_CONTINUE = 32,  /* the process was stopped and continues */
  CN_TERMINATE = 64, /* SIGTERM, SIGHUP or SIGINT arrived; cn_signal() returns it */
  CN_TIMEOUT = 128   /* none of the above happened in time */
};

typedef struct {
  int colors;         /* 0 for none */
  int is_direct;      /* colours are 0xRRGGBB */
  int has_defaults;   /* the terminal's own foreground and background are available */
  int is_utf8;        /* the locale can show any character */
  int width, height;  /* cells, at least 1 each */
  int cell_width, cell_height; /* pixels; 0 if the terminal does not report them */
} cn_capabilities;

/* Chooses the locale for characters: the environment's, or C.UTF-8 if it names none or a UTF-8
   locale that is not installed. Returns 1 if the result is UTF-8. */
int cn_choose_locale(void);
/* Returns the number of colours of the named terminal; -1 if it has no installed description. */
int cn_colors_of(const char *name);

/* Takes over the terminal: alternate screen, raw keys, signal handlers. */
int cn_open(void);
/* Returns the errno of a cn_open that failed with CN_SYSTEM. */
int cn_open_error(void);
/* Restores the terminal. Does nothing if it is not open. */
void cn_close(void);
cn_capabilities cn_get_capabilities(void);

/* Sets the bytes that switch on and off modes unknown to ncurses (mouse, paste, focus, title). The
   second string is written whenever the terminal is restored, even in a crash. Both are copied; at
   most 255 bytes each. */
void cn_set_modes(const char *on, const char *off);
/* Writes raw bytes to the terminal. */
void cn_write(const char *bytes, int count);

/* Defines one of the styles 0…cn_styles_max-1. A colour is -1 for the terminal's own, a palette
   index, or 0xRRGGBB if colours are direct. */
enum { cn_styles_max = 120 };
void cn_define_style(int style, int attributes, int foreground, int background);
/* Returns a pair of colours besides those of the styles, for clusters of the style cn_painted. It
   is valid until the next frame. Returns 0, the terminal's own colours, if no pair is left. */
int cn_pair(int foreground, int background);
enum { cn_painted = 255 };

/* A cluster of a row: the scalars of one spacing character and its marks. */
typedef struct {
  int32_t scalars[5];
  uint8_t count;
  uint8_t width; /* cells: 1 or 2 */
  uint8_t style;
  /* For the style cn_painted only. */
  uint8_t attributes;
  int32_t pair;
} cn_cluster;

/* Draws a row from its first column, without the clusters that do not fit. */
void cn_draw_row(int y, const cn_cluster *clusters, int count);
void cn_clear(void);
/* Shows the cursor, or hides it if x is negative. */
void cn_cursor(int x, int y);
/* Writes the changes since the last flush, followed by raw bytes, in one piece, so that the reader
   is not woken in between. */
void cn_flush(const char *tail, int tail_count);
/* Makes the next flush write every cell of these rows, whatever the terminal shows there. */
void cn_redraw_rows(int y, int count);

/* Whether the locale can show the scalar, in as many cells as `width`. */
int cn_can_show(int32_t scalar, int width);

/* Waits at most `timeout_ms` for input, signals and wakes, or without a limit if it is negative. */
int cn_wait(int timeout_ms);
/* Reads available input without waiting. Returns the number of bytes, 0 for none, -1 at the end. */
int cn_read(uint8_t *bytes, int capacity);
/* Makes cn_wait return. Safe on any thread and in signal handlers. */
void cn_wake(void);
/* Returns the last signal that requested the end of the process. */
int cn_signal(void);
/* Reads the window's size again. Returns 1 if it has changed. */
int cn_resize(void);
/* Restores the terminal and stops the process; takes over the terminal again when the process
   continues. Returns 0 without doing anything if the parent process has no job control. */
int cn_suspend(void);
/* Takes over the terminal again after another program may have changed its modes. */
void cn_reenter(void);
/* Lends the terminal to a program that this process starts in the foreground. An interrupt of that
   program does not affect this process, and Ctrl-z stops both. Returns 0 without doing anything if
   there is no terminal. */
int cn_lend(void);
/* Prints a line while the terminal is lent, and waits for a key or a terminating signal. */
void cn_wait_key(const char *line);
/* Takes over a lent terminal again. */
void cn_reclaim(void);
