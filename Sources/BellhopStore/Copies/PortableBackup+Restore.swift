internal import BellhopModel

extension PortableBackup {
  /// Restores a backup into an empty storage, or continues an interrupted restore of the same file.
  ///
  /// The whole file is checked before anything is written. As after any restore, another epoch begins:
  /// clients start again and send what they still hold.
  ///
  /// - Parameters:
  ///   - files: the blob store for the attachments; nil to leave them out.
  ///   - former: the state of the store that this one replaces; nil if it cannot be read.
  ///   - onStep: called after each batch.
  /// - Throws: ``StoreError/alreadyExists(what:)`` if the storage is not empty,
  ///   ``StoreError/notFound(what:)``, ``StoreError/newerSchema``,
  ///   ``StoreError/unavailable(reason:)`` if the file is damaged, and other ``StoreError``s.
  package static func restore(
    _ path: String, to backend: any StorageBackend, files: (any BlobStore)?,
    environment: StoreEnvironment, limits: StoreLimits = StoreLimits(),
    after former: FormerState? = nil,
    onStep: @escaping @Sendable (CopyStep) -> Void = { _ in }
  ) async throws -> (copy: CopyReport, restore: RestoreReport) {
    let content = try BackupContent(path: path)
    let target = CopyTarget(backend: backend, id: Base64URL.encode(content.checksum))
    try await CopyTarget.check(backend, id: target.id)
    let progress = try await target.begin()
    guard !progress.isFinished else {
      throw StoreError.alreadyExists(what: "a store in the target")
    }
    try await files?.removeDrafts()
    var loader = BackupLoader(
      target: target, progress: progress, files: files,
      draftName: BlobCopy.draftName(environment), onStep: onStep)
    var reader = try BackupReader(path: path)
    while let record = try reader.next() {
      try Task.checkCancellation()
      try await loader.load(record)
    }
    onStep(CopyStep(phase: .verification, count: content.tally.rowCount))
    guard reader.checksum == content.checksum else { throw StoreError.damagedBackup }
    if let table = try await target.tally(StoreCopy.batchMax).firstDifference(from: content.tally) {
      throw StoreError.differingCopy(table)
    }
    let restore = try await target.finish(loader.progress, lastUser: content.lastUser) {
      let logic = try StoreLogic.open(
        .joining, environment: environment, limits: limits, in: $0)
      return try logic.adopt(after: former, in: $0)
    }
    return (CopyReport(content.tally, blobs: loader.counts), restore)
  }
}

/// The part of a restore that writes what was read.
private struct BackupLoader {
  private let target: CopyTarget
  private let files: (any BlobStore)?
  private let draftName: String
  private let onStep: @Sendable (CopyStep) -> Void
  private(set) var progress: CopyProgress
  private(set) var counts = BlobCounts()
  /// The number of rows to skip, which an interrupted restore has inserted.
  private var skipped: Int
  private var rows: [CopiedRow] = []
  private var bytes = 0
  private var blob: FileHash?
  /// The draft of ``blob``; nil if the blob is not wanted.
  private var draft: (any BlobDraft)?
  private var digest = FileDigest()

  init(
    target: CopyTarget, progress: CopyProgress, files: (any BlobStore)?, draftName: String,
    onStep: @escaping @Sendable (CopyStep) -> Void
  ) {
    self.target = target
    self.progress = progress
    self.files = files
    self.draftName = draftName
    self.onStep = onStep
    skipped = progress.rows
  }

  mutating func load(_ record: BackupRecord) async throws {
    switch record {
    case .row(let row):
      if skipped > 0 {
        skipped -= 1
        return
      }
      let limit = StoreCopy.batchMax
      if let last = rows.last,
        last.table != row.table || rows.count >= limit.rows || bytes >= limit.bytes
      {
        try await insert()
      }
      rows.append(row)
      bytes += row.byteCount
    case .blob(let hash):
      try await insert()
      try await place()
      blob = hash
      digest = FileDigest()
      draft = try await files?.makeDraft(named: "\(draftName)-\(hash.rawValue)")
    case .chunk(let bytes):
      digest.update(bytes)
      try await draft?.write(bytes)
    case .footer(let footer):
      try await insert()
      try await place()
      counts.missing += footer.missing.map { FileHash($0) }
    }
  }

  private mutating func insert() async throws {
    guard let table = rows.first?.table else { return }
    try await target.insert(rows, of: table, &progress)
    onStep(CopyStep(phase: .rows(table), count: rows.count))
    rows = []
    bytes = 0
  }

  /// Places the attachment whose chunks were read.
  private mutating func place() async throws {
    guard let hash = blob else { return }
    defer { (blob, draft) = (nil, nil) }
    guard let draft else {
      counts.missing.append(hash)
      return
    }
    guard digest.hash == hash else {
      counts.damaged.append(hash)
      return
    }
    try await draft.place(as: hash)
    counts.copied += 1
    onStep(CopyStep(phase: .attachments, count: counts.copied))
  }
}
