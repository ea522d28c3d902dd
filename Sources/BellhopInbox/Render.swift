public import BellhopScreen

/// The screen of a state. Pure; the work depends on the size of the screen alone.
public func render(_ state: InboxState) -> Frame {
  Canvas(size: state.size).frame
}
