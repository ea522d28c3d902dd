import BellhopModel
import BellhopTestSupport
import Testing

@testable import BellhopStore

@Suite("Bytes between the shelf and their row")
struct ActiveUploadsTests {
  @Test("a sweep removes no bytes that an upload is about to name, and others at once")
  func held() async throws {
    let shelf = MemoryShelf()
    let desk = ActiveUploads(shelf: shelf, isTidy: true)
    let hash = FileHash("ab" + String(repeating: "0", count: 62))
    let draft = shelf.makeDraft(named: "upload")
    try await draft.write([1, 2, 3])
    desk.hold(hash)
    try await draft.place(as: hash)
    desk.remove([hash])
    #expect(shelf.open(hash) != nil)
    desk.release(hash)
    desk.remove([hash])
    #expect(shelf.open(hash) == nil)
  }
}
