internal import BellhopScreen
internal import BellhopThemes
internal import Glibc

/// Finds the theme that the person asked for.
enum ThemeChoice {
  /// The styles of a theme, and what is wrong with it: then the fallback is used.
  ///
  /// - Parameter name: A theme's name or the path of a file; nil for the one that is shipped.
  static func styles(
    named name: String?, context: ClientContext
  ) -> (styles: StyleSheet, problem: String?) {
    guard let name else { return (Theme.dark.styles, nil) }
    do throws(ThemeError) {
      return (try Theme.load(name, searchPath: searchPath(context)).styles, nil)
    } catch {
      return (Theme.dark.styles, error.description)
    }
  }

  /// The person's own themes, then those installed beside the program.
  static func searchPath(_ context: ClientContext) -> [String] {
    var path = [context.directories.config + "/themes"]
    if let folder = PrivateStore.programFolder { path.append(folder + "/../share/bellhop/themes") }
    return path
  }
}
