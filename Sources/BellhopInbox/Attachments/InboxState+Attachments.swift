import BellhopModel
import BellhopScreen
import BellhopText

/// The state of attachments: the size limit and the fetch in progress.
struct AttachmentsState: Sendable {
  /// A fetch in progress; one at a time.
  struct Fetch: Sendable {
    var order: AttachmentOrder
    var received = 0
    /// The total size; nil until the store reports it.
    var total: Int?
    var isCancelled = false
  }

  /// The size above which the user is asked first, in bytes.
  var bytesMax = InboxState.attachmentBytesMax
  var fetch: Fetch?
  /// The item whose file is previewed once its attachments are known.
  var previewOf: ItemKey?
  /// The means of drawing pictures on this terminal; nil until it has been queried.
  var means: PictureRendering?
  /// Whether the terminal has been queried for ``means``.
  var asksMeans = false
}

/// A question before a file is fetched or opened.
struct AttachmentQuestion: Hashable, Sendable {
  var full: SafeText
  /// The text for narrow screens.
  var brief: SafeText
}

extension Command {
  static let attachmentCommands: [Command] = [attachments, previewAttachment]

  static let attachments = Command(
    id: "attachments", title: "attachments",
    help: "its attachments: save, open or preview one", synonyms: ["files", "download"],
    keys: ["e"], places: .items.subtracting(.later),
    chapter: .finding,
    disabledReason: { $0.reasonOfHiddenTexts ?? $0.reasonAgainstItem },
    perform: { state, effects in state.loadAttachments(toPreview: false, &effects) })

  static let previewAttachment = Command(
    id: "preview", title: "preview", help: "preview its attachment: text or a picture",
    keys: ["E"], places: .items, chapter: .finding,
    disabledReason: { $0.reasonOfHiddenTexts ?? $0.reasonAgainstItem },
    perform: { state, effects in state.loadAttachments(toPreview: true, &effects) })
}

extension InboxState {
  /// The default size up to which a file is fetched without a question, in bytes.
  package static let attachmentBytesMax = 25 << 20

  /// Sets the size above which the user is asked before a file is fetched, in bytes.
  package mutating func use(attachmentBytesMax: Int) { attachments.bytesMax = attachmentBytesMax }

  /// Requests the attachments of the item under the cursor.
  fileprivate mutating func loadAttachments(toPreview: Bool, _ effects: inout [Effect]) {
    guard let row = subject() else { return }
    attachments.previewOf = toPreview ? row.key : nil
    effects.append(.read(.attachments(row.key)))
  }

  mutating func openAttachmentMenu(
    _ detail: ItemDetail?, of key: ItemKey, _ effects: inout [Effect]
  ) {
    let previews = attachments.previewOf == key
    attachments.previewOf = nil
    guard overlay.isNone, activeItem?.key == key else { return }
    guard let detail, !detail.attachments.isEmpty else {
      return say("This item has no attachments.")
    }
    var menu = AttachmentMenu(
      account: key.account, heading: "Attachments · " + shownTitle(of: detail.row),
      attachments: detail.attachments)
    if previews {
      // With several files, the user chooses.
      let stored = menu.attachments.indices.filter {
        if case .store = menu.attachments[$0].place { true } else { false }
      }
      menu.chosen = stored.first ?? 0
      if stored.count == 1 { return menu.begin(.preview, &self, &effects) }
    }
    if menu.attachments.count == 1 { menu.step = .doing(selected: 0) }
    overlay = .menu(menu)
  }

  /// Returns the question to ask before a file is fetched or opened; nil if none is needed.
  ///
  /// - Parameter isHere: Whether the file has already been fetched.
  func question(
    about choice: AttachmentMenu.Choice, _ attachment: ItemAttachment, isHere: Bool
  ) -> AttachmentQuestion? {
    guard [.save, .open, .preview].contains(choice) else { return nil }
    let size = attachment.size ?? 0
    if size > attachments.bytesMax, !isHere {
      let text: SafeText =
        "Fetch " + SafeText(ItemAttachment.text(ofBytes: size)) + "?"
      return AttachmentQuestion(full: text, brief: text)
    }
    guard choice == .open, !attachment.isHarmless else { return nil }
    return AttachmentQuestion(
      full: "This file may be executable. Open it?", brief: "May be executable. Open?")
  }

