#ifndef REAL_H
#define REAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>

/* The original function of this name, which this library's function hides. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#endif
