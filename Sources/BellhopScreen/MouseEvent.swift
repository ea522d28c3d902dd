/// What the mouse did, and where.
public struct MouseEvent: Hashable, Sendable {
  public enum Action: Hashable, Sendable {
    /// The left button went down.
    case press
    /// The left button went down a second time, at the same cell, within the double-click time.
    /// It is sent instead of the second `press`.
    case doublePress
    /// The mouse moved with the left button down.
    case drag
    /// The left button went up.
    case release
    case wheelUp
    case wheelDown
  }

  public var action: Action
  /// Always a cell of the screen.
  public var position: Point

  public init(_ action: Action, at position: Point) {
    self.action = action
    self.position = position
  }
}
