import BellhopModel
package import BellhopScreen
package import BellhopText
import CNcurses

/// The real terminal, through ncurses. Only one can be open, and only its creating thread may use
/// it.
package final class NcursesTerminal: TerminalDriver {
  private let options: TerminalOptions
  private let transliteration: Transliteration
  private let depth: ColorDepth
  private let isDirect: Bool
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private var decoder: InputDecoder
  private var shown: Frame?
  private var isOpen = true
  private var hasResumed = false
  private var reportedSize: Size
  private var isClosedReported = false
  private var notificationCount = 0
  private var inquiries: TerminalInquiries
  private var pictures = PictureWriter()
  /// The last picture support that was reported.
  private var reportedMeans: PictureRendering?

  /// Takes over the terminal of standard input and output.
  ///
  /// Until `close()`, the terminal is restored on every exit: a return, `exit`, a signal that
  /// `wait` reports, or a crash.
  /// - Throws: `TerminalError`. The terminal is then unchanged.
  package init(options: TerminalOptions) throws(TerminalError) {
    if options.environment["TERM"] == "dumb" { throw .dumb }
    switch Int(cn_open()) {
    case CN_OK: break
    case CN_NOT_A_TERMINAL: throw .notATerminal
    case CN_ALREADY_OPEN: throw .alreadyOpen
    case CN_NO_DESCRIPTION: throw .noDescription(term: options.environment["TERM"] ?? "")
    default: throw .system(code: cn_open_error())  // open: Int
    }
    let able = cn_get_capabilities()
    self.options = options
    transliteration = Transliteration(
      isUTF8: able.is_utf8 != 0, canShow: { cn_can_show(Int32(bitPattern: $0.value), 1) != 0 })
    isDirect = able.is_direct != 0
    depth = options.depth(colors: Int(able.colors), isDirect: isDirect)
    decoder = InputDecoder(escapeDelay: options.effectiveEscapeDelay)
    inquiries = TerminalInquiries(options: options)
    start = clock.now
    reportedSize = Size(width: Int(able.width), height: Int(able.height))
    let modes = TerminalModes(options: options)
    cn_set_modes(modes.on, modes.off)
    use(options.styles)
  }

  deinit { cn_close() }

  package var size: Size {
    let able = cn_get_capabilities()
    return Size(width: Int(able.width), height: Int(able.height))
  }

  package var waker: TerminalWaker { TerminalWaker { cn_wake() } }

  /// The number of colours that are used.
  package var colorDepth: ColorDepth { depth }

  /// Whether the terminal can show any character.
  package var isUTF8: Bool { transliteration.isUTF8 }

  // MARK: - Drawing

  package func use(_ styles: StyleSheet) {
    for (index, role) in StyleRole.allCases.enumerated() {
      for selected in [false, true] {
        let style = styles.resolved(role, selected: selected, depth: depth)
        cn_define_style(
          Int32(index * 2 + (selected ? 1 : 0)), style.attributes,
          number(style.foreground), number(style.background))
      }
    }
    shown = nil
  }

  package func present(_ frame: Frame) throws(TerminalError) {
    guard isOpen else { throw .closed }
    guard frame != shown || pictures.lacks(frame.picture) else { return }
    let isSameSize = shown?.size == frame.size
    removePicture(before: frame.picture, isWhole: !isSameSize)
    if !isSameSize { cn_clear() }
    for y in 0..<min(frame.size.height, size.height) {
      if isSameSize, let shown, shown.row(y) == frame.row(y) { continue }
      draw(frame.row(y), y: y)
      pictures.overwrote(row: y)
    }
    let cursor = frame.cursor.map { (Int32($0.x), Int32($0.y)) } ?? (-1, -1)
    cn_cursor(cursor.0, cursor.1)
    var title = ""
    if options.canSetTitle, shown?.title != frame.title {
      title = "\u{1B}]2;\(transliteration.text(frame.title))\u{07}"
    }
    title.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { cn_flush($0.baseAddress, Int32($0.count)) }
    }
    write(pictures.place(frame.picture, on: size))
    shown = frame
  }

  package func forget() { shown = nil }

  private func removePicture(before next: FramePicture?, isWhole: Bool) {
    let removal = pictures.remove(before: next, isWhole: isWhole)
    write(removal.bytes)
    guard let rows = removal.rows else { return }
    cn_redraw_rows(Int32(rows.lowerBound), Int32(rows.count))
  }

  private func draw(_ row: ArraySlice<Cell>, y: Int) {
    // Adjacent cells usually have the same role.
    var last: (role: StyleRole, slot: UInt8)?
    let clusters = transliteration.clusters(
      row,
      style: { cell in
        if last?.role != cell.role { last = (cell.role, Self.slots[cell.role] ?? 0) }
        return (last?.slot ?? 0) + (cell.isSelected ? 1 : 0)
      }, paint: color)
    clusters.withUnsafeBufferPointer { cn_draw_row(Int32(y), $0.baseAddress, Int32($0.count)) }
  }

  private func color(_ paint: Paint, _ painted: inout cn_cluster) {
    let style = paint.resolved(depth: depth)
    painted.style = UInt8(cn_painted)
    painted.attributes = UInt8(truncatingIfNeeded: style.attributes)
    painted.pair = cn_pair(number(style.foreground), number(style.background))
  }

  private static let slots: [StyleRole: UInt8] = Dictionary(
    uniqueKeysWithValues: StyleRole.allCases.enumerated().map { ($1, UInt8($0 * 2)) })

  /// Returns the colour number for ncurses.
  private func number(_ color: Color?) -> Int32 {
    switch color {
    case nil, .default?: -1
    // With direct colours, ncurses reserves 0–7 for the ANSI colours.
    case .palette(let index)? where index < 8 || !isDirect: Int32(index)
    case let color?: Int32(max(8, color.rgbValue))
    }
  }

  package func bell() { write("\u{07}") }

  package func notify(_ title: SafeText, _ body: SafeText, isUrgent: Bool) -> Bool {
    guard isOpen, let known = options.notificationProtocol else { return false }
    notificationCount += 1
    func cut(_ text: SafeText, _ bytes: Int) -> String {
      transliteration.text(SafeText(text.string, lineBreaks: .joined, byteLimit: bytes))
    }
    write(
      known.sequence(
        title: cut(title, NotificationProtocol.titleBytesMax),
        body: cut(body, NotificationProtocol.bodyBytesMax), isUrgent: isUrgent,
        number: notificationCount, passesThroughTmux: options.isInTmux))
    return true
  }

  package func copyToClipboard(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard isOpen, bytes.count <= TerminalLimits.clipboardBytesMax else { return false }
    let request = "\u{1B}]52;c;\(Base64.encode(bytes))"
    write(request + "\u{07}")
    // If tmux accepts no copies from programs, it may pass them on to the outer terminal.
    if options.isInTmux { write("\u{1B}Ptmux;\u{1B}\(request)\u{07}\u{1B}\\") }
    return true
  }

  private func write(_ bytes: [UInt8]) {
    guard isOpen, !bytes.isEmpty else { return }
    bytes.withUnsafeBytes { bytes in
      cn_write(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
    }
  }

  private func write(_ text: String) {
    guard isOpen else { return }
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { cn_write($0.baseAddress, Int32($0.count)) }
    }
  }

  // MARK: - Questions

  package func askGraphics() {
    guard isOpen else { return }
    if let question = inquiries.askGraphics(cell: cell, at: now) { write(question) }
    decoder.awaitsAnswer = inquiries.isAwaiting(at: now)
    // A second request gets the same report again.
    reportedMeans = nil
  }

  package func askBackground() {
    guard isOpen else { return }
    if let question = inquiries.askBackground(at: now) { write(question) }
    decoder.awaitsAnswer = inquiries.isAwaiting(at: now)
  }

  /// The size of a cell in pixels, as the system reports it.
  private var cell: PixelSize? {
    let able = cn_get_capabilities()
    guard able.cell_width > 0, able.cell_height > 0 else { return nil }
    return PixelSize(width: Int(able.cell_width), height: Int(able.cell_height))
  }

  /// Reports the background and the graphics support found since the last call.
  private func reportAnswers(_ events: inout [TerminalEvent]) {
    // A terminal that did not answer may have displayed the query.
    if inquiries.expire(at: now) { shown = nil }
    if let question = inquiries.next(at: now) { write(question) }
    if let background = inquiries.takeBackground() { events.append(.background(background)) }
    guard let means = inquiries.graphics.means, means != reportedMeans else { return }
    reportedMeans = means
    events.append(.graphics(means))
  }

  /// Waits for a pending answer, which the next program would otherwise read as typed text.
  private func awaitLastAnswer() {
    var unused: [TerminalEvent] = []
    while !isClosedReported, let end = inquiries.backgroundDeadline, end > now {
      let reasons = Int(cn_wait(milliseconds(until: end)))
      if reasons & CN_INPUT != 0 { read(into: &unused) }
      if reasons & CN_CLOSED != 0 { return }
    }
  }

  // MARK: - Waiting

  package func wait(timeout: Duration?) -> [TerminalEvent] {
    guard isOpen else { return [.inputClosed] }
    let end = timeout.map { now + $0 }
    var events: [TerminalEvent] = []
    while true {
      reportResumed(&events)
      reportAnswers(&events)
      events += decoder.expire(at: now)
      if !events.isEmpty { return events }
      let limit = [end, decoder.deadline, inquiries.deadline].compactMap { $0 }.min()
      handle(Int(cn_wait(limit.map { milliseconds(until: $0) } ?? -1)), events: &events)
      if !events.isEmpty || end.map({ $0 <= now }) == true { return events }
    }
  }

  private func handle(_ reasons: Int, events: inout [TerminalEvent]) {
    if reasons & CN_SUSPEND != 0 { suspend() }
    if reasons & CN_CONTINUE != 0 {
      write(pictures.leave())
      cn_reenter()
      hasResumed = true
    }
    if reasons & CN_RESIZE != 0 {
      _ = cn_resize()
      inquiries.cellChanged(cell)
    }
    reportResumed(&events)
    if reasons & CN_INPUT != 0 { read(into: &events) }
    if reasons & CN_WAKE != 0 { events.append(.wake) }
    if reasons & CN_TERMINATE != 0 { events.append(.terminate(signal: cn_signal())) }
    if reasons & CN_CLOSED != 0 { reportClosed(&events) }
  }

  private func reportResumed(_ events: inout [TerminalEvent]) {
    if hasResumed {
      hasResumed = false
      events.append(.resumed)
    }
    if size != reportedSize {
      reportedSize = size
      shown = nil
      events.append(.resize(size))
    }
  }

  private func read(into events: inout [TerminalEvent]) {
    let size = size
    decoder.awaitsAnswer = inquiries.isAwaiting(at: now)
    let count = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4096) { buffer -> Int in
      let count = Int(cn_read(buffer.baseAddress, Int32(buffer.count)))
      guard count > 0 else { return count }
      for event in decoder.feed(buffer[..<count], at: now) {
        if case .mouse(let mouse) = event, !Rect(size).contains(mouse.position) { continue }
        events.append(event)
      }
      return count
    }
    for answer in decoder.answers { inquiries.take(answer, cell: cell, at: now) }
    decoder.answers = []
    decoder.awaitsAnswer = inquiries.isAwaiting(at: now)
    if count < 0 { reportClosed(&events) }
  }

  private func reportClosed(_ events: inout [TerminalEvent]) {
    guard !isClosedReported else { return }
    isClosedReported = true
    events.append(.inputClosed)
  }

  private var now: Duration { start.duration(to: clock.now) }

  /// Returns whole milliseconds, rounded up: waking too early would cost another round.
  private func milliseconds(until moment: Duration) -> Int32 {
    let (seconds, attoseconds) = max(.zero, moment - now).components
    let milliseconds =
      min(seconds, 1_000_000) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int32(clamping: milliseconds)
  }

  // MARK: - Leaving

  package func suspend() {
    guard isOpen else { return }
    awaitLastAnswer()
    write(pictures.leave())
    if cn_suspend() != 0 { hasResumed = true }
  }

  package func lend(_ work: () -> SafeText?) {
    guard isOpen else { return }
    awaitLastAnswer()
    write(pictures.leave())
    guard cn_lend() != 0 else { return }
    if let line = work() { cn_wait_key("\n" + transliteration.text(line) + "\n") }
    cn_reclaim()
  }

  package func close() {
    guard isOpen else { return }
    awaitLastAnswer()
    write(pictures.leave())
    isOpen = false
    cn_close()
  }
}

extension ResolvedStyle {
  /// The attributes in the form that CNcurses expects.
  fileprivate var attributes: Int32 {
    let bold = isBold ? CN_BOLD : 0
    let italic = isItalic ? CN_ITALIC : 0
    let underline = isUnderlined ? CN_UNDERLINE : 0
    return Int32(bold | italic | underline | (isReversed ? CN_REVERSE : 0))
  }
}
