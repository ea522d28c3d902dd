internal import ArgumentParser
internal import BellhopCommands

struct Attachment: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attachment",
    abstract: "List the attachments of an item, or save one.",
    discussion: """
      A file is never written over another one. In a folder it gets its own name, with a number \
      where that is taken.

      Examples:
        bellhop attachment 12
        bellhop attachment 12 1 --save ~/Downloads
        bellhop attachment 12 --save - | less
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var output: OutputOptions
  @Argument(help: "The item: number, id, or the beginning of an id.") var item: String
  @Argument(help: "Which of several, from 1.") var number: Int?
  @Option(help: "A new file, a folder, or - for standard output.") var save: String?
  @Flag(help: "Also what is larger than attachment-limit.") var anySize = false

  func validate() throws {
    guard number ?? 1 > 0 else { throw ValidationError("Attachments are counted from 1.") }
    guard save?.isEmpty != true else { throw ValidationError("--save needs a name.") }
  }

  func run() throws {
    try Commands.attachment(
      try global.context(),
      AttachmentRequest(item: item, number: number, target: save, takesAnySize: anySize),
      asJSON: output.json)
  }
}
