internal import BellhopScreen
internal import BellhopSettings
internal import BellhopThemes
internal import Glibc

/// Finds the theme that the person asked for.
enum ThemeChoice {
  /// The styles of a theme, and what is wrong with it: then the fallback is used.
  ///
  /// - Parameter name: A theme's name or the path of a file; nil where nobody chose one.
  static func styles(
    named name: String?, context: ClientContext
  ) -> (styles: StyleSheet, problem: String?) {
    let fallback = Theme.builtIn.first { $0.name == unchosen(context.environment) } ?? .dark
    guard let name else { return (fallback.styles, nil) }
    let searchPath = searchPath(context)
    do throws(ThemeError) {
      return (try Theme.load(name, searchPath: searchPath).styles, nil)
    } catch  where !name.contains("/") && error.file == name {
      let known = Theme.names(searchPath: searchPath)
      let meant =
        Spelling.nearest(name, in: known).map { "; did you mean \($0)?" }
        ?? ". bellhop themes lists them."
      return (
        Theme.dark.styles, "No theme \"\(name.prefix(64))\"\(meant) Using the default."
      )
    } catch {
      return (Theme.dark.styles, error.description)
    }
  }

  /// The name of the theme where nobody chose one: for a light terminal where `COLORFGBG` tells of
  /// one, as rxvt, Konsole and iTerm2 do.
  static func unchosen(_ environment: [String: String]) -> String {
    // `fore;back` or `fore;other;back`, as numbers of the first 16 colours.
    let ground = environment["COLORFGBG"]?.split(separator: ";").last.flatMap { Int($0) }
    let isLight = ground.map { $0 == 7 || (9...15).contains($0) } ?? false
    return isLight ? Theme.light.name : Theme.dark.name
  }

  /// The person's own themes, then those installed beside the program.
  static func searchPath(_ context: ClientContext) -> [String] {
    var path = [context.directories.config + "/themes"]
    if let folder = PrivateStore.programFolder { path.append(folder + "/../share/bellhop/themes") }
    return path
  }
}
