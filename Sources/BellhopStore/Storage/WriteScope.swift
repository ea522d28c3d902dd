/// The users whose rows a write may change.
///
/// A body reads before it writes, and several processes may write to one storage. So a user is locked
/// before a body reads the rows that it changes. Every backend guarantees:
///
/// 1. While a transaction has locked a user, no other one writes rows of that user. Reads within the
///    transaction see everything that was committed before the lock. It ends with the transaction.
///    Locking a user who does not exist has no effect.
/// 2. A body may read every row. Rows of users that it has not locked may change before its commit.
/// 3. The metadata, the starts, the hashes of removed files, the holds of blobs, the processes and
///    their leases, device grants and attempts belong to no user, and may be written in every scope.
///    A grant names the user who decided on it, and still changes only under conditions that its
///    methods check at that moment. Every other row belongs to one user: also a name, a token that is
///    found by its hash, and the subject at an identity provider.
/// 4. A user whom the body adds counts as locked.
/// 5. Methods that find rows of any user by themselves need no lock, such as
///    ``StoreTransaction/removePublications(before:limit:)``. They change a row only if it still meets
///    their condition at that moment.
package enum WriteScope: Hashable, Sendable {
  /// The rows of one user, whom the backend locks before the body runs.
  case user(UserID)
  /// The rows of users whom the body finds.
  ///
  /// It locks each with ``StoreTransaction/lock(_:)``, in ascending order of their ids, before it
  /// reads what it then writes.
  case users
  /// Only rows that belong to no user, and new users.
  ///
  /// No two bodies in this scope run at the same time. So one of them may decide by such rows what it
  /// writes.
  case store
}

extension WriteScope: CustomStringConvertible {
  package var description: String {
    switch self {
    case .user(let user): "of user \(user.rawValue)"
    case .users: "of several users"
    case .store: "of the store"
    }
  }
}

/// A check that the body of a write stays in its scope.
///
/// It finds errors of the program. A backend for tests refuses to commit after a ``violation``.
package struct ScopeCheck: Sendable {
  private let scope: WriteScope
  private var locked: Set<UserID> = []
  /// The user who was locked last.
  private var last: UserID?
  private var added: Set<UserID> = []
  /// The first step outside of the scope; nil if there was none.
  package private(set) var violation: StoreError?

  package init(_ scope: WriteScope) { self.scope = scope }

  /// Records that the body locks a user.
  package mutating func noteLock(_ user: UserID) {
    if scope != .users {
      violate("locks user \(user.rawValue)")
    } else if let last, user < last {
      violate("locks user \(user.rawValue) after user \(last.rawValue)")
    }
    locked.insert(user)
    last = user
  }

  /// Records that the body adds a user.
  package mutating func noteAdded(_ user: UserID) { added.insert(user) }

  /// Records that the body writes a row of a user.
  package mutating func noteWrite(_ user: UserID) {
    guard scope != .user(user), !locked.contains(user), !added.contains(user) else { return }
    violate("writes rows of user \(user.rawValue) without a lock")
  }

  private mutating func violate(_ what: String) {
    guard violation == nil else { return }
    violation = .unavailable(reason: "a write in the scope \(scope) \(what)")
  }
}
