package import BellhopScreen
internal import BellhopSettings
internal import BellhopThemes
internal import Glibc

/// The search for the theme that the user chose.
package enum ThemeChoice {
  /// Returns the styles of a theme, or the fallback and the problem with the theme.
  ///
  /// - Parameters:
  ///   - name: A theme's name or the path of a file; nil if none is chosen.
  ///   - background: The terminal's background; nil if it is not known.
  package static func styles(
    named name: String?, on background: Color?, context: ClientContext
  ) -> (styles: StyleSheet, problem: String?) {
    let fallback = Theme.unchosen(on: background).styles(on: background)
    guard let name else { return (fallback, nil) }
    let searchPath = searchPath(context)
    do throws(ThemeError) {
      return (try Theme.load(name, searchPath: searchPath).styles(on: background), nil)
    } catch  where !name.contains("/") && error.file == name {
      let known = Theme.names(searchPath: searchPath)
      let meant =
        Spelling.nearest(name, in: known).map { "; did you mean \($0)?" }
        ?? ". bellhop themes lists them."
      return (
        fallback, "No theme \"\(name.prefix(64))\"\(meant) Using the default."
      )
    } catch {
      return (fallback, error.description)
    }
  }

  /// Returns the problem of a theme as a sentence; nil if it has none.
  package static func problem(named name: String?, context: ClientContext) -> String? {
    styles(named: name, on: nil, context: context).problem
  }

  /// Returns the terminal's background at the last start, or else the one in the environment.
  package static func knownBackground(_ context: ClientContext) -> Color? {
    ScreenMemory(context).load().background ?? background(context.environment)
  }

  /// Returns black or white if `COLORFGBG` names a dark or a light background; otherwise nil.
  ///
  /// rxvt, Konsole and iTerm2 set this variable.
  package static func background(_ environment: [String: String]) -> Color? {
    // `fore;back` or `fore;other;back`, as numbers of the first 16 colours.
    let ground = environment["COLORFGBG"]?.split(separator: ";").last.flatMap { Int($0) }
    guard let ground, (0...15).contains(ground) else { return nil }
    return .rgb(ground == 7 || ground > 8 ? 0xFFFFFF : 0x000000)
  }

  /// Returns the folders of the user's own themes, then of those installed beside the program.
  package static func searchPath(_ context: ClientContext) -> [String] {
    var path = [context.directories.config + "/themes"]
    if let folder = PrivateStore.programFolder { path.append(folder + "/../share/bellhop/themes") }
    return path
  }
}
