import BellhopSettings
import Testing

@Suite("TOML")
struct TOMLSourceTests {
  @Test("values come without the parser's types")
  func values() throws {
    let settings = try TOMLSource.settings(
      "a = \"x\"\nb = true\nc = 3\nd = [\"y\", 4]\ne = 1.5\n[f]\ng = 'z'\n")
    #expect(
      settings == [
        "a": .text("x"), "b": .flag(true), "c": .number(3), "d": .list([.text("y"), .number(4)]),
        "e": .other, "f": .table(["g": .text("z")]),
      ])
  }

  @Test(
    "a header without a name is an error in its line, not the end of the program",
    arguments: ["[!]", "[ =x]", "[[ #]]", "  [", "[ [", "[é]", "[\u{0}a]", "[.a]"])
  func headers(_ header: String) {
    let failure = #expect(throws: TOMLSource.Failure.self) {
      try TOMLSource.settings("a = 1\n" + header)
    }
    #expect(failure?.line == 2)
  }
}
