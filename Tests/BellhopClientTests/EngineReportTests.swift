import BellhopModel
import BellhopTestSupport
import Testing

@testable import BellhopClient
@testable import BellhopSync

@Suite("The engine's status file")
struct EngineReportTests {
  @Test("the file keeps when the store became unreachable, and only real changes are written")
  func note() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path + "/engine-status.json"
    let start = Timestamp(seconds: 1_800_000_000)
    func book(_ seconds: Int64) -> EngineReportWriter {
      EngineReportWriter(path: path, now: { start.advanced(by: .seconds(seconds)) })
    }
    let first = book(0)
    first.take(EngineStatus(connection: .connecting))
    #expect(EngineReport.read(path) == nil)
    first.take(EngineStatus(connection: .offline(since: start), waiting: 1, problem: "cut"))
    let later = start.advanced(by: .seconds(60))
    book(60).take(EngineStatus(connection: .offline(since: later), waiting: 2, problem: "cut"))
    let note = try #require(EngineReport.read(path))
    #expect(note.connection == .offline(since: start) && note.written == start)
    book(90).take(EngineStatus(connection: .polling(every: .seconds(7))))
    #expect(EngineReport.read(path)?.connection == .polling(every: .zero))
    #expect(EngineReport.read(path)?.written == start.advanced(by: .seconds(90)))
  }
}
