import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@Suite("Listing")
struct ListingTests {
  private let root = "/v1.0/me/notifications"

  private func store(with titles: [String]) async throws -> (InProcessStore, String) {
    let store = try await InProcessStore()
    let user = try await store.service.user(named: "me")
    for (number, title) in titles.enumerated() {
      store.time.advance(by: .seconds(1))
      let content = Content(
        app: number % 2 == 0 ? "ci" : "nas", priority: number % 3 == 0 ? .high : .normal,
        visual: VisualContent(title: title))
      _ = try await store.service.publish(PublishRequest(content), for: user.id)
    }
    return (store, try await store.deviceToken())
  }

  private func titles(_ page: ListPayload) -> [String] {
    page.items.map { $0.content.visual?.title ?? "" }
  }

  private func path(_ options: (name: String, value: String)...) -> String {
    let query = options.map { "\(Route.escaped($0.name))=\(Route.escaped($0.value))" }
    return root + "?" + query.joined(separator: "&")
  }

  /// The pages of a list, found by following their links.
  private func pages(
    _ path: String, _ store: InProcessStore, _ token: String, headers: [String: String] = [:]
  ) async throws -> [ListPayload] {
    var pages: [ListPayload] = []
    var next: String? = path
    while let path = next {
      let answer = try await store.send(.get, path, token: token, headers: headers)
      #expect(answer.status == 200, "\(answer.text)")
      pages.append(try answer.decoded(ListPayload.self))
      next = pages.last?.nextLink.map { String($0.dropFirst("http://store.test".count)) }
    }
    return pages
  }

  @Test("filter, order, size and count work together, over all pages")
  func together() async throws {
    let (store, token) = try await store(with: ["a", "b", "c", "d", "e", "f", "g"])
    let path = path(
      ("$filter", "targetHostName eq 'ci' and not contains(payload/visualContent/title, 'c')"),
      ("$orderby", "createdDateTime"), ("$top", "2"), ("$count", "true"))
    let pages = try await pages(path, store, token)
    #expect(pages.map(titles) == [["a", "e"], ["g"]])
    #expect(pages.map(\.count) == [3, nil])
  }

  @Test("plus signs and escapes in a query mean the same")
  func escapes() async throws {
    let (store, token) = try await store(with: ["a+b", "it's", "c"])
    let plus = "?$filter=payload/visualContent/title+eq+'a%2Bb'&$top=1"
    #expect(try await pages(root + plus, store, token).map(titles) == [["a+b"]])
    let quote = path(("$filter", "payload/visualContent/title eq 'it''s'"))
    #expect(try await pages(quote, store, token).map(titles) == [["it's"]])
  }

