#ifndef BELLHOP_COMMIT_H
#define BELLHOP_COMMIT_H

/* Returns the commit that this program was built from, or NULL in a build that is not a release. */
const char *_Nullable bellhop_commit(void);

#endif
