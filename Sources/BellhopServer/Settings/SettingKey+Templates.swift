internal import BellhopSettings

/// The table `templates`, whose keys are names that people choose.
extension SettingKey {
  static let templates: [SettingKey] = [
    SettingKey(
      path: "templates",
      help:
        "What becomes of JSON that services send to POST /hooks/NAME. Each template has a title, "
        + "and may have app, body, id, group, level, url, and levels for words of its own. Places in "
        + "braces are filled: {job.name} from the JSON, {@x-event} from a header.",
      expected: "a table of templates, each with a title",
      written: { _ in nil },
      example: "{ nas = { title = \"{job} {status}\", level = \"{status}\", id = \"{job}\" } }",
      set: { settings, value in
        guard let table = value.table, table.count <= 1000 else { return false }
        for (name, value) in table {
          guard let template = HookTemplate(value) else { return false }
          settings.server.templates[name] = template
        }
        return true
      })
  ]
}
