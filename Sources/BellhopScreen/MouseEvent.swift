/// What the mouse did, and where.
package struct MouseEvent: Hashable, Sendable {
  package enum Action: Hashable, Sendable {
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

  package var action: Action
  /// Always a cell of the screen.
  package var position: Point

  package init(_ action: Action, at position: Point) {
    self.action = action
    self.position = position
  }
}
