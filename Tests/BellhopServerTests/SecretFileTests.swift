import BellhopTestSupport
import Foundation
import Testing

@testable import BellhopServer

@Suite("Files with secrets")
struct SecretFileTests {
  @Test(
    "a file that its group or others may use is refused, with the fix",
    arguments: [
      (0o600, true), (0o400, true), (0o700, true), (0o640, false), (0o620, false),
      (0o604, false), (0o644, false), (0o601, false),
    ])
  func modes(mode: Int, isAccepted: Bool) throws {
    try TemporaryFolder.with { folder in
      let path = folder + "/token"
      #expect(FileManager.default.createFile(atPath: path, contents: Data("x".utf8)))
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      // A link is checked by its target.
      let link = folder + "/link"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
      for path in [path, link] {
        do throws(ServerError) {
          try SecretFile.check(path)
          #expect(isAccepted, "\(path)")
        } catch {
          #expect(!isAccepted && error.description.contains("chmod go= \(path)"), "\(error)")
        }
      }
      try SecretFile.check(folder + "/missing")
    }
  }

  @Test(
    "a service may read a file of root by its group, and no other",
    arguments: [
      (0o640, 0, 998, true), (0o440, 0, 998, true), (0o660, 0, 998, false), (0o650, 0, 998, false),
      (0o644, 0, 998, false), (0o640, 998, 998, false), (0o640, 0, 0, false), (0o600, 0, 0, true),
    ] as [(UInt32, UInt32, UInt32, Bool)])
  func groups(mode: UInt32, owner: UInt32, user: UInt32, isAccepted: Bool) {
    #expect((mode & SecretFile.forbiddenBits(owner: owner, user: user) == 0) == isAccepted)
  }

  @Test("a TLS private key is refused the same way before it is read")
  func privateKey() throws {
    try TemporaryFolder.with { folder in
      let (certificate, key) = (folder + "/chain.pem", folder + "/key.pem")
      try Data(HookCertificate.certificate.utf8).write(to: URL(filePath: certificate))
      try Data("no key".utf8).write(to: URL(filePath: key))
      for (mode, word) in [(0o640, "chmod go="), (0o600, "expected a PEM private key")] {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key)
        let error = #expect(throws: ServerError.self) {
          try ServerCertificates(certificate: certificate, key: key)
        }
        #expect(error?.description.contains(word) == true, "\(String(describing: error))")
      }
    }
  }

  @Test("a private key that its group may use is refused at a reload, and the old one stays")
  func reloadedKey() throws {
    try TemporaryFolder.with { folder in
      let (certificate, key) = (folder + "/chain.pem", folder + "/key.pem")
      try Data(HookCertificate.certificate.utf8).write(to: URL(filePath: certificate))
      #expect(
        FileManager.default.createFile(
          atPath: key, contents: Data(HookCertificate.key.utf8),
          attributes: [.posixPermissions: 0o600]))
      let certificates = try ServerCertificates(certificate: certificate, key: key)
      let first = certificates.context
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: key)
      let error = #expect(throws: ServerError.self) { try certificates.reload() }
      #expect(error?.description.contains("chmod go= \(key)") == true)
      #expect(certificates.context === first)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
      try certificates.reload()
      #expect(certificates.context !== first)
    }
  }

  @Test("the group bits of a systemd credential are ignored, those of others are not")
  func credentials() throws {
    try TemporaryFolder.with { folder in
      let path = folder + "/key.pem"
      #expect(FileManager.default.createFile(atPath: path, contents: Data("x".utf8)))
      for (mode, credentials, isAccepted) in [
        (0o440, folder, true), (0o444, folder, false), (0o440, nil, false),
        (0o440, folder + "/x", false), (0o440, String(folder.dropLast()), false),
      ] as [(Int, String?, Bool)] {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        do throws(ServerError) {
          try SecretFile.check(path, credentials: credentials)
          #expect(isAccepted, "\(credentials ?? "none")")
        } catch {
          #expect(!isAccepted, "\(error)")
        }
      }
      try FileManager.default.createDirectory(
        atPath: folder + "/x", withIntermediateDirectories: false)
      #expect(throws: ServerError.self) {
        try SecretFile.check(folder + "/x/../key.pem", credentials: folder + "/x")
      }
    }
  }
}
