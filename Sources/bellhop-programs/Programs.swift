internal import BellhopCommandLine
internal import BellhopStoreCommandLine
internal import Glibc

/// Both programs in one file. Packages install it under both names.
///
/// It is the program by whose name it is called: the last part of the path in argument 0.
@main
enum Programs {
  static func main() async {
    let path = CommandLine.arguments.first ?? ""
    switch path.split(separator: "/").last {
    case "bellhop": BellhopProgram.main()
    case "bellhopd": await BellhopdProgram.main()
    default:  // open: String
      let text = "Call this file bellhop or bellhopd: it is both programs. Nothing was done.\n"
      write(STDERR_FILENO, text, text.utf8.count)
      exit(64)
    }
  }
}
