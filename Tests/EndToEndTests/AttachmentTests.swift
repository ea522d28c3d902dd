import BellhopTestSupport
import Foundation
import Glibc
import Testing

@Suite("Attachments, end to end", .realPrograms)
struct AttachmentTests {
  @Test("a file is fetched whole on request, never overwrites another, and expires with its item")
  func saved() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let token = try await store.token(scope: "publish", "--any-app")
      let device = try await scene.device("desk", on: store)
      let log = (1...20_000).map { "line \($0) of the log\n" }.joined()
      let published = await onThread {
        StoreLine(port: store.port, token: token)?
          .ask(
            "PUT", "/backups", headers: ["Filename: ../nas.log", "Title: Nightly"],
            body: log)
      }
      let answer = try #require(published)
      #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
      try await device.succeed("sync")
      #expect(try await device.items().map(\.title) == ["Nightly"])
      let listed = try await device.succeed("attachment", "1")
      #expect(listed.contains(".log · text/plain · "), "\(listed)")
      #expect(listed.contains("nas.log") && !listed.contains("/nas"), "\(listed)")

      // Under its own name in a folder, the second time beside the first, and as it was published.
      let folder = scene.folder + "/saved"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      for _ in 1...2 { try await device.succeed("attachment", "1", "--save", folder) }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      #expect(names.count == 2 && names.allSatisfy { $0.hasSuffix(".log") }, "\(names)")
      for name in names {
        let path = folder + "/" + name
        #expect(try String(contentsOfFile: path, encoding: .utf8) == log)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
      }
      let taken = try await device.bellhop("attachment", "1", "--save", folder + "/" + names[0])
      #expect(taken.exitCode == 73 && taken.errors.contains("was not changed"), "\(taken.errors)")
      let piped = try await device.bellhop("attachment", "1", "--save", "-")
      #expect(piped.output == log)

