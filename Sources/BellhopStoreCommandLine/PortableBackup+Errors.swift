internal import BellhopStore

extension PortableBackup {
  /// Restores a backup into an empty storage, with errors that name the file.
  ///
  /// - Parameter former: The state of the store that this one replaces; nil if it cannot be read.
  /// - Throws: ``ProgramError`` for the file; `StoreError` for the storage.
  static func restore(
    file: String, to backend: any StorageBackend, files: any BlobStore,
    after former: FormerState? = nil
  ) async throws -> (copy: CopyReport, restore: RestoreReport) {
    do {
      return try await restore(
        file, to: backend, files: files, environment: .live, after: former)
    } catch let error as StoreError where error == .damagedBackup {
      throw ProgramError.badData("\(file) is damaged or incomplete. Nothing was changed.")
    } catch StoreError.newerSchema {
      throw ProgramError.newerBackup(file)
    }
  }
}
