#pragma once
#include <stdint.h>

/* The terminal through ncurses. No ncurses type, macro or global is visible here.
   One terminal a process; all calls but cn_wake on one thread. Functions that return int give 0
   for success unless they say otherwise. */

enum {
  CN_OK = 0,
  CN_NOT_A_TERMINAL = 1, /* standard input or output is something else */
  CN_ALREADY_OPEN = 2,
  CN_NO_DESCRIPTION = 3, /* neither TERM nor xterm-256color is known to terminfo */
  CN_SYSTEM = 4          /* cn_open_error() says why */
};

enum { CN_BOLD = 1, CN_ITALIC = 2, CN_UNDERLINE = 4, CN_REVERSE = 8 };

/* Why cn_wait returned; a set. */
enum {
  CN_INPUT = 1,      /* bytes can be read */
  CN_CLOSED = 2,     /* input has ended or the terminal hung up */
  CN_WAKE = 4,       /* cn_wake was called */
  CN_RESIZE = 8,     /* the window changed its size */
  CN_SUSPEND = 16,   /* someone sent SIGTSTP */
  CN_CONTINUE = 32,  /* the process was stopped and goes on */
  CN_TERMINATE = 64, /* SIGTERM, SIGHUP or SIGINT; cn_signal() says which */
  CN_TIMEOUT = 128   /* nothing of the above in time */
};

typedef struct {
  int colors;         /* 0 for none */
  int is_direct;      /* colours are 0xRRGGBB */
  int has_defaults;   /* the terminal's own foreground and background can be asked for */
  int is_utf8;        /* the locale can show any character */
  int width, height;  /* cells, at least 1 each */
  int cell_width, cell_height; /* pixels; 0 where the terminal does not say */
} cn_capabilities;

/* Chooses the locale for characters: the environment's; C.UTF-8 when it names none, or names a
   UTF-8 one that is not installed. Returns 1 when the result is UTF-8. */
int cn_choose_locale(void);
/* How many colours a terminal of this name has; -1 when no description of it is installed. */
int cn_colors_of(const char *name);

/* Takes over the terminal: alternate screen, raw keys, signal handlers. */
int cn_open(void);
/* The system's number for why cn_open failed with CN_SYSTEM. */
int cn_open_error(void);
/* Gives the terminal back as it was. Does nothing when it is not open. */
void cn_close(void);
cn_capabilities cn_get_capabilities(void);

/* Bytes to switch modes on and off that ncurses does not know of (mouse, paste, focus, title). The
   second string is written whenever the terminal is given back, also by a crash. Both are copied;
   at most 255 bytes each. */
void cn_set_modes(const char *on, const char *off);
/* Writes bytes to the terminal as they are. */
void cn_write(const char *bytes, int count);

/* Styles 0…cn_styles_max-1. Colours: -1 is the terminal's own, else a palette index, or 0xRRGGBB
   when colours are direct. */
enum { cn_styles_max = 120 };
void cn_define_style(int style, int attributes, int foreground, int background);
/* A pair of colours beside those of the styles, for clusters of the style cn_painted. Good until the
   next frame; 0, the terminal's own colours, where there is none. */
int cn_pair(int foreground, int background);
enum { cn_painted = 255 };

/* One cluster of a row: the scalars of one spacing character and its marks. */
typedef struct {
  int32_t scalars[5];
  uint8_t count;
  uint8_t width; /* cells: 1 or 2 */
  uint8_t style;
  /* Of the style cn_painted only. */
  uint8_t attributes;
  int32_t pair;
} cn_cluster;

/* Draws a whole row from its first column; what does not fit is left out. */
void cn_draw_row(int y, const cn_cluster *clusters, int count);
void cn_clear(void);
/* Shows the cursor, or hides it when x is negative. */
void cn_cursor(int x, int y);
/* Writes what changed since the last flush, and bytes as they are behind it: in one piece, so that
   whoever reads them is not woken in between. */
void cn_flush(const char *tail, int tail_count);
/* The next flush writes every cell of these rows, whatever the terminal shows there. */
void cn_redraw_rows(int y, int count);

/* Whether the locale can show the scalar, in as many cells as `width`. */
int cn_can_show(int32_t scalar, int width);

/* Waits for input, signals and wakes; at most `timeout_ms`, for ever when it is negative. */
int cn_wait(int timeout_ms);
/* Reads what is there, without waiting. Returns the bytes read, 0 for none, -1 at the end. */
int cn_read(uint8_t *bytes, int capacity);
/* Makes cn_wait return. Any thread, also in signal handlers. */
void cn_wake(void);
/* The last signal that asked the process to end. */
int cn_signal(void);
/* Reads the window's size again. Returns 1 when it has changed. */
int cn_resize(void);
/* Gives the terminal back and stops the process; takes it over again when the process goes on.
   Returns 0 without doing anything when whoever started the process does no job control. */
int cn_suspend(void);
/* Takes the terminal over again after something else may have changed its modes. */
void cn_reenter(void);
/* Gives the terminal to a program that this process starts in the foreground: what interrupts that one
   is nothing to this one, and Ctrl-z stops both. Returns 0 without doing anything when there is no
   terminal. */
int cn_lend(void);
/* While the terminal is lent: says a line and waits for a key, or for a signal that asks the process to end. */
void cn_wait_key(const char *line);
/* Takes a terminal over again that was lent. */
void cn_reclaim(void);
