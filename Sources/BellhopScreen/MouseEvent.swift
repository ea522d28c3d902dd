/// A mouse action and its position.
package struct MouseEvent: Hashable, Sendable {
  package enum Action: Hashable, Sendable {
    /// The left button was pressed.
    case press
    /// The left button was pressed a second time, at the same cell, within the double-click time.
    ///
    /// Sent instead of the second `press`.
    case doublePress
    /// The mouse moved while the left button was down.
    case drag
    /// The left button was released.
    case release
    case wheelUp
    case wheelDown
  }

  package var action: Action
  /// The position, always a cell of the screen.
  package var position: Point

  package init(_ action: Action, at position: Point) {
    self.action = action
    self.position = position
  }
}
