internal import Synchronization

/// The number of processes that serve one storage, among which rate limits are divided.
///
/// A rate limit is kept in the memory of each process. So each process grants its share of it, and a
/// client that reaches all of them has the whole. The number may be some seconds old: while a process
/// starts or ends, the shares add up to a little more or less than the limit.
package final class LiveProcesses: Sendable {
  private let known = Atomic<Int>(1)

  package init() {}

  /// The number of live processes, this one included; 1 until another number is known.
  package var count: Int { known.load(ordering: .relaxed) }

  /// Records the number of live processes.
  package func note(_ count: Int) { known.store(max(1, count), ordering: .relaxed) }

  /// Returns the share of a rate limit that this process grants, at least 1.
  package func share(of limit: Int) -> Int { max(1, limit / count) }
}

extension StoreService {
  /// The number of processes that serve this storage.
  ///
  /// A service whose storage is not shared leaves it at 1.
  package var processes: LiveProcesses { logic.processes }
}
