import BellhopTestSupport
import Glibc
import Testing

@Suite("Files for the shells and for man", .realPrograms)
struct InstalledFilesTests {
  @Test(
    "the completion script of each shell asks the program for items",
    arguments: ["bash", "zsh", "fish"])
  func scripts(_ shell: String) async throws {
    try await Scene.play { scene in
      let device = try scene.device("desk")
      let script = try await device.succeed("--generate-completion-script", shell)
      for command in ["dismiss", "snooze", "show"] {
        #expect(script.contains("---completion \(command) -- positional@0"), "\(command)")
      }
      #expect(script.contains("---completion apps set -- positional@0"))
      #expect(script.contains("---completion help -- positional@0"))
      #expect(!script.contains("manpage"))
    }
  }

  @Test("completion offers open items from the cache, newest first, and says nothing without one")
  func items() async throws {
    try await Scene.play { scene in
      func complete(_ device: Device, _ shell: String, _ words: String...) async throws -> Outcome {
        try await device.run(
          program: Programs.bellhop,
          ["---completion", words[1], "--", "positional@0", "\(words.count - 1)", "0"] + words,
          environment: ["SAP_SHELL": shell])
      }
      let empty = try await complete(try scene.device("new"), "fish", "bellhop", "dismiss", "")
      #expect(empty.exitCode == 0 && empty.lines == [] && empty.errors == "")

      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      try await device.succeed("publish", "First: one", "--app", "ci")
      try await device.succeed("publish", "Second", "--app", "nas")
      try await device.succeed("publish", "Third", "--app", "nas")
      try await device.succeed("dismiss", "3")
      try await device.succeed("list")
      try await store.stop()
      let fish = try await complete(device, "fish", "bellhop", "dismiss", "")
      #expect(fish.lines == ["2\tnas: Second", "1\tci: First: one"], "\(fish)")
      let zsh = try await complete(device, "zsh", "bellhop", "dismiss", "2", "")
      #expect(zsh.lines.first == "1:ci: First: one", "\(zsh)")
      let bash = try await complete(device, "bash", "bellhop", "restore", "")
      #expect(bash.lines == ["3"], "\(bash)")
      #expect(fish.errors + zsh.errors + bash.errors == "")
    }
  }

  @Test("the file with both programs is the one by whose name it is called")
  func bothPrograms() async throws {
    try await Scene.play { scene in
      let device = try scene.device("desk")
      var unit = ""
      for name in ["bellhop", "bellhopd"] {
        let link = device.folder + "/" + name
        try #require(symlink(Programs.both, link) == 0)
        let help = try await device.run(program: link, ["--help"])
        #expect(help.exitCode == 0 && help.output.contains("USAGE: \(name) "), "\(help)")
        unit = try await device.run(program: link, ["systemd-unit"]).output
      }
      #expect(unit.contains("ExecStart=\(device.folder)/bellhopd serve "), "\(unit)")
      let neither = try await device.run(program: Programs.both, [])
      #expect(neither.exitCode == 64 && neither.output == "")
      #expect(neither.errors.contains("Call this file bellhop or bellhopd"))
    }
  }

  @Test(
    "completion offers topics with their titles", arguments: [Programs.bellhop, Programs.bellhopd])
  func topics(_ program: String) async throws {
    try await Scene.play { scene in
      let device = try scene.device("desk")
      let offered = try await device.run(
        program: program,
        ["---completion", "help", "--", "positional@0", "2", "0", program, "help", ""],
        environment: ["SAP_SHELL": "fish"])
      let topic = program == Programs.bellhop ? "filters\tFilters and times" : "hooks\tWeb hooks"
      #expect(offered.lines.contains { $0 == topic }, "\(offered)")
    }
  }

  @Test(
    "each manual page has its sections",
    arguments: [
      ("bellhop.1", ["OPTIONS", "COMMANDS", "FILES", "ENVIRONMENT", "EXIT STATUS"]),
      ("bellhop.toml.5", ["SETTINGS", "FILES"]),
      ("bellhopd.8", ["OPTIONS", "COMMANDS", "FILES", "EXIT STATUS"]),
      ("bellhopd.toml.5", ["SETTINGS", "FILES"]),
    ])
  func pages(_ name: String, _ sections: [String]) async throws {
    try await Scene.play { scene in
      let device = try scene.device("desk")
      let program = name.hasPrefix("bellhopd") ? Programs.bellhopd : Programs.bellhop
      let page = try await device.run(program: program, ["manpage", name])
      #expect(page.exitCode == 0 && page.errors == "", "\(page.errors)")
      let title = name.split(separator: ".").dropLast().joined(separator: ".").uppercased()
      #expect(page.output.hasPrefix(".TH \"\(title)\" \"\(name.suffix(1))\""))
      for section in ["NAME", "SYNOPSIS", "DESCRIPTION"] + sections + ["SEE ALSO"] {
        #expect(page.lines.contains(".SH \(section)"), "\(name) has no \(section)")
      }
      #expect(page.output.utf8.allSatisfy { $0 < 0x80 })
      let requests = page.lines.filter { $0.hasPrefix(".") || $0.hasPrefix("'") }
      let known =
        ["TH", "SH", "SS", "PP", "TP", "IP", "RS", "RE", "EX", "EE", "nf", "fi", "sp"]
        + ["nr", "ds", "nh", "ad"]
      for request in requests {
        #expect(known.contains(String(request.dropFirst().prefix { $0 != " " })), "\(request)")
      }
    }
  }
}
