/// The remaining capacity of a page.
package struct PageFill {
  private var rows: Int
  private var bytes: Int

  package init(_ limit: PageLimit) {
    rows = limit.rows
    bytes = limit.bytes
  }

  package var isFull: Bool { rows <= 0 || bytes <= 0 }

  package mutating func add(_ count: Int) {
    rows -= 1
    bytes -= count
  }
}
