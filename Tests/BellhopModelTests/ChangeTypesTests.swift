import BellhopModel
import Testing

@Suite("Change types")
struct ChangeTypesTests {
  @Test(
    "Graph's comma-separated lists are read in any order and case, and written in one",
    arguments: [
      ("created", "created"), ("deleted,created", "created,deleted"),
      ("Updated, created ,deleted", "created,updated,deleted"), ("created,created", "created"),
    ])
  func lists(text: String, canonical: String) {
    #expect(ChangeTypes(text)?.description == canonical)
  }

  @Test(
    "an unknown or empty type is refused",
    arguments: ["", ",", "created,", "moved", "created;deleted", "*"])
  func refused(text: String) {
    #expect(ChangeTypes(text) == nil)
  }
}
