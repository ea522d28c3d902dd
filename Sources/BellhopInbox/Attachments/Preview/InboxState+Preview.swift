import BellhopModel
import BellhopScreen
import BellhopText

extension InboxState {
  /// Shows a fetched file, unless the user has closed the preview.
  mutating func showPreview(_ content: PreviewContent, order: Int) {
    guard case .preview(var preview) = overlay, preview.order == order else { return }
    preview.accept(content)
    overlay = .preview(preview)
  }

  /// Closes the preview of a file that could not be fetched.
  mutating func leavePreview(order: Int) {
    guard case .preview(let preview) = overlay, preview.order == order else { return }
    closeOverlay()
  }

  mutating func acceptPicture(_ outcome: PictureOutcome, serial: Int) {
    guard case .preview(var preview) = overlay else { return }
    preview.accept(outcome, serial: serial)
    overlay = .preview(preview)
  }

  mutating func settlePreview(_ layout: Layout, _ effects: inout [Effect]) {
    guard case .preview(var preview) = overlay else { return }
    if preview.needsMeans, !attachments.asksMeans {
      attachments.asksMeans = true
      effects.append(.terminal(.askGraphics))
    }
    let order = preview.lay(
      out: layout.body.size, means: attachments.means, serial: serial + 1)
    if let order {
      serial += 1
      effects.append(.attachment(.drawPicture(order)))
    }
    overlay = .preview(preview)
  }

  mutating func take(_ key: Key, in preview: PreviewState, _ effects: inout [Effect]) {
    var preview = preview
    switch key {
    case .escape, .left, .character("q"), .character("h"), .character("p"), .control("c"),
      .control("g"):
      return close(preview, &effects)
    case .character("s"): return leave(preview, for: .save, &effects)
    case .character("o"): return leave(preview, for: .open, &effects)
    case .down, .character("j"), .enter, .control("n"): preview.move(by: 1)
    case .up, .character("k"), .control("p"): preview.move(by: -1)
    case .pageDown, .character(" "), .control("d"): preview.page(by: 1)
    case .pageUp, .control("u"): preview.page(by: -1)
    case .home, .character("g"): preview.move(to: 0)
    case .end, .character("G"): preview.moveToEnd()
    default: return  // open: Key
    }
    overlay = .preview(preview)
  }

  /// Closes the preview, and stops its work in progress.
  mutating func close(_ preview: PreviewState, _ effects: inout [Effect]) {
    closeOverlay()
    if let drawing = preview.drawing {
      effects.append(.attachment(.cancelPicture(serial: drawing.serial)))
    }
    if attachments.fetch?.order.serial == preview.order { _ = cancelFetch(&effects) }
  }

  /// Saves or opens the previewed file, with the same question as the menu.
  private mutating func leave(
    _ preview: PreviewState, for choice: AttachmentMenu.Choice, _ effects: inout [Effect]
  ) {
    if case .awaited = preview.content { return }
    close(preview, &effects)
    preview.menu.begin(choice, isHere: true, &self, &effects)
  }
}