  @Test("$select returns these members, the id and the etag")
  func select() async throws {
    let (store, token) = try await store(with: ["a", "b"])
    let answer = try await store.send(
      .get, path(("$select", "readState, PRIORITY,payload"), ("$top", "1")), token: token)
    let user = try await store.service.user(named: "me")
    let item = try #require(
      try await store.service.list(rows: 1, for: user.id).items.first)
    let expected =
      #"{"@odata.etag":"\"2\"","id":"\#(item.id)","payload":{"visualContent":{"title":"b"}},"#
      + #""priority":"normal","readState":"unread"}"#
    #expect(answer.text.contains(#""value":[\#(expected)]"#), "\(answer.text)")
    let one = try await store.send(
      .get, Route.notification(item.id).path + "?$select=shortNumber", token: token)
    #expect(one.text == #"{"@odata.etag":"\"2\"","id":"\#(item.id)","shortNumber":2}"#)
    let all = try await store.send(.get, path(("$select", "*")), token: token)
    #expect(try all.decoded(ListPayload.self).items.count == 2)
    let wrong = try await store.send(.get, path(("$select", "id,colour")), token: token)
    #expect(wrong.status == 400)
    #expect(try wrong.decoded(ErrorPayload.self).message.contains("“colour” is not one of"))
  }

  @Test("the client's page size is a bound, and the answer confirms it")
  func pageSize() async throws {
    let (store, token) = try await store(with: ["a", "b", "c", "d", "e"])
    let prefer = ["Prefer": "respond-async, odata.maxpagesize=\"2\"; x=y"]
    let answer = try await store.send(.get, root, token: token, headers: prefer)
    #expect(answer.header("Preference-Applied") == "odata.maxpagesize=2")
    #expect(try await pages(root, store, token, headers: prefer).map(\.items.count) == [2, 2, 1])
    let smaller = path(("$top", "1"))
    #expect(try await pages(smaller, store, token, headers: prefer).count == 5)
    for nonsense in ["odata.maxpagesize=0", "odata.maxpagesize=many", "odata.maxpagesize"] {
      let answer = try await store.send(
        .get, root, token: token, headers: ["Prefer": nonsense])
      #expect(answer.header("Preference-Applied") == nil)
      #expect(try answer.decoded(ListPayload.self).items.count == 5)
    }
    let delta = try await store.send(
      .get, root + "/delta", token: token, headers: ["Prefer": "maxpagesize=3"])
    #expect(delta.header("Preference-Applied") == "odata.maxpagesize=3")
    #expect(try delta.decoded(DeltaPayload.self).changes.count == 3)
  }

  @Test(
    "an invalid query is refused, with the option, the position and the valid values",
    arguments: [
      (
        "?$filter=readState%20eq%20'reed'",
        "$filter has a syntax error at column 14: found “'reed'”"
      ),
      ("?$filter=", "column 1: found the end"), ("?$orderby=title", "found “title”, expected"),
      ("?$top=0", "$top"), ("?$top=many", "$top"), ("?$skip=20", "nextLink"),
      ("?$count=maybe", "true or false"), ("?$expand=x", "$expand"), ("?$top=1&$top=2", "twice"),
      ("?$filter=%ZZ", "hexadecimal"), ("?$filter=%FF", "UTF-8"), ("?$skiptoken=x", "$skiptoken"),
      ("?$select=", "is not one of"),
    ])
  func refused(query: String, words: String) async throws {
    let store = try await InProcessStore()
    let answer = try await store.send(.get, root + query, token: store.deviceToken())
    #expect(answer.status == 400)
    let message = try answer.decoded(ErrorPayload.self).message
    #expect(message.contains(words), "\(message)")
  }

  @Test("words and phrases are searched for, with a filter, over all pages")
  func search() async throws {
    let (store, token) = try await store(
      with: ["disk full", "Disk failure", "full backup", "nothing", "disk is full"])
    let pages = try await pages(
      path(("$search", "disk AND ful"), ("$top", "1"), ("$count", "true")), store, token)
    #expect(pages.map(titles) == [["disk is full"], ["disk full"]])
    #expect(pages.map(\.count) == [2, nil])
    let phrase = try await self.pages(path(("$search", #""disk full""#)), store, token)
    #expect(phrase.map(titles) == [["disk full"]])
    let filtered = try await self.pages(
      path(("$search", "disk"), ("$filter", "targetHostName eq 'nas'")), store, token)
    #expect(filtered.map(titles) == [["Disk failure"]])
    let oldest = try await self.pages(
      path(("$search", "full"), ("$orderby", "arrivalDateTime asc")), store, token)
    #expect(oldest.map(titles) == [["disk full", "full backup", "disk is full"]])
    let quoted = try await store.send(.get, path(("$search", #"disk "OR""#)), token: token)
    #expect(quoted.status == 200)
    for (search, words) in [
      ("disk OR full", "OR and NOT"), ("NOT disk", "OR and NOT"), ("", "$search is wrong"),
      ("\"-\"", "$search is wrong"),
    ] {
      let answer = try await store.send(.get, path(("$search", search)), token: token)
      #expect(answer.status == 400)
      #expect(try answer.decoded(ErrorPayload.self).message.contains(words), "\(answer.text)")
    }
  }

  @Test("a page's token with another query is refused")
  func foreignToken() async throws {
    let (store, token) = try await store(with: ["a", "b", "c"])
    let first = try await store.send(
      .get, path(("$filter", "not kept"), ("$top", "1")), token: token
    ).decoded(ListPayload.self)
    let link = try #require(first.nextLink)
    let skip = try #require(link.split(separator: "&").last)
    let answer = try await store.send(.get, root + "?\(skip)", token: token)
    #expect(answer.status == 400)
    #expect(try answer.decoded(ErrorPayload.self).message.contains("another $filter"))
    #expect(
      try await store.send(.get, root + "?$filter=not+kept&\(skip)", token: token).status == 200)
  }

  @Test("users see only their own items, and a publisher sees none")
  func isolation() async throws {
    let store = try await InProcessStore(users: ["me", "bea"])
    for name in ["me", "bea"] {
      let user = try await store.service.user(named: name)
      let content = Content(app: "ci", visual: VisualContent(title: "of \(name)"))
      _ = try await store.service.publish(PublishRequest(content), for: user.id)
    }
    let token = try await store.deviceToken()
    for query in [
      "", "?$count=true", "?$filter=shortNumber+eq+1", "?$orderby=priority",
      "?$filter=not+(kept)+or+kept&$count=true",
    ] {
      let answer = try await store.send(.get, root + query, token: token)
      let page = try answer.decoded(ListPayload.self)
      #expect(titles(page) == ["of me"])
      #expect(page.count == nil || page.count == 1)
      let publisher = try await store.send(.get, root + query, token: store.publishToken())
      #expect(publisher.status == 403)
    }
  }
}
