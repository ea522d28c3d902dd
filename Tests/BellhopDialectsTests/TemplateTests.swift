import BellhopModel
import BellhopSettings
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@testable import BellhopDialects
@testable import BellhopServer

@Suite("Webhook templates")
struct TemplateTests {
  @Test(
    "placeholders are filled from the JSON and the headers",
    arguments: [
      ("{job.name} {status}", "nightly failed"), ("{runs.1.id}", "8"), ("{$.ok}", "true"),
      ("{nothing|job.name}", "nightly"), ("{@X-Event}!", "push!"), ("{{{status}", "{failed"),
      ("{nothing}", nil), ("{job}", nil), ("{runs.9.id}", nil), ("{runs.x}", nil),
      ("{status=failed}", "failed"), ("{status=passed}", nil),
      ("{status=passed|job.name}", "nightly"),
      ("plain", "plain"), ("", ""),
    ] as [(String, String?)])
  func filling(text: String, expected: String?) throws {
    let body: JSONValue = [
      "job": ["name": "nightly"], "status": "failed", "ok": true,
      "runs": [["id": 7], ["id": 8]],
    ]
    let event = try #require(HTTPField.Name("X-Event"))
    let input = HookInput(body: body, headers: [event: "push"])
    #expect(input.filled(text) == expected)
  }

  @Test("a brace that is not closed is an error", arguments: ["{", "a {b", "{}", "{|a}", "{@}"])
  func malformed(text: String) {
    #expect(!HookText.isWellFormed(text))
  }

  @Test("the configuration names templates, and its errors name their settings")
  func configuration() async throws {
    let (settings, findings) = StoreSettings.read(
      """
      [templates.backup]
      app = "nas"
      title = "{job} {status}"
      id = "{job}"
      level = ["{severity}", "{status}"]
      levels = { grim = "urgent" }
      """, version: "0")
    #expect(findings.isEmpty)
    let template = try #require(settings.server.templates["backup"])
    let store = try await InProcessStore(configure: { $0.templates = ["backup": template] })
    let token = try await store.publishToken()
    for status in ["failed", "grim"] {
      let answer = try await store.send(
        .post, "/hooks/backup", token: token, text: #"{"job":"nightly","status":"\#(status)"}"#)
      #expect(answer.status == 200)
    }
    let user = try await store.service.user(named: "me")
    let items = try await store.service.list(rows: 10, for: user.id).items
    #expect(items.map(\.content.visual?.title) == ["nightly grim"])
    #expect(items.first?.content.app == "nas" && items.first?.content.priority == .urgent)
    let text = "a text with closed braces, or a list of 1 to 16 of them."
    for (wrong, error) in [
      ("[templates.x]\nbody = \"b\"", "line 1: templates.x.title must be \(text)"),
      ("[templates.x]\ntitle = \"{\"", "line 2: templates.x.title must be \(text)"),
      ("[templates.x]\ntitle = 1", "line 2: templates.x.title must be \(text)"),
      (
        "templates = 1",
        "line 1: templates must be at most 1000 tables, each under [templates.NAME]."
      ),
      (
        "[templates]\nx = 1", "line 2: templates.x must be a table: write [templates.NAME]."
      ),
      (
        "[templates.x]\ntitle = \"t\"\nlevels = { a = \"loud\" }",
        "line 3: templates.x.levels must be a table of words with their levels, such as "
          + "{ grim = \"urgent\" }."
      ),
      (
        "[templates.x]\ntitle = \"t\"\nbdy = \"b\"",
        "line 3: templates.x.bdy is not a setting; did you mean body?"
      ),
    ] {
      let findings = StoreSettings.read(wrong, version: "0").findings
      #expect(findings.map(\.words) == [error])
    }
  }

  @Test("a title without any value becomes the app's name")
  func nothingFilled() {
    let template = HookTemplate(title: ["{job.name}: {status}"])
    let content = template.content(
      app: "nas", HookInput(body: ["other": 1], headers: [:]), limits: StoreLimits())
    #expect(content.visual == VisualContent(title: "nas"))
  }

  @Test("titles and names are cut between characters", arguments: [0, 10, 196, 197, 198, 200, 201])
  func clipping(count: Int) {
    let text = String(repeating: "a", count: count)
    let clipped = MessageText.clipped(text, bytesMax: 200)
    #expect(count <= 200 ? clipped == text : clipped.hasSuffix("…") && clipped.utf8.count <= 200)
    let wide = MessageText.clipped(String(repeating: "👩‍👩‍👧", count: count), bytesMax: 200)
    #expect(wide.utf8.count <= 200)
    #expect(wide.allSatisfy { $0 == "👩‍👩‍👧" || $0 == "…" })
  }

  @Test("a template takes no more of a value than a field can hold")
  func templates() {
    var template = HookTemplate(title: ["{t}", "{u}"])
    template.body = ["{t}{t}"]
    template.group = ["{t}"]
    let content = template.content(
      app: "a", HookInput(body: ["t": .string(HostileStrings.endless)], headers: [:]),
      limits: StoreLimits())
    #expect(content.visual?.title == "…" || content.visual?.title == "a")
    #expect((content.visual?.body?.utf8.count ?? 0) <= StoreLimits().visualBodyBytesMax)
    #expect(
      HookInput(body: ["t": .string(HostileStrings.endless)], headers: [:]).filled("{t}")?.utf8
        .count
        ?? 0 <= HookInput.bytesMax)
  }
}
