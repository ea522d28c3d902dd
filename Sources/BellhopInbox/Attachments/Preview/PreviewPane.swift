import BellhopScreen
import BellhopText

/// Draws the preview of a file over the whole body.
struct PreviewPane {
  let preview: PreviewState

  func draw(_ layout: Layout, on canvas: inout Canvas) {
    if !layout.header.isEmpty {
      var line = StyledLine(" Preview ", .accent)
      line.add(preview.menu.attachment.words, .text)
      if !preview.note.isEmpty {
        line.trailing = StyledLine.Piece(text: preview.note + " ", role: .dim)
      }
      canvas.put(line, in: layout.header)
    }
    let body = layout.body
    switch preview.content {
    case .awaited: canvas.put(StyledLine("  …", .dim), in: body)
    case .text: text(in: body, on: &canvas)
    case .picture:
      switch preview.picture {
      case .cells(let picture): draw(picture, in: body, on: &canvas)
      case .pixels(let image, let cell): draw(image, of: cell, in: body, on: &canvas)
      case nil: canvas.put(StyledLine("  …", .dim), in: body)
      }
    case .nothing(let reason): say(reason, in: body, on: &canvas)
    }
  }

  private func text(in body: Rect, on canvas: inout Canvas) {
    let lines = preview.lines.dropFirst(preview.scroll).prefix(body.height)
    for (offset, line) in lines.enumerated() {
      canvas.put(line, at: Point(x: body.x + PreviewState.margin, y: body.y + offset), in: body)
    }
    guard let end = preview.end, lines.count < body.height else { return }
    canvas.put(StyledLine(" " + end, .dim), in: body.row(lines.count))
  }

  /// Draws a picture in the centre of the pane.
  private func draw(_ picture: Picture, in body: Rect, on canvas: inout Canvas) {
    let left = body.x + max(0, (body.width - picture.size.width) / 2)
    let top = body.y + max(0, (body.height - picture.size.height) / 2)
    for (offset, row) in picture.rows.enumerated() {
      var point = Point(x: left, y: top + offset)
      for run in row {
        canvas.put(run.text, at: point, in: body)
        let place = Rect(x: point.x, y: point.y, width: run.text.width, height: 1)
        canvas.paint(body.intersection(place), run.paint)
        point.x += run.text.width
      }
    }
  }

  /// Draws an image in the centre of the pane.
  ///
  /// An image that was made for a larger pane is not drawn; its replacement is being drawn.
  private func draw(
    _ image: TerminalImage, of cell: PixelSize, in body: Rect, on canvas: inout Canvas
  ) {
    let size = image.cells(of: cell)
    let place = body.centered(size)
    guard place.size == size else { return canvas.put(StyledLine("  …", .dim), in: body) }
    canvas.show(image, in: place)
  }

  private func say(_ reason: [SafeText], in body: Rect, on canvas: inout Canvas) {
    let keys: SafeText = "s saves it, o opens it with the desktop's program."
    let room = max(1, body.width - 4)
    let lines = (reason + [.empty, keys]).flatMap { $0.wrapped(to: room) }
    for (offset, line) in lines.prefix(max(0, body.height - 1)).enumerated() {
      canvas.put(line, at: Point(x: body.x + 2, y: body.y + 1 + offset), in: body)
    }
  }
}
