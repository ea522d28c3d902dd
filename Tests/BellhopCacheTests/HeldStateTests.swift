import BellhopCache
import BellhopModel
import Testing

@Suite("A reader that holds a snapshot")
struct HeldStateTests {
  @Test("it sees one state until it is released, then the current one, and never an older one")
  func oneState() throws {
    let fixture = try CacheFixture(.sqlite)
    let reader = try CacheReader(path: fixture.path, account: CacheFixture.account)
    reader.holdSnapshot()
    #expect(try reader.totals().tray.count == 0)

    try fixture.pull([.item(makeItem(1))])
    #expect(try reader.totals().tray.count == 0)
    #expect(try reader.rows(of: .tray, .first, limit: 10).isEmpty)

    reader.releaseSnapshot()
    #expect(try reader.rows(of: .tray, .first, limit: 10).count == 1)
    #expect(try reader.totals().tray.count == 1)

    reader.releaseSnapshot()
    reader.releaseSnapshot()
    try fixture.pull([.item(makeItem(2))])
    #expect(try reader.totals().tray.count == 2)
  }

  @Test("it does not keep other readers from new changes")
  func others() throws {
    let fixture = try CacheFixture(.sqlite)
    let reader = try CacheReader(path: fixture.path, account: CacheFixture.account)
    reader.holdSnapshot()
    #expect(try reader.totals().tray.count == 0)
    try fixture.pull([.item(makeItem(1))])
    #expect(try fixture.reader.totals().tray.count == 1)
  }
}
