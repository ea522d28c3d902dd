#pragma once
#include <sys/types.h>

/* Starts a program in a new pseudo-terminal, as the leader of a new session, because Swift cannot
   call fork(). Returns its process id, or -errno. */
pid_t cpty_spawn(const char *path, char *const arguments[], char *const environment[],
                 const char *directory, int columns, int rows, int *master);

/* Changes the size of the window, which sends SIGWINCH. Returns 0, or -errno. */
int cpty_resize(int master, int columns, int rows);

/* Whether the terminal is in the mode in which a shell leaves it: echo and line editing are on. */
int cpty_is_cooked(int master);

/* Starts a program without a terminal. It inherits only the three descriptors for its standard
   streams, which the caller still owns. Returns its process id, or -errno. */
pid_t cpty_start(const char *path, char *const arguments[], char *const environment[],
                 const char *directory, const int streams[3]);

/* Stores the C library's width in cells of each code point below `count` in C.UTF-8; -1 for code
   points that it does not print. Returns 0, or -errno. */
int cpty_cell_widths(unsigned int count, signed char *widths);

/* Returns the version of the C library, such as "2.36". */
const char *cpty_library_version(void);

/* Returns the C library's width of a character in UTF-8, whatever the locale: 0, 1 or 2 cells; 0
   for a character that cannot be drawn. */
int cpty_cell_width(unsigned int character);
