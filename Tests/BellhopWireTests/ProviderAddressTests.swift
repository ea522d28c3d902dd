import BellhopWire
import Testing

@Suite("Addresses of identity providers")
struct ProviderAddressTests {
  @Test("an issuer's address is https, or http on this machine")
  func addresses() {
    for good in [
      "https://id.example.com", "https://id.example.com/realms/a", "http://127.0.0.1:8080/a",
      "http://localhost:1", "http://[::1]:1/a",
    ] { #expect(ProviderAddress.isIssuer(good), "\(good)") }
    for wrong in [
      "", "https://", "id.example.com", "http://id.example.com", "http://127.0.0.1.evil.test",
      "http://localhost.evil.test", "https://id.example.com?a", "https://id.example.com#a",
      "https://user@id.example.com", "http://127.0.0.1@evil.test", "https://a b", "ftp://a.test",
    ] { #expect(!ProviderAddress.isIssuer(wrong), "\(wrong)") }
  }

  @Test("an issuer refers to https, and to plain http on this machine only from this machine")
  func endpoints() {
    let (far, near) = ("https://id.example.com", "http://127.0.0.1:8080/api")
    #expect(ProviderAddress.isAllowed("https://tokens.example.net/token", by: far))
    #expect(ProviderAddress.isAllowed("https://tokens.example.net/token", by: near))
    #expect(ProviderAddress.isAllowed("http://localhost:8080/token", by: near))
    #expect(!ProviderAddress.isAllowed("http://127.0.0.1:8080/token", by: far))
    #expect(!ProviderAddress.isAllowed("http://id.example.com/token", by: near))
    #expect(!ProviderAddress.isAllowed("https://id.example.com/a b", by: far))
    #expect(!ProviderAddress.isAllowed("file:///etc/passwd", by: near))
  }
}
