internal import BellhopModel
package import BellhopSync
internal import FoundationEssentials

/// The sign-in of an account at an identity provider, in a file that only its owner can read.
package struct SignInFile: SignInStorage {
  let path: String

  package func load() throws -> ProviderSignIn? {
    guard let text = try PrivateFile.read(path) else { return nil }
    do {
      return try JSONDecoder().decode(ProviderSignIn.self, from: Data(text.utf8))
    } catch {
      throw ClientError(
        .configuration, "\(path) is damaged.",
        next: "Your history is still here. Sign in again with bellhop login.")
    }
  }

  package func save(_ signIn: ProviderSignIn) throws {
    try PrivateFile.write(
      json: signIn, to: path, orThrow: ClientError(.software, "The sign-in cannot be saved."))
  }

  package func makeLock() -> EngineLock { EngineLock(path: path + ".lock") }
}

/// The tokens of an account, for either kind of sign-in.
///
/// Reads the account's folder for every request, so that a new sign-in takes effect immediately,
/// also one of the other kind.
struct AccountTokens: TokenSource {
  private let accounts: Accounts
  private let name: AccountName
  private let provider: ProviderTokens
  private let kept: FixedToken

  init(_ name: AccountName, accounts: Accounts, context: ClientContext) {
    self.name = name
    self.accounts = accounts
    provider = ProviderTokens(
      storage: accounts.signInFile(name),
      provider: ProviderClient(
        authorityFile: context.configuration.authorityFile, localTime: context.now),
      localTime: context.now)
    kept = FixedToken { try? accounts.token(of: name) }
  }

  private var source: any TokenSource {
    accounts.hasProviderSignIn(name) ? provider : kept
  }

  func token() async throws(TransportError) -> String { try await source.token() }

  func invalidated(_ token: String) async throws(TransportError) -> Bool {
    try await source.invalidated(token)
  }

  func settle() async { await provider.settle() }
}
