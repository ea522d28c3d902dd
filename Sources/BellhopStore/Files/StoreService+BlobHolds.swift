extension StoreService {
  /// Protects a blob before it is placed; returns nil if no other process can remove it.
  func hold(_ hash: FileHash) async throws(StoreError) -> BlobHold? {
    guard isShared else { return nil }
    return try await write(in: .store) { try $0.hold(hash, in: $1) }
  }

  /// Removes the hold of an upload that failed. If that fails, too, a sweep removes it later.
  func abandon(_ hold: BlobHold?) async {
    guard let hold else { return }
    try? await write(in: .store) { try $0.abandon(hold, in: $1) }
  }

  /// Removes holds that uploads left behind, as when a process died.
  func abandonEndedHolds() async throws(StoreError) {
    guard isShared else { return }
    while try await write(in: .store, { try $0.abandonEndedHolds(in: $1) }), !Task.isCancelled {}
  }
}
