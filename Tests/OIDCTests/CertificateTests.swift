@testable import System
@testable import OIDC
import Testing

@Suite("Certificates of signers", .timeLimit(.minutes(1)))
struct CertificateTests {
  private func certificate(_ key: SigningKey) throws -> JSON {
    .string(try key.certificatePEM(commonName: "signer.example"))
  }

  @Test func `a token verifies with the certificate of its name`() throws {
    let (key, other) = (try Vectors.key, try Vectors.otherKey)
    let named = try SigningKey(pem: key.privatePEM, keyID: "one")
    let keys = try KeySet(certificates: ["one": certificate(key), "two": certificate(other)])
    #expect(keys.count == 2)
    #expect(keys.contains(keyID: "two"))
    let token = try JWT(decoding: named.sign(["sub": "ada"]))
    try token.verify(keys, algorithms: [.rs256])
    let swapped = try KeySet(certificates: ["one": certificate(other), "two": certificate(key)])
    let error = #expect(throws: JOSEError.self) { try token.verify(swapped) }
    #expect(error?.code == .badSignature)
  }

  @Test func `what is no certificate of a usable key is left out`() throws {
    let good = try certificate(Vectors.key)
    let pem = try #require(good.string)
    let keys = try KeySet(certificates: [
      "private": .string(try Vectors.key.privatePEM.reveal()), "empty": "", "words": "certificate",
      "number": 7, "list": [good], "cut": .string(String(pem.prefix(pem.utf8.count / 2))),
      "p256": .string(Self.p256), "weak": .string(Self.weak), "good": good,
    ])
    #expect(keys.count == 1)
    #expect(keys.contains(keyID: "good"))
  }

  @Test(arguments: [nil, [], "certificates", 7] as [JSON])
  func `anything but an object is refused`(json: JSON) {
    let error = #expect(throws: JOSEError.self) { try KeySet(certificates: json) }
    #expect(error?.code == .malformedKeySet)
  }

  @Test func `damaged certificates never trap`() throws {
    let pem = Array(try #require(certificate(Vectors.key).string).utf8)
    for position in stride(from: 0, to: pem.count, by: 5) {
      var damaged = pem
      damaged[position] = UInt8(ascii: "A")
      let keys = try KeySet(certificates: ["k": .string(String(decoding: damaged, as: UTF8.self))])
      #expect(keys.count <= 1)
    }
  }

  // Certificates made for these tests: of a P-256 key, and of an RSA key of 1024 bits.
  private static let p256 = """
    -----BEGIN CERTIFICATE-----
    MIIBiTCCAS+gAwIBAgIUQSPi/vE9fbl356INGhNCJwTfeNIwCgYIKoZIzj0EAwIw
    GTEXMBUGA1UEAwwOc2lnbmVyLmV4YW1wbGUwIBcNMjYxMTIxMTgxNzM3WhgPMjEy
    NjEwMjgxODE3MzdaMBkxFzAVBgNVBAMMDnNpZ25lci5leGFtcGxlMFkwEwYHKoZI
    zj0CAQYIKoZIzj0DAQcDQgAEXUomlV3f2/8l+tVRT2LWxiBxYaNbMSFMo6LAElV2
    1VgmrtnD0f17pYuy5h6BMuXXqKJDJQf5EefUcn2tTzos6KNTMFEwHQYDVR0OBBYE
    FEjA+qZXTUB6Bf4v842k7q6SJuSzMB8GA1UdIwQYMBaAFEjA+qZXTUB6Bf4v842k
    7q6SJuSzMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgAUDw2a2q
    RESDzYNMMq6PB2T2Nifac1oI22xx0ttqm9MCIQDbDKA2BvTRJVVXjX+RceGz+A38
    vG86PvycA0IBCTvZWg==
    -----END CERTIFICATE-----
    """

  private static let weak = """
    -----BEGIN CERTIFICATE-----
    MIICEDCCAXmgAwIBAgIUL1WReVGgXi7L9JfE0eKZ7A7M3FQwDQYJKoZIhvcNAQEL
    BQAwGTEXMBUGA1UEAwwOc2lnbmVyLmV4YW1wbGUwIBcNMjYxMTIxMTgxNzM3WhgP
    MjEyNjEwMjgxODE3MzdaMBkxFzAVBgNVBAMMDnNpZ25lci5leGFtcGxlMIGfMA0G
    CSqGSIb3DQEBAQUAA4GNADCBiQKBgQC7V8QDX5wDr8hmoUW1egLiZbJG/E+AQvLT
    wzvahYTMdbF0QO7cKoCrdSpgZDGrnKeeokp1sno23aBwbAxmuzYRkrLuZJljqk9c
    /5uuJ6TynZT5N+rUdldDn/OW1kOqdVw1CnF+vihO0+HL8FNefEWR/2gIlyXqXSy7
    4hxVcTz5rQIDAQABo1MwUTAdBgNVHQ4EFgQUhtf4TB7SOnMkGe1S8JP3SEWH5s4w
    HwYDVR0jBBgwFoAUhtf4TB7SOnMkGe1S8JP3SEWH5s4wDwYDVR0TAQH/BAUwAwEB
    /zANBgkqhkiG9w0BAQsFAAOBgQCoYCz0U3XlSIKJV4Lc0WHlxn/I1aFR9uwTNAcE
    2+1U23lU1QoiUjcAts/E5D/9oRjUKMVm4Y8PXp1dnFivzKp8ZimRIMVLceyD6jqQ
    TZ7xMmMGTCj1IPDs+Thl9jXzIEyExCgG1+L+pbq1FrwqStI04a5cAHOQMriIEAcI
    2PpcxQ==
    -----END CERTIFICATE-----
    """
}
