/// The users whose rows a write may change.
///
/// A body reads before it writes, and several processes may write to one storage. So a user is locked
/// before a body reads the rows that it changes. Every backend guarantees:
///
/// 1. While a transaction has locked a user, no other one writes rows of that user. Reads within the
///    transaction see everything that was committed before the lock. It ends with the transaction.
///    Locking a user who does not exist has no effect.
/// 2. A body may read every row. Rows of users that it has not locked may change before its commit.
/// 3. The metadata, the starts and the hashes of removed files belong to no user, and may be written
///    in every scope. Every other row belongs to one user: also a name, a token that is found by its
///    hash, and the subject at an identity provider.
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
