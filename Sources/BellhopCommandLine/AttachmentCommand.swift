internal import ArgumentParser
internal import BellhopCommands

struct Attachment: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attachment",
    abstract: "List the attachments of an item, or save one.",
    discussion: """
      An existing file is never overwritten. In a folder, the new file has the attachment's name, \
      with a number if that is taken.

      Examples:
        bellhop attachment 12
        bellhop attachment 12 1 --save ~/Downloads
        bellhop attachment 12 --save - | less
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var output: OutputOptions
  @Argument(
    help: "The item: a number, an id, or the beginning of an id.", completion: .items)
  var item: String
  @Argument(help: "The attachment's number, from 1.") var number: Int?
  @Option(
    help: "Save to a new file or into a folder; - for standard output.", completion: .file())
  var save: String?
  @Flag(help: "Fetch it even if it is larger than attachment-limit.") var anySize = false

  func validate() throws {
    guard number ?? 1 > 0 else { throw ValidationError("Attachments are counted from 1.") }
    guard save?.isEmpty != true else {
      throw ValidationError("--save needs the name of a file or folder.")
    }
  }

  func run() throws {
    try Commands.attachment(
      try global.context(),
      AttachmentRequest(item: item, number: number, target: save, takesAnySize: anySize),
      asJSON: output.json)
  }
}
