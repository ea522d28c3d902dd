internal import BellhopModel
internal import Synchronization

/// A cache of the principals behind known tokens, so that authenticating a known token needs no
/// read.
///
/// Only for a service that is the sole writer to its storage. Entries that a transaction changes
/// are forgotten after its commit and before its answer, so that a revocation is effective from its
/// answer on. A principal that was read before a change, and arrives after it, is not cached.
final class TokenCache: Sendable {
  /// The number of entries at which the cache is cleared: about 10 MB.
  static let countMax = 20_000

  private struct Entry {
    var hash: [UInt8]
    var principal: Principal
  }

  private struct State {
    /// The entries, keyed by the first eight bytes of a token's hash, as in the storage.
    var entries: [UInt64: Entry] = [:]
    var byUser: [UserID: Set<UInt64>] = [:]
    var changes = 0
  }

  private let state = Mutex(State())

  /// A mark of the current state, for ``remember(_:hash:readAt:)``.
  var mark: Int { state.withLock { $0.changes } }

  /// Returns the principal behind the token with this hash, if it is cached.
  func principal(hash: [UInt8]) -> Principal? {
    let entry = state.withLock { $0.entries[Self.head(of: hash)] }
    guard let entry, ConstantTime.areEqual(entry.hash, hash) else { return nil }
    return entry.principal
  }

  /// - Parameter mark: ``mark`` from before the principal was read.
  func remember(_ principal: Principal, hash: [UInt8], readAt mark: Int) {
    let head = Self.head(of: hash)
    state.withLock { state in
      guard state.changes == mark || Mutant.revokedBetween.isOn else { return }
      if state.entries.count >= Self.countMax { state = State(changes: state.changes) }
      state.entries[head] = Entry(hash: hash, principal: principal)
      state.byUser[principal.user.id, default: []].insert(head)
    }
  }

  /// Forgets all cached entries of these users.
  func forget(_ users: Set<UserID>) {
    guard !users.isEmpty else { return }
    state.withLock { state in
      state.changes += 1
      for user in users {
        for head in state.byUser.removeValue(forKey: user) ?? [] { state.entries[head] = nil }
      }
    }
  }

  /// Forgets everything.
  func forgetAll() { state.withLock { $0 = State(changes: $0.changes + 1) } }

  private static func head(of hash: [UInt8]) -> UInt64 {
    hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
