import BellhopServer
import BellhopStore
import BellhopTestSupport
import Testing

@testable import BellhopStoreCommandLine

@Suite("A directory whose store was moved")
struct MovedDirectoryTests {
  @Test("doctor names the new place and the command that revives the store, until it is revived")
  func moved() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let source = try DataDirectory(folder.path + "/source")
    let target = try DataDirectory(folder.path + "/target")
    #expect(try await source.movedFinding() == nil)
    let store = try await source.open(.joining)
    await store.close()
    #expect(try await source.movedFinding() == nil)
    let finding = Finding.moved(to: target.path, from: source.path)
    #expect(finding.grade == .problem && finding.text.contains("moved to \(target.path)"))
    #expect(finding.text.hasSuffix("bellhopd migrate --from \(source.path) --revive"))
    try await source.openStorage(isSource: true).use { from in
      try await target.openStorage(isSource: false).use { to in
        let copy = StoreCopy(from: from.backend, files: from.files, to: to.backend, files: to.files)
        _ = try await copy.run(environment: .live, targetName: target.description)
      }
      let settings = StoreSettings(version: "0")
      #expect(try await source.findings(settings).contains(finding))
      #expect(try await !target.findings(settings).contains { $0.text.contains("--revive") })
      #expect(try await StoreService.revive(on: from.backend, environment: .live))
      #expect(try await !source.findings(settings).contains(finding))
    }
  }
}
