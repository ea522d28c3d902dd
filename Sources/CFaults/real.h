#ifndef REAL_H
#define REAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>

/* The function of this name that is hidden by ours. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#endif