  mutating func carryOut(
    _ choice: AttachmentMenu.Choice, _ menu: AttachmentMenu, _ effects: inout [Effect]
  ) {
    closeOverlay()
    switch choice {
    case .openLink(let link): effects.append(.item(.openLink(LinkOrder(link))))
    case .copyLink(let link):
      effects.append(.terminal(.copy(link.url)))
      notice = Notice(.success, "Link copied.")
    case .save: _ = fetch(menu, for: .save, &effects)
    case .open: _ = fetch(menu, for: .open, &effects)
    case .preview:
      if let order = fetch(menu, for: .preview, &effects) {
        overlay = .preview(PreviewState(menu: menu, order: order))
      }
    }
  }

  /// Starts a fetch.
  ///
  /// - Returns: The order's number; nil if another fetch is in progress.
  private mutating func fetch(
    _ menu: AttachmentMenu, for purpose: AttachmentOrder.Purpose, _ effects: inout [Effect]
  ) -> Int? {
    guard case .store(let id) = menu.attachment.place else { return nil }
    guard attachments.fetch == nil else {
      say("Another file is being fetched. Esc stops it.")
      return nil
    }
    serial += 1
    let order = AttachmentOrder(
      serial: serial, account: menu.account, id: id, fileName: menu.attachment.fileName,
      bytesMax: max(attachments.bytesMax, menu.attachment.size ?? 0), purpose: purpose)
    attachments.fetch = AttachmentsState.Fetch(order: order, total: menu.attachment.size)
    effects.append(.attachment(.fetch(order)))
    return serial
  }

  /// Cancels the fetch in progress.
  ///
  /// - Returns: false if there is none.
  mutating func cancelFetch(_ effects: inout [Effect]) -> Bool {
    guard let fetch = attachments.fetch, !fetch.isCancelled else { return false }
    attachments.fetch?.isCancelled = true
    effects.append(.attachment(.cancelFetch(serial: fetch.order.serial)))
    return true
  }

  mutating func acceptFetch(serial: Int, received: Int, total: Int?) {
    guard var fetch = attachments.fetch, fetch.order.serial == serial else { return }
    fetch.received = received
    fetch.total = total ?? fetch.total
    attachments.fetch = fetch
  }

  mutating func endFetch(serial: Int, _ outcome: AttachmentOutcome) {
    guard let fetch = attachments.fetch, fetch.order.serial == serial else { return }
    attachments.fetch = nil
    let name = SafeText(fetch.order.fileName, byteLimit: FileName.bytesMax)
    func path(_ text: String) -> SafeText { SafeText(text, byteLimit: SafeText.titleBytesMax) }
    switch outcome {
    case .saved(let saved): notice = Notice(.success, "Saved: " + path(saved))
    case .opened: notice = Notice(.success, "Opened: " + name)
    case .previewed(let content): showPreview(content, order: serial)
    case .unopened(let saved):
      say("No desktop here to open files. Saved as " + path(saved))
    case .cancelled:
      leavePreview(order: serial)
      say(name + ": stopped. The partial file was removed.")
    case .failed(let reason):
      leavePreview(order: serial)
      notice = Notice(.error, name + ": " + reason)
    }
  }

  /// The progress of the fetch, such as `build.log: 1.2 of 3.4 MB`; nil if there is none.
  var fetchText: SafeText? {
    guard let fetch = attachments.fetch else { return nil }
    let name = SafeText(fetch.order.fileName, byteLimit: FileName.bytesMax).truncated(to: 32)
    if fetch.isCancelled { return name + ": stopping …" }
    let received = ItemAttachment.text(ofBytes: fetch.received)
    let total = fetch.total.map { " of " + ItemAttachment.text(ofBytes: $0) } ?? ""
    return name + ": " + SafeText(received + total)
  }
}
