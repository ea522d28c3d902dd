/// Certificates of a test authority, with dates outside the time of any test run.
///
/// Made with `openssl ca`, with the dates and names of the members, and one key for all servers.
enum Certificates {
  /// The authority that signed all others; valid until 2099.
  static let authority = """
    -----BEGIN CERTIFICATE-----
    MIIBZzCCAQ6gAwIBAgIUbMqzpst+m1Q3G+k/zyoLITxI3sgwCgYIKoZIzj0EAwIw
    GTEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjA5
    OTAxMDEwMDAwMDBaMBkxFzAVBgNVBAMMDlRlc3QgYXV0aG9yaXR5MFkwEwYHKoZI
    zj0CAQYIKoZIzj0DAQcDQgAEH4MRkNVAOHCmGg9hOS2fd8oEMuizwRToAZyGeMvd
    3VdQGzUIQti8btrKDhY85Dfcbcutj6z/E0E+JsJGIGZKLaMyMDAwDwYDVR0TAQH/
    BAUwAwEB/zAdBgNVHQ4EFgQUFhPUwq9K0KguO1CH7qK5gBfNCqgwCgYIKoZIzj0E
    AwIDRwAwRAIgHF+hmzq5V+cEtpOA7g9AEhqaGmfsMde/2WhMboQs77wCIDSPmBma
    TewA7hs4IvWHYeM/iyBraxeSNWLGibgJQK8W
    -----END CERTIFICATE-----
    """

  /// A certificate for localhost, valid until 2098.
  static let valid = """
    -----BEGIN CERTIFICATE-----
    MIIBhzCCASygAwIBAgIUT0i29nZvlBv4eh04LrsArGl7vrAwCgYIKoZIzj0EAwIw
    GTEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjA5
    ODAxMDEwMDAwMDBaMBExDzANBgNVBAMMBnNlcnZlcjBZMBMGByqGSM49AgEGCCqG
    SM49AwEHA0IABG5BXPkJdgEuUR2OUR7PwqpmjRSiMgZtYhaD8NcURXNMdFbhi/dC
    JaFNAkvDvAQzxCs0vWK9lLXKU0wbF9GtJVCjWDBWMBQGA1UdEQQNMAuCCWxvY2Fs
    aG9zdDAdBgNVHQ4EFgQUOoNvQRlD+h9GUQTvXWx+ocWzKt0wHwYDVR0jBBgwFoAU
    FhPUwq9K0KguO1CH7qK5gBfNCqgwCgYIKoZIzj0EAwIDSQAwRgIhAJmh95XJQA//
    bwIdntUqBmocf4X8+bSK2QflKoJPABSYAiEA+xWt87HHFZb+Z1s6Pl4vYCnyIuzd
    cITI2Ic6L7NfXJQ=
    -----END CERTIFICATE-----
    """

  /// A certificate for localhost, valid until 2025-03-01.
  static let expired = """
    -----BEGIN CERTIFICATE-----
    MIIBhDCCASqgAwIBAgIUJUexXUpYI1WYe37CrQKevj0mzg0wCgYIKoZIzj0EAwIw
    GTEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwHhcNMjAwMTAxMDAwMDAwWhcNMjUw
    MzAxMDAwMDAwWjARMQ8wDQYDVQQDDAZzZXJ2ZXIwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAARuQVz5CXYBLlEdjlEez8KqZo0UojIGbWIWg/DXFEVzTHRW4Yv3QiWh
    TQJLw7wEM8QrNL1ivZS1ylNMGxfRrSVQo1gwVjAUBgNVHREEDTALgglsb2NhbGhv
    c3QwHQYDVR0OBBYEFDqDb0EZQ/ofRlEE711sfqHFsyrdMB8GA1UdIwQYMBaAFBYT
    1MKvStCoLjtQh+6iuYAXzQqoMAoGCCqGSM49BAMCA0gAMEUCIFG8mae+GHl41VtR
    BVkHLVwLM+nSvRB7DUL6zMT6cKeMAiEAonK2pzQKLey1X53IKf4PsrL1P9fxM1+E
    0dSgLBe5nm0=
    -----END CERTIFICATE-----
    """

  /// A certificate for localhost, valid from 2097-01-01 on.
  static let early = """
    -----BEGIN CERTIFICATE-----
    MIIBhjCCAS6gAwIBAgIUQMACpYI0zy2dd9fgNeDARCWMJ8cwCgYIKoZIzj0EAwIw
    GTEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwIhgPMjA5NzAxMDEwMDAwMDBaGA8y
    MDk4MDEwMTAwMDAwMFowETEPMA0GA1UEAwwGc2VydmVyMFkwEwYHKoZIzj0CAQYI
    KoZIzj0DAQcDQgAEbkFc+Ql2AS5RHY5RHs/CqmaNFKIyBm1iFoPw1xRFc0x0VuGL
    90IloU0CS8O8BDPEKzS9Yr2UtcpTTBsX0a0lUKNYMFYwFAYDVR0RBA0wC4IJbG9j
    YWxob3N0MB0GA1UdDgQWBBQ6g29BGUP6H0ZRBO9dbH6hxbMq3TAfBgNVHSMEGDAW
    gBQWE9TCr0rQqC47UIfuormAF80KqDAKBggqhkjOPQQDAgNGADBDAh89lakmtYn1
    DbDkKZoV/6yTXx0gBzm4CVj556aJuuC9AiADuqZElgQdRBxwcuX5nGOOcJQI6UKi
    UqO1P3O+Yxw0og==
    -----END CERTIFICATE-----
    """

  /// A certificate for other.example, valid until 2098.
  static let ofOtherHost = """
    -----BEGIN CERTIFICATE-----
    MIIBijCCATCgAwIBAgIUSV0dbOsL9TG2s9YFjzoBUFpqdRkwCgYIKoZIzj0EAwIw
    GTEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjA5
    ODAxMDEwMDAwMDBaMBExDzANBgNVBAMMBnNlcnZlcjBZMBMGByqGSM49AgEGCCqG
    SM49AwEHA0IABG5BXPkJdgEuUR2OUR7PwqpmjRSiMgZtYhaD8NcURXNMdFbhi/dC
    JaFNAkvDvAQzxCs0vWK9lLXKU0wbF9GtJVCjXDBaMBgGA1UdEQQRMA+CDW90aGVy
    LmV4YW1wbGUwHQYDVR0OBBYEFDqDb0EZQ/ofRlEE711sfqHFsyrdMB8GA1UdIwQY
    MBaAFBYT1MKvStCoLjtQh+6iuYAXzQqoMAoGCCqGSM49BAMCA0gAMEUCIEj/cFk8
    bre982rRTqZYDOegSLRrlh0iYvC509wPV7vEAiEAl60SolVJuhGmXfqrRMScTViO
    P32HgvIRrQ/gbiVqErs=
    -----END CERTIFICATE-----
    """

  /// The private key of all servers, which protects nothing.
  static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgr+2I9x4mule/JDLh
    fH5xUMCNo2TcT9NKIowB3dmak8qhRANCAARuQVz5CXYBLlEdjlEez8KqZo0UojIG
    bWIWg/DXFEVzTHRW4Yv3QiWhTQJLw7wEM8QrNL1ivZS1ylNMGxfRrSVQ
    -----END PRIVATE KEY-----
    """
}
