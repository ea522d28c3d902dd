#pragma once
#include <sys/types.h>

/* Starts a program in a new pseudo-terminal, as the leader of a new session. fork() cannot be called
   from Swift. Returns its process id, or -errno. */
pid_t cpty_spawn(const char *path, char *const arguments[], char *const environment[],
                 const char *directory, int columns, int rows, int *master);

/* Changes the size of the window, which sends SIGWINCH. Returns 0, or -errno. */
int cpty_resize(int master, int columns, int rows);

/* Whether the terminal is as a shell leaves it: echo on, lines edited by the terminal. */
int cpty_is_cooked(int master);

/* Starts a program without a terminal, with three descriptors for its standard streams, which stay
   the caller's; it inherits nothing else. Returns its process id, or -errno. */
pid_t cpty_start(const char *path, char *const arguments[], char *const environment[],
                 const char *directory, const int streams[3]);

/* The cells that the C library counts for each code point below `count` in C.UTF-8; -1 for what it
   does not print. Returns 0, or -errno. */
int cpty_cell_widths(unsigned int count, signed char *widths);

/* The version of the C library, "2.36". */
const char *cpty_library_version(void);

/* The cells that the C library gives a character in UTF-8, whatever the locale: 0, 1 or 2; 0 for
   what cannot be drawn. */
int cpty_cell_width(unsigned int character);
