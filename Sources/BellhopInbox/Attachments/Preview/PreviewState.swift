import BellhopModel
import BellhopScreen
import BellhopText

/// The most recently rendered picture.
enum DrawnPicture: Sendable {
  case cells(Picture)
  case pixels(TerminalImage, cell: PixelSize)
}

/// The preview of a file, with the scroll position.
struct PreviewState: Sendable {
  enum Content: Sendable {
    /// The file is being fetched.
    case awaited
    case text(PreviewText)
    case picture(path: String)
    /// There is nothing to show, for this reason.
    case nothing([SafeText])
  }

  /// The menu in which the file was chosen, which offers the other choices.
  let menu: AttachmentMenu
  /// The number of the order that fetches the file.
  let order: Int
  private(set) var content = Content.awaited
  private(set) var picture: DrawnPicture?
  /// The text, wrapped to the width of the pane.
  private(set) var lines: [SafeText] = []
  private(set) var scroll = 0
  /// The picture being rendered; one at a time.
  private(set) var drawing: PictureOrder?
  /// The last order that was rendered or attempted.
  private var drawn: PictureOrder?
  /// The reason why the picture cannot be drawn with pixels, if so.
  private var refusal: SafeText?
  private var size = Size(width: 0, height: 0)

  init(menu: AttachmentMenu, order: Int) {
    self.menu = menu
    self.order = order
  }

  /// The number of cells to the left of a text.
  static let margin = 1

  mutating func accept(_ value: PreviewContent) {
    switch value {
    case .text(let text):
      content = .text(text)
      wrap()
    case .picture(let path): content = .picture(path: path)
    case .empty: content = .nothing(["The file is empty."])
    case .other: content = .nothing([noPreviewText])
    }
  }

  private var noPreviewText: SafeText {
    guard let type = menu.attachment.type, !type.isEmpty else {
      return "No preview: this is neither text in UTF-8 nor a picture."
    }
    return type.string.hasPrefix("text/")
      ? "No preview: this text is not in UTF-8." : "No preview for this type (" + type + ")."
  }

  mutating func accept(_ outcome: PictureOutcome, serial: Int) {
    guard let order = drawing, order.serial == serial else { return }
    drawing = nil
    switch outcome {
    case .drawn(let drawn): picture = .cells(drawn)
    case .pixels(let image):
      guard case .pixels(_, let cell, _) = order.means else { return }
      picture = .pixels(image, cell: cell)
    case .cancelled: break
    case .noProgram:
      content = .nothing([
        "Showing pictures needs the program chafa, which is not installed:",
        "  sudo apt install chafa",
      ])
    case .failed(let reason) where order.means != .cells:
      // If pixels are impossible, characters may still work.
      refusal = reason
    case .failed(let reason): content = .nothing(["The picture cannot be shown: " + reason])
    }
  }

  /// Whether the means of drawing pictures have to be known.
  var needsMeans: Bool { if case .picture = content { true } else { false } }

  /// Lays the preview out for a pane.
  ///
  /// - Parameter means: The means of drawing pictures; nil if unknown.
  /// - Returns: A picture to be rendered, if one is needed.
  mutating func lay(out size: Size, means: PictureRendering?, serial: Int) -> PictureOrder? {
    let isWider = size.width != self.size.width
    self.size = size
    if isWider { wrap() }
    move(to: scroll)
    guard case .picture(let path) = content, drawing == nil, !Rect(size).isEmpty, let means else {
      return nil
    }
    var order = PictureOrder(
      serial: serial, path: path, size: size, means: refusal == nil ? means : .cells)
    if order.means == .cells {
      order.size = Size(
        width: min(size.width, Picture.sizeMax.width),
        height: min(size.height, Picture.sizeMax.height))
    }
    if var last = drawn {
      last.serial = serial
      guard order != last else { return nil }
    }
    (drawn, drawing) = (order, order)
    return order
  }

  private mutating func wrap() {
    guard case .text(let text) = content else { return }
    let room = max(1, size.width - Self.margin)
    lines = text.lines.flatMap { $0.wrapped(to: room) }
    move(to: scroll)
  }

  // MARK: - Moving

  mutating func move(to line: Int) {
    let count = lines.count + (end == nil ? 0 : 1)
    scroll = min(max(0, line), max(0, count - size.height))
  }

  mutating func move(by offset: Int) { move(to: scroll + offset) }
  mutating func page(by pages: Int) { move(by: pages * max(1, size.height - 1)) }
  mutating func moveToEnd() { move(to: .max) }

  /// The note on the right of the title.
  var note: SafeText {
    switch content {
    case .awaited: return "loading …"
    case .picture:
      if drawing != nil { return "drawing …" }
      return refusal.map { "as characters: " + $0 } ?? .empty
    case .nothing: return .empty
    case .text(let text): return text.isCut ? "beginning only" : .empty
    }
  }

  /// The line after the end of a text that is cut.
  var end: SafeText? {
    guard case .text(let text) = content, text.isCut else { return nil }
    let kilobytes = "\(PreviewText.bytesMax >> 10)"
    return SafeText(
      "Truncated: at most \(kilobytes) KiB and \(PreviewText.linesMax.grouped) lines are shown.")
  }

  var hints: [MenuHint] {
    let moving = lines.isEmpty ? [] : [MenuHint("↓ ↑", "scroll")]
    return [MenuHint("Esc", "close"), MenuHint("s", "save"), MenuHint("o", "open")] + moving
  }
}
