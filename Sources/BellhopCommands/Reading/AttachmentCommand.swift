internal import BellhopCache
package import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopSync
internal import BellhopText
internal import Glibc

/// The options of `bellhop attachment`.
package struct AttachmentRequest: Sendable {
  /// The item, as the user names it.
  package var item: String
  /// The number of the attachment, from 1; nil for all, or for the only one.
  package var number: Int?
  /// A file, a folder, or `-` for standard output; nil to list the attachments.
  package var target: String?
  package var takesAnySize: Bool

  package init(item: String, number: Int?, target: String?, takesAnySize: Bool) {
    self.item = item
    self.number = number
    self.target = target
    self.takesAnySize = takesAnySize
  }
}

extension Commands {
  /// Runs `bellhop attachment`, which lists an item's attachments or saves one of them.
  package static func attachment(
    _ context: ClientContext, _ request: AttachmentRequest, asJSON: Bool
  ) throws {
    let access = try CacheAccess(context, startsStore: request.target != nil)
    let item = try access.item(named: request.item, consequence: nil)
    let all = (item.notification.content.extras.attachments ?? []).map { ItemAttachment($0) }
    guard let target = request.target else {
      return try list(all, of: request, asJSON: asJSON)
    }
    let chosen = try choose(all, request)
    guard case .store(let id) = chosen.place else {
      throw ClientError(
        .badData,
        "\(chosen.name.string) is only a link, and only files in the store can be fetched.",
        next: "bellhop attachment \(request.item) shows its address.")
    }
    let limit = context.configuration.attachmentBytesMax
    guard request.takesAnySize || chosen.size ?? 0 <= limit else {
      throw ClientError(
        .badData,
        "\(chosen.name.string) has \(ItemAttachment.text(ofBytes: chosen.size ?? 0)), more than "
          + "attachment-limit.", next: "Nothing was fetched. Use --any-size to fetch it.")
    }
    try fetch(
      id, chosen, to: target, bytesMax: request.takesAnySize ? .max : limit, access)
  }

  private static func list(
    _ all: [ItemAttachment], of request: AttachmentRequest, asJSON: Bool
  ) throws {
    for (index, attachment) in all.enumerated()
    where request.number == nil || request.number == index + 1 {
      if asJSON {
        try StandardOutput.jsonLine(AttachmentJSON(attachment, number: index + 1))
        continue
      }
      var line = SafeText("\(index + 1)  ") + attachment.words
      if case .link(let link) = attachment.place {
        line = line + " · " + SafeText(link.url, byteLimit: Link.bytesMax)
      }
      StandardOutput.line(line)
    }
    if request.number != nil { _ = try choose(all, request) }
    if all.isEmpty { StandardError.say("The item has no attachments.") }
  }

  private static func choose(
    _ all: [ItemAttachment], _ request: AttachmentRequest
  ) throws -> ItemAttachment {
    guard let first = all.first else {
      throw ClientError(.noSuchItem, "The item \(request.item.prefix(64)) has no attachments.")
    }
    guard let number = request.number else {
      guard all.count == 1 else {
        throw ClientError(
          .usage, "The item has \(all.count) attachments.",
          next:
            "Nothing was fetched. Add a number: bellhop attachment \(request.item.prefix(64)) 1"
        )
      }
      return first
    }
    guard all.indices.contains(number - 1) else {
      throw ClientError(
        .noSuchItem, "\(number) is not a valid attachment number. The item has \(all.count).")
    }
    return all[number - 1]
  }

  private static func fetch(
    _ id: String, _ attachment: ItemAttachment, to target: String, bytesMax: Int,
    _ access: CacheAccess
  ) throws {
    do {
      if target == "-" {
        guard !StandardOutput.isTerminal else {
          throw ClientError(
            .usage,
            "A file is not written to a terminal, because it may contain control sequences.",
            next: "Nothing was fetched. Pipe it to a program, or save it under a name.")
        }
        return try pipe(id, bytesMax: bytesMax, access)
      }
      let signals = EndSignals()
      let file = try newFile(attachment, at: target)
      do {
        try runBlocking {
          let fetch = Task {
            let transport = try EngineSetup.transport(for: access.account, context: access.context)
            try await AttachmentFetch.fetch(id, from: transport, bytesMax: bytesMax, to: file)
          }
          signals.onArrival { fetch.cancel() }
          try await fetch.value
        }
      } catch let error where AttachmentFetch.isCancelled(error) {
        // Only a signal cancels it.
        file.discard()
        StandardError.say("Stopped. The partial file was removed.")
        ExitCode.exit(by: signals.arrived ?? SIGINT)
      }
      StandardError.say("Saved: \(file.path)")
    } catch let error as TransportError {
      let isGone = if case .server(404, _) = error { true } else { false }
      throw ClientError(
        isGone ? .noSuchItem : error == .fileTooLarge ? .badData : error.exitCode,
        "Not fetched: \(AttachmentFetch.words(error))")
    }
  }

  /// Writes the file to standard output, and ends early if its reader has gone.
  private static func pipe(_ id: String, bytesMax: Int, _ access: CacheAccess) throws {
    do {
      try runBlocking {
        let transport = try EngineSetup.transport(for: access.account, context: access.context)
        try await transport.readFile(id: id, bytesMax: bytesMax) { part in
          if case .bytes(let bytes) = part { try StandardOutput.write(bytes) }
        }
      }
    } catch is CancellationError {
      return
    }
  }

  /// Creates the file for the attachment.
  ///
  /// In a folder, it uses the attachment's name, with a number if that is taken. Otherwise `target`
  /// must be a free name.
  private static func newFile(_ attachment: ItemAttachment, at target: String) throws -> NewFile {
    var status = stat()
    if stat(target, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      return try NewFile.make(attachment.fileName, in: target)
    }
    guard let file = try NewFile.make(path: target) else {
      throw ClientError(
        .cannotCreate, "\(target) exists already and was not changed.",
        next: "Nothing was fetched. Choose another name.")
    }
    return file
  }
}

/// An attachment as a line of JSON.
private struct AttachmentJSON: Encodable {
  var number: Int
  var name: String
  var type: String?
  var size: Int?
  /// The address; for a link only.
  var url: String?

  init(_ attachment: ItemAttachment, number: Int) {
    self.number = number
    name = attachment.fileName
    type = attachment.type?.string
    size = attachment.size
    if case .link(let link) = attachment.place { url = link.url }
  }
}

extension StandardOutput {
  /// Writes raw bytes, for a program or file, not for a terminal.
  ///
  /// - Throws: `ClientError`, or `CancellationError` if the reader has gone.
  fileprivate static func write(_ bytes: [UInt8]) throws {
    guard let code = writeAll(bytes, to: STDOUT_FILENO) else { return }
    // A reader that has enough data, such as head, is not an error.
    guard code != EPIPE else { throw CancellationError() }
    throw ClientError(.inputOutput, "Cannot write to standard output: \(systemMessage(code)).")
  }
}
