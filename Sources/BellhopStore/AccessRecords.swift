/// What a transaction tells of the changes to who is let in.
public protocol AccessChanges: AnyObject {
  /// The users of whom it wrote anything about their tokens, their devices or themselves. Whoever
  /// remembers what holds for these users reads it again when the transaction is committed.
  var accessChanges: Set<UserID> { get }
  /// The publications that it let in. They count once it is committed.
  var publishTally: PublishTally { get set }
}
