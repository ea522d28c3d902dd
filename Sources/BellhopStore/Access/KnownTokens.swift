internal import BellhopModel
internal import Synchronization

/// Who presents which token, as long as nothing about it changes: so that a request with a token
/// that was seen before reads nothing.
///
/// Only for a service that alone writes to its storage. What a transaction changes is forgotten
/// after its commit and before its answer, so that a revocation holds from its answer on. What was
/// read before a change, and comes after it, is not remembered.
final class KnownTokens: Sendable {
  /// What is remembered is dropped when it is this much: some 10 MB.
  static let countMax = 20_000

  private struct Entry {
    var hash: [UInt8]
    var principal: Principal
  }

  private struct State {
    /// By the first eight bytes of a token's hash, as in the storage.
    var entries: [UInt64: Entry] = [:]
    var byUser: [UserID: Set<UInt64>] = [:]
    var changes = 0
  }

  private let state = Mutex(State())

  /// A mark of the present, for ``remember(_:hash:readAt:)``.
  var mark: Int { state.withLock { $0.changes } }

  /// Who presents the token with this hash, if that is known.
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

  /// Forgets all that is known of these users.
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
