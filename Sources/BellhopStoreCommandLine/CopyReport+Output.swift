internal import BellhopModel
internal import BellhopStore

extension CopyReport {
  /// The most damaged or missing attachments that are listed individually.
  private static let filesNamedMax = 50

  /// The counts in one line.
  var summary: String {
    "\(users.counted("user")), \(items.counted("item")), \(blobs.counted("attachment"))"
  }

  /// Prints the attachments that could not be copied.
  func printLostFiles() {
    for (reason, hashes) in [("missing", missingBlobs), ("damaged", damagedBlobs)] {
      for hash in hashes.prefix(Self.filesNamedMax) {
        Output.error("An attachment is \(reason): \(hash.rawValue)")
      }
      if !hashes.isEmpty {
        Output.error(
          hashes.count.counted("attachment is", "attachments are")
            + " \(reason), and not in the copy.")
      }
    }
  }
}

extension RestoreReport {
  /// Prints that a backup was restored, with the number of users.
  func printUsers(from file: String) {
    Output.error("Restored from \(file): \(users.counted("user")).")
  }
}
