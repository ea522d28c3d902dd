import BellhopModel
import Testing

@testable import BellhopClient

@Suite("Addresses of stores")
struct StoreAddressTests {
  @Test("a store's address is a scheme, a host and a port")
  func addresses() throws {
    #expect(try StoreAddress("https://store.example.com/").url == "https://store.example.com")
    #expect(try StoreAddress("http://[::1]:8642").host == "::1")
    #expect(try StoreAddress("https://s.example:99").accountName == AccountName("s.example"))
    for text in [
      "store.example.com", "ftp://a", "https://", "https://user:blh_x@host", "https://a/b",
      "https://a?token=b",
    ] {
      #expect(throws: ClientError.self, "\(text)") { try StoreAddress(text) }
    }
  }

  @Test(
    "the port comes from the address or from its scheme",
    arguments: [
      ("https://store.example.com", 443), ("http://127.0.0.1:8642", 8642),
      ("https://[::1]", 443), ("https://[::1]:8443", 8443), ("http://localhost", 80),
    ])
  func port(url: String, port: Int) throws {
    #expect(try StoreAddress(url).port == port)
  }
}
