internal import BellhopSettings

/// The keys about files that items carry.
extension ConfigurationKey {
  static let downloads = ConfigurationKey(
    name: "downloads",
    help: ["The folder for attachments that are saved; else $XDG_DOWNLOAD_DIR, or ~/Downloads."],
    example: "\"/home/alice/Files\"",
    read: { (value, configuration) throws(Misfit) in
      guard let path = value.text, path.hasPrefix("/"), !path.contains("\0") else {
        throw Misfit(expected: "a folder's whole path, from / on")
      }
      configuration.downloads = path
    },
    written: { $0.downloads.map(quoted) })

  static let attachmentLimit = ConfigurationKey(
    name: "attachment-limit",
    help: ["Attachments of more MiB than this, 1 to 4096, are asked about first; else 25."],
    example: "100",
    read: { (value, configuration) throws(Misfit) in
      guard let size = value.number, (1...4096).contains(size) else {
        throw Misfit(expected: "a number of MiB from 1 to 4096")
      }
      configuration.attachmentBytesMax = size << 20
    },
    written: { String($0.attachmentBytesMax >> 20) })

  static let openCommand = ConfigurationKey(
    name: "open-command",
    help: ["A program that opens an attachment, named behind its arguments; else xdg-open."],
    example: "[\"gio\", \"open\"]",
    read: { (value, configuration) throws(Misfit) in
      configuration.openCommand = try texts(of: value, expected: commandExpected)
    },
    written: { $0.openCommand.map(list) })

  static let pictures = ConfigurationKey(
    name: "pictures",
    help: [
      "What pictures are previewed with: \"auto\" asks the terminal for kitty's graphics and sixels,",
      "else, and in tmux, \"blocks\"; \"kitty\" or \"sixel\" unasked; \"off\" draws none.",
    ],
    example: "\"blocks\"",
    read: { (value, configuration) throws(Misfit) in
      guard let pictures = value.text.flatMap(Configuration.Pictures.init(rawValue:)) else {
        throw Misfit(expected: "\"auto\", \"kitty\", \"sixel\", \"blocks\" or \"off\"")
      }
      configuration.pictures = pictures
    },
    written: { quoted($0.pictures.rawValue) })
}
