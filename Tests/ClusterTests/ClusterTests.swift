#if BELLHOP_POSTGRES
import BellhopTestSupport
import Testing

/// The tests with real processes of `bellhopd` over real servers of PostgreSQL.
///
/// One at a time, because each needs both cores. See ``ClusterOptions`` for longer runs.
@Suite(
  "A cluster", .enabled(if: DatabasePrograms.isInstalled, "PostgreSQL is not installed here"),
  .realPrograms, .serialized, .timeLimit(.minutes(15 + ClusterOptions.minutes)))
struct ClusterTests {}
#endif
