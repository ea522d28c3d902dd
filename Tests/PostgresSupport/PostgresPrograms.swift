#if BELLHOP_POSTGRES
import Foundation
import Glibc

/// The installed programs of PostgreSQL.
package enum PostgresPrograms {
  /// The oldest version that is supported.
  private static let versionMin = 14

  /// Returns the folder of the newest version with these programs; nil if they are not installed.
  package static func folder(with names: [String]) -> String? {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    let folders =
      versions.compactMap { Int($0) }.filter { $0 >= versionMin }.sorted(by: >)
      .map { "\(root)/\($0)/bin" }
      + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    return folders.first { folder in
      names.allSatisfy { access("\(folder)/\($0)", X_OK) == 0 }
    }
  }
}
#endif
