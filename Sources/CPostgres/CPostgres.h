#ifndef BELLHOP_CPOSTGRES_H
#define BELLHOP_CPOSTGRES_H

/* libpq, PostgreSQL's client library, and what Swift cannot import of it. */
#include <libpq-fe.h>
#include <string.h>

/* The fields of an error or a notice, whose macros are character literals. */
enum {
  CPOSTGRES_SEVERITY = PG_DIAG_SEVERITY_NONLOCALIZED,
  CPOSTGRES_SQLSTATE = PG_DIAG_SQLSTATE,
  CPOSTGRES_MESSAGE = PG_DIAG_MESSAGE_PRIMARY,
  CPOSTGRES_CONSTRAINT = PG_DIAG_CONSTRAINT_NAME
};

/* The notices that a connection has received since the last reset. */
typedef struct {
  unsigned warnings; /* the number of notices with the severity WARNING */
  int is_fatal;      /* whether the server has announced the end of the connection */
  char sqlstate[6];  /* of the end or else of the first warning, and so is the message */
  char message[256];
} cpostgres_notices;

static inline void cpostgres_reset(cpostgres_notices *notices) {
  memset(notices, 0, sizeof *notices);
}

static inline void cpostgres_copy(char *target, size_t size, const char *text) {
  if (!text) return;
  strncpy(target, text, size - 1);
  target[size - 1] = 0;
}

/* Severity and SQLSTATE do not depend on the server's language, unlike the message. */
static inline void cpostgres_receive(void *argument, const PGresult *notice) {
  cpostgres_notices *notices = argument;
  const char *severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (!severity) return;
  int is_warning = !strcmp(severity, "WARNING");
  int is_fatal = !strcmp(severity, "FATAL") || !strcmp(severity, "PANIC");
  if (!is_warning && !is_fatal) return;
  if (is_fatal || !notices->warnings) {
    const char *state = PQresultErrorField(notice, PG_DIAG_SQLSTATE);
    cpostgres_copy(notices->sqlstate, sizeof notices->sqlstate, state);
    const char *message = PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY);
    cpostgres_copy(notices->message, sizeof notices->message, message);
  }
  notices->warnings += is_warning;
  notices->is_fatal |= is_fatal;
}

/* Collects the notices of a connection, which otherwise go to standard error. `notices` must live
   until PQfinish. */
static inline void cpostgres_collect(PGconn *connection, cpostgres_notices *notices) {
  cpostgres_reset(notices);
  PQsetNoticeReceiver(connection, cpostgres_receive, notices);
}

#endif
