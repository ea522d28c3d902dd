import BellhopText
import Testing

/// Checks the guarantees of every `SafeText`.
///
/// - Returns: The broken guarantee; nil if all hold.
func brokenPromise(_ text: SafeText, allowingLineBreaks: Bool = false) -> String? {
  var cells = 0
  var marks = 0
  var hasBase = false
  for scalar in text.string.unicodeScalars {
    if scalar == "\n", allowingLineBreaks {
      cells += 1
      marks = 0
      hasBase = false
      continue
    }
    let name = "U+" + String(scalar.value, radix: 16)
    guard let width = CellWidth.of(scalar), scalar != "\0" else { return "\(name) is no character" }
    if isForbidden(scalar) { return "\(name) is forbidden" }
    if scalar.properties.isDefaultIgnorableCodePoint { return "\(name) is invisible" }
    cells += width
    if width > 0 {
      hasBase = true
      marks = 0
    } else {
      marks += 1
      if !hasBase { return "\(name) has nothing to sit on" }
      if marks > 4 { return "more than four combining marks" }
    }
  }
  if cells != text.width { return "\(cells) cells, but it says \(text.width)" }
  let clusters = text.clusters
  if clusters.reduce(0, { $0 + $1.width }) != cells { return "clusters count otherwise" }
  if clusters.contains(where: { $0.text.utf8.count > 32 }) { return "a cluster of over 32 bytes" }
  let joined = clusters.map(\.text).joined()
  if joined != text.string.replacing("\n", with: " ") { return "clusters hold another text" }
  return nil
}

/// Whether the scalar must never reach a terminal.
///
/// These are controls, separators, directions, zero-width characters, joiners, selectors, tags,
/// skin tones and halves of flags.
private func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
  if scalar.value >= 0x20, scalar.value < 0x7F { return false }
  return forbidden.contains { $0.contains(scalar.value) }
}

private let forbidden: [ClosedRange<UInt32>] = [
  0x00...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x61C...0x61C, 0x200B...0x200F, 0x2028...0x202E,
  0x2060...0x206F, 0xFE00...0xFE0F, 0xFEFF...0xFEFF, 0xFFF9...0xFFFB, 0x1F1E6...0x1F1FF,
  0x1F3FB...0x1F3FF, 0xE0000...0xE0FFF,
]

/// Scalars known to cause problems, and ordinary ones beside them.
let troublesome: [Unicode.Scalar] =
  [
    "\0", "\u{7}", "\u{8}", "\t", "\n", "\r", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{AD}",
    "\u{301}", "\u{323}", "\u{20E3}", "\u{61C}", "\u{1160}", "\u{11A8}", "\u{1100}", "\u{AC00}",
    "\u{115F}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{200E}", "\u{200F}", "\u{2028}", "\u{2029}",
    "\u{202A}", "\u{202E}", "\u{2066}", "\u{2069}", "\u{3164}", "\u{FE0E}", "\u{FE0F}", "\u{FEFF}",
    "\u{FFFD}", "\u{FFFF}", "\u{E000}", "\u{E0067}", "\u{E007F}", "\u{10FFFF}", "\u{1F1E9}",
    "\u{1F1EA}", "\u{1F3FD}", "\u{1F468}", "\u{1F469}", "\u{1F44D}", "\u{2764}", "\u{1F3F4}",
  ] + Array(" [];:abcABC019/-ß漢字かאבעربनमสวั한…●‼".unicodeScalars)
