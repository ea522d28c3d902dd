package import BellhopModel
internal import Synchronization

/// The texts of a page's changes, which readers of the same format share.
///
/// They live as long as their page. Texts beyond the size limit are written for each reader
/// separately.
package final class SharedTexts: Sendable {
  /// All that a text depends on, except the rows of its page.
  package struct Key: Hashable, Sendable {
    var item: NotificationID
    /// The name of the event.
    var event: String
    package var form: String
    /// The item's app and the store's address, as the reader knows them.
    var topic: String
    var base: String

    package init(
      item: NotificationID, event: String, form: String = "", topic: String = "", base: String = ""
    ) {
      self.item = item
      self.event = event
      self.form = form
      self.topic = topic
      self.base = base
    }

    fileprivate var byteCount: Int {
      event.utf8.count + form.utf8.count + topic.utf8.count + base.utf8.count
    }
  }

  private struct State {
    var texts: [Key: String] = [:]
    var byteCount = 0
    var writes = 0
  }

  /// The maximum size, which is that of a kept page's content.
  ///
  /// Readers that know the store by different addresses share no texts, and must not exhaust the
  /// memory.
  private static let bytesMax = 64 << 10
  /// The size of an entry besides its texts.
  private static let entryBytes = 128

  private let state = Mutex(State())

  /// The number of texts that were written.
  var writes: Int { state.withLock { $0.writes } }
  var byteCount: Int { state.withLock { $0.byteCount } }

  /// Returns the text for a key. Two simultaneous callers may both write it.
  package func text(_ key: Key, _ write: () -> String) -> String {
    if let known = state.withLock({ $0.texts[key] }) { return known }
    let text = write()
    state.withLock { state in
      state.writes += 1
      let count = text.utf8.count + key.byteCount + Self.entryBytes
      guard state.texts[key] == nil, state.byteCount + count <= Self.bytesMax else { return }
      state.texts[key] = text
      state.byteCount += count
    }
    return text
  }
}