      // The file is deleted with its item, and a failed fetch leaves nothing behind.
      try await device.succeed("delete", "1", "--wait")
      let id = try #require(
        try JSONDecoder().decode(Published.self, from: Data(answer.body)).attachment?.url
          .split(separator: "/").last)
      let gone = await onThread {
        StoreLine(port: store.port, token: token)?.ask("GET", "/file/\(id)")
      }
      #expect(gone?.status == 404)
    }
  }

  @Test("a backup contains the files, check finds missing ones, and a restore brings them back")
  func restored() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let token = try await store.token(scope: "publish", "--any-app")
      let log = String(repeating: "a line of the log\n", count: 10_000)
      func ask(_ method: String, _ path: String, body: String = "") async -> StoreLine.Answer? {
        await onThread {
          StoreLine(port: store.port, token: token)?
            .ask(method, path, headers: method == "PUT" ? ["Filename: nas.log"] : [], body: body)
        }
      }
      let answer = try #require(await ask("PUT", "/backups", body: log))
      let url = try #require(
        try JSONDecoder().decode(Published.self, from: Data(answer.body)).attachment?.url)
      let path = "/file/" + (try #require(url.split(separator: "/").last))
      let backup = scene.folder + "/backup.sqlite"
      let written = try await store.administer(["backup", backup])
      #expect(
        written.exitCode == 0 && written.errors.contains("1 attachment"), "\(written.errors)")
      let checked = try await store.administer(["check", "--file", backup], onData: false)
      #expect(checked.exitCode == 0, "\(checked.output)")

      try await store.stop()
      let files = String(store.database.dropLast("store.sqlite".count)) + "files"
      try FileManager.default.removeItem(atPath: files)
      let damaged = try await store.administer(["check"])
      #expect(damaged.exitCode == 65 && damaged.output.contains("whose file is missing"))
      let restored = try await store.administer(["restore", backup])
      #expect(restored.exitCode == 0 && !restored.errors.contains("missing"), "\(restored.errors)")
      #expect(try await store.administer(["check"]).exitCode == 0)
      try await store.start()
      let file = try #require(await ask("GET", path))
      #expect(file.status == 200 && file.body == Array(log.utf8))

      // A damaged file is listed, and the exit code reports an incomplete restore.
      try await store.stop()
      try FileManager.default.removeItem(atPath: files)
      let copies = try #require(
        FileManager.default.enumerator(atPath: backup + ".files")?.compactMap { $0 as? String })
      let copy = try #require(copies.first { $0.utf8.count > 64 })
      try FileManager.default.removeItem(atPath: "\(backup).files/\(copy)")
      try Data("another".utf8).write(to: URL(filePath: "\(backup).files/\(copy)"))
      let partly = try await store.administer(["restore", backup])
      #expect(partly.exitCode == 65 && partly.errors.contains("nas.log is damaged: "))
      #expect(partly.errors.contains("The store is restored, but 1 attachment is damaged."))

      // Without the folder beside it the rest is restored, and the missing files are listed.
      try await store.stop()
      for gone in [backup + ".files"] {
        try FileManager.default.removeItem(atPath: gone)
      }
      let bare = try await store.administer(["restore", backup])
      #expect(bare.exitCode == 0 && bare.errors.contains("1 attachment is missing"))
      try await store.start()
      #expect(try #require(await ask("GET", path)).status == 404)
    }
  }

  /// A square of 16 by 16 pixels, from blue to red and to white.
  private static let png = """
    iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAABlUlEQVR4nA3LQQEAIQgAQStYwQpW\
    sAIVqMB3n1awghWoQAUqUMG7+U9rjd4YjdlYDWlowxq7cRq34Y1oZKMar9Fap3dGZ3ZWRzrasc7u\
    nM7teCc62anO638Y9MEYzMEayEAHNtiDM7gDH8QgBzV44w+TPhmTOVkTmejEJntyJnfik5jkpCZv\
    /mHRF2MxF2shC13YYi/O4i58EYtc1OKtPwhdGMIUliCCCiZs4QhXcCGEFEp48gelK0OZylJEUcWU\
    rRzlKq6EkkopT/9gdGMY01iGGGqYsY1jXMONMNIo49kfNn0zNnOzNrLRjW325mzuxjexyU1t3v7D\
    oR/GYR7WQQ56sMM+nMM9+CEOeajDO3+49Mu4zMu6yEUvdtmXc7kXv8QlL3V59w9Od4YzneWIo445\
    2znOddwJJ51ynv8h6MEIZrACCTSwYAcnuIEHEWRQwYs/JD0ZyUxWIokmluzkJDfxJJJMKnn5h6IX\
    o5jFKqTQwopdnOIWXkSRRRWv/vDoj/GYj/WQhz7ssR/ncR/+iEc+6vEeHzeffxDHFjUTAAAAAElF\
    TkSuQmCC
    """

  private static let hasChafa = access("/usr/bin/chafa", X_OK) == 0

  @Test(
    "a picture is shown in the terminal's colours, and saved without being fetched again",
    .enabled(if: hasChafa, "chafa is not installed here; .ci/run installs it"))
  func previewed() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("desk", on: store)
      let file = scene.folder + "/square.png"
      let bytes = try #require(Data(base64Encoded: Self.png))
      try bytes.write(to: URL(filePath: file))
      let answer = try await publisher.curl(
        "/backups", ["--header", "Filename: square.png", "--upload-file", file])
      #expect(answer.status == 200, "\(answer.body)")
      let screen = try await scene.screen(on: device)
      try await screen.wait(for: "backups", "▤", "● live, all sent")
      try await screen.type("E")
      try await screen.wait(for: "Preview square.png", "image/png", "▀▀▀▀")
      try await screen.resize(columns: 60, rows: 16)
      try await screen.wait(for: "Preview square.png", "▀▀▀▀")
      // No request for it is sent to the store any more.
      store.signal(SIGSTOP)
      try await screen.type("s")
      try await screen.wait(for: "Saved: ")
      store.signal(SIGCONT)
      let saved = try Data(contentsOf: URL(filePath: device.folder + "/Downloads/square.png"))
      #expect(saved == bytes)
    }
  }

  @Test("a signal during saving leaves no part of the file", arguments: [SIGINT, SIGTERM])
  func interrupted(signal: Int32) async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("desk", on: store)
      try await publisher.publish("text", headers: ["Filename: nas.log"])
      try await device.succeed("sync")
      let folder = scene.folder + "/saved"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      // A store that does not answer.
      store.signal(SIGSTOP)
      let child = try Child(
        Programs.bellhop, ["attachment", "1", "--save", folder], environment: device.environment,
        directory: device.folder, folder: device.folder + "/output")
      scene.atEnd { await child.end() }
      let names = { try FileManager.default.contentsOfDirectory(atPath: folder) }
      _ = try await eventually("a file that was begun") {
        try names().isEmpty ? nil : true
      }
      child.signal(signal)
      let ending = try await child.waitForEnd()
      #expect(ending == .exited(128 + signal), "\(child.errors)")
      #expect(try names() == [] && child.errors.contains("The partial file was removed."))
      store.signal(SIGCONT)
    }
  }

  private struct Published: Decodable {
    struct Attachment: Decodable {
      let url: String
    }
    let attachment: Attachment?
  }
}
