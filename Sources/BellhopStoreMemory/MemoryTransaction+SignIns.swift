internal import BellhopModel
internal import BellhopStore

extension MemoryTransaction {
  func user(of subject: ExternalSubject) -> UserID? {
    state.partitions.first { $0.value.subjects[subject.issuer] == subject.subject }?.key
  }

  func subject(of user: UserID, at issuer: String) -> String? {
    state.partitions[user]?.subjects[issuer]
  }

  func signIns(of user: UserID) -> [SignInRecord] { state.partitions[user]?.signIns ?? [] }

  func insert(_ subject: ExternalSubject, of user: UserID) {
    set(\.subjects[subject.issuer], of: user, to: subject.subject)
  }

  func removeSubject(of user: UserID, at issuer: String) {
    set(\.subjects[issuer], of: user, to: nil)
  }

  func insert(_ record: SignInRecord, of user: UserID) {
    set(\.signIns, of: user, to: (signIns(of: user) + [record]).sorted { $0.token < $1.token })
  }

  func removeSignIn(_ token: AccessTokenID, of user: UserID) {
    noteAccess(user)
    set(\.signIns, of: user, to: signIns(of: user).filter { $0.token != token })
    set(\.tokens[token], to: nil)
  }
}
