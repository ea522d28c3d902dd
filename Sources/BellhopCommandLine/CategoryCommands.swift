internal import ArgumentParser
internal import BellhopCommands

struct Categories: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "categories", abstract: "List, set and remove the categories of an app.",
    discussion: """
      A category is a kind of item of an app, with the actions of its items. Items have its actions \
      as they are now.

      Example: bellhop categories set ci question --action "reply,Answer" --action "report,Stop"
      """,
    subcommands: [All.self, Set.self, Remove.self], defaultSubcommand: All.self)

  struct All: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the categories of an app with their actions.",
      discussion: "Example: bellhop categories list ci --json")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @Argument(help: "The app's host or topic.", completion: .apps) var app: String

    func run() throws {
      try Commands.categories(try global.context(), app: app, asJSON: output.json)
    }
  }

  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Register a category of an app, or replace it.",
      discussion:
        "Example: bellhop categories set ci question --action \"report+destructive,Stop\"")

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The app's host or topic.", completion: .apps) var app: String
    @Argument(help: "The id of the category.") var id: String
    @Option(
      help: ArgumentHelp(
        "An action, written as in bellhop publish; may be repeated.", valueName: "action"))
    var action: [String] = []
    @Flag(help: "Report to the app when an item is dismissed.") var reportDismissal = false
    @Flag(help: "Show the title of items even while previews are hidden.") var showTitle = false
    @Flag(help: "Show the subtitle of items even while previews are hidden.")
    var showSubtitle = false
    @Option(help: "The text in place of the body while previews are hidden.")
    var placeholder: String?

    func run() throws {
      try Commands.setCategory(
        try global.context(),
        Commands.CategoryRequest(
          app: app, id: id, actions: action, reportsDismissal: reportDismissal,
          showsTitle: showTitle, showsSubtitle: showSubtitle, placeholder: placeholder))
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove a category; its items keep their own actions.",
      discussion: "Example: bellhop categories remove ci question")

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The app's host or topic.", completion: .apps) var app: String
    @Argument(help: "The id of the category.") var id: String

    func run() throws {
      try Commands.removeCategory(try global.context(), app: app, id: id)
    }
  }
}
