@testable import System
@testable import OIDC
import Testing

@Suite("Signing keys", .timeLimit(.minutes(1)))
struct SigningKeyTests {
  @Test func `a key is named for its thumbprint unless a name is given`() throws {
    let key = try Vectors.key
    #expect(try key.keyID == Thumbprint.sha256(of: key.publicJWK))
    let named = try SigningKey(pem: key.privatePEM, keyID: "mine")
    #expect(named.keyID == "mine")
    #expect(named.publicJWK["kid"] == "mine")
  }

  @Test func `a key survives as PEM`() throws {
    let key = try Vectors.key
    #expect(key.privatePEM.reveal().hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    let copy = try SigningKey(pem: key.privatePEM)
    #expect(copy.publicJWK == key.publicJWK)
    try JWT(decoding: copy.sign(["a": 1])).verify(KeySet([key]))
  }

  @Test func `the public JWK holds nothing private`() throws {
    let key = try Vectors.key
    #expect(Set(key.publicJWK.keys) == ["kty", "n", "e", "kid", "alg", "use"])
  }

  @Test(arguments: [
    "", "x", "-----BEGIN PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
    "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", SigningKeyTests.p256PEM,
    SigningKeyTests.encryptedPEM, SigningKeyTests.weakPEM, "\0\0\0",
  ])
  func `anything but a plain RSA key of decent size is refused`(pem: String) {
    let error = #expect(throws: JOSEError.self) { try SigningKey(pem: Secret(pem)) }
    #expect(error?.code == .malformedKey)
  }

  @Test func `damaged PEM never traps`() throws {
    let pem = Array(try Vectors.key.privatePEM.reveal().utf8)
    for position in stride(from: 0, to: pem.count, by: 7) {
      var damaged = pem
      damaged[position] = UInt8(ascii: "A")
      let key = try? SigningKey(pem: Secret(String(decoding: damaged, as: UTF8.self)))
      _ = try? key?.sign([:])
      #expect(throws: JOSEError.self) {
        try SigningKey(pem: Secret(String(decoding: pem[..<position], as: UTF8.self)))
      }
    }
  }

  @Test func `one key signs for many tasks at once`() async throws {
    let key = try Vectors.key
    let keys = KeySet([key])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<32 {
        group.addTask {
          try JWT(decoding: key.sign(["n": .integer(Int64(number))])).verify(keys)
        }
      }
      try await group.waitForAll()
    }
  }

  // Keys made for these tests, and used for nothing else.
  static let p256PEM = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgnEzvpriMBD0Pij7M
    aGTUp0LuzdjvBHcZxVHCXBLaWIKhRANCAAQaRxw0VB6eCSyEbbBycDF/cT3FAO0d
    FxbZbmtkq0JQdN8Ys4rk6kvc2NOwtDydv9qQsHW2hBVeN/FTguKbOeEC
    -----END PRIVATE KEY-----

    """
  static let encryptedPEM = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIIFLTBXBgkqhkiG9w0BBQ0wSjApBgkqhkiG9w0BBQwwHAQIVPGlqxj5kgwCAggA
    MAwGCCqGSIb3DQIJBQAwHQYJYIZIAWUDBAECBBCs11rWxQgAu73Ekf4NPUEaBIIE
    0JxSEl9zhVF+vzfDbOc5RZCw7TzDE1kmd+0Sf9Y5iU7QIGGmG0I8dsii6ohh7Aq0
    ytqM6C+873xqyLJAdhl3x7DlScoWbwoUG9dTsi4kMwRnmxBWSbHo7wI0+2k662hx
    bed5cI9HVnyGlYVEXVlKVyhrgI8Bikm0ZBiNlmNz71cTF0W+2bKCjCDEScIilFN5
    5ZPuk+VirgOrDcL3IexGWiXqm2uUhkMxjHfZUHqn3vvlgo6q8XPeLFZLhbqYgMcd
    iW6Gh8TFe8XCBMEPhWq3i68R4g/t2gZWQw0zHJQr0s0RhCg1ZymfuziVodvlefTI
    aEhRdcytgDtquPvrc/ChhfN4vB7aCLMsln/gRz8iKcXDLB72ryuY09cFDA0OYaUn
    fUFMNJ4YHbwr+Y+xnTBKIgYpFZG+F4gTRhih3VwIzE+3MN8ROHaPks85f8MDb296
    +aERQh9RL9UDnYMMM99u/H2FU32eOxGbSJwbuYRfpw/O5zcC9eD6qs7P+WK/3O0h
    bDi/fmVM4ELiXUVTbZTB8UqCc6nPtxBwLYMmqhSiDOYkv7Z0rGeAQnqVRRjD5C7a
    7v0wsK62jfOfhCOpu6SKfP+sIWSaxzmYHPd/UEwPtJtofQ8hcR6CLa181zLOV5jP
    e41XDhqMLJNDzI5J6ZLeShN5MQbG1olWTsPC1AITeE4dSqZE9DA3VgPec/7VSvTy
    l64G11ykxM9+D7SLa3m/jJO47qh5oIQ6IcGR19SyOExQI8o59C5Mf2rMA0t8qxSK
    uaJnHJY8ZiVyt9QPF23IDY+Zwf5+AsgFsoQCpy4p0QN/uiVeoOiU050dnoIsGtB2
    QHziaK46SIz++p3NPWaLzkfKOxJpcatzRbZMykPKQonzmkzG4cTvFqi/9sP7kl5o
    B1egSMm1O3gRJsxt4q90w5SJYzV8snZcFgSbiHvpsfrIO4wTOAi6kPFFaxQX9WjR
    /2bm9TeutTf86uWr0dGLX+84bNHUJa3HnoUyrntJvonaCKXIONJIa9ZxShf15XxW
    +7+djMvPkM4lYbPiVgg0qygKmHhPOrMq6Ivvlz0B7GrNkpiq+Y2w4FyxTAR0zTp/
    egh4jcLlPcgvI4qGw85UDObWgtOLqPhi35llyvu10nwaRG/dRpV467t1jJsObxbr
    JgvvesWKuoKU/+zXCVYWl+Y2Z2f9kIkjSMes6pX5ZT9wrmHBmJYIHuGELmhgFl7O
    fTRCFG6m/0ZmS4F0HLfZK/c7g2QS3q6sDlQKXNcFT+MAKPVIAPUx+3oaDkgaPHIG
    IV7jCEHQaCkPdyMp7VTITJkKuCLzV425/SLRtToUXoTsgFm8FqpgCONvz+0p/f16
    Bppr56DZXGQH3VFXUbGFqf5VT4IOt9GyJF/KQWrpUpxifVrEK6N26CroNnB4YuA4
    Nohl1V9W6sI8ttA8BduuU2FCZ18dUAyJn8pf1sUxVGkacF7NJAh/w6y2AHeFPurC
    +AZBoYPj4x9q0Bk2LrSnYyGPbEdM1gHmH8nYALmE+hzPHGtpbjsMeGSwaCoAJ+g7
    db7+GWg7E1IoJhdvJMSMKamQ1KooR3EnIXJCdtL0nQ7KgrVB1Nf0IskQwaI2PiFO
    IWLkbl2K7rfPy442a4beJFk8PpNSBoYxL/bz0ViyOQ5l
    -----END ENCRYPTED PRIVATE KEY-----

    """
  static let weakPEM = """
    -----BEGIN PRIVATE KEY-----
    MIICeAIBADANBgkqhkiG9w0BAQEFAASCAmIwggJeAgEAAoGBAMbWMmiXq5fVu1Dm
    wg3bCuPfiYqe+NkC7k7neORBG+mRSJ4U9gQn+YDBwU1GjCxVKE05Q5S0uMpN/vHE
    FRxCjZ29lCWoZkeY907t0JTOPdXy6j69Vgi2neDtxPv2JU0SpeBxQS+zpDqM0brE
    WBlvCMSDwCV66APMMA6w9zQUkVA7AgMBAAECgYEApmmq8sLNyFwHU+Rt0S7cZG84
    LB504xuC2+L62P5tIASKJFQiusPCHDMNV2GN+6SiAE/G8fR3HEo+75VOncJNxpdz
    KRbULV1yjwU01Cwko8fVuDJDypcTMH+F5RIUndxQGQSTKvBiOk6JS6vLNXj0gGb9
    MIp/oK38YZnJm1yn01ECQQDqMe1J8G6S6/8ozlUgRz07zXdcRZtuXoOjGMD0HnSR
    kK4SqCG1/p/P/2z7qA/8p/oj7kJGWELJOSE5Y1qSZAgXAkEA2Vl/zAhfCp5UHHll
    2A7sOE4ORm7JLUMqYxcSK1yQrgwp/kh7KRM55byXORvdG17x/hRoX5o0AXTtYd57
    u36rfQJBAJ2nmovJ1UYGpLB9pgSisHAPsyhkm2vDKG6k/U/ZKLPNZ8GbeYYgsMi+
    tEj9LDXzhoqlm+vrApqfYORXI+Okf2UCQHgigADGn8G+wb77Ws+Rb/+vJTTJB2l9
    NnCOz/wnrdCF6LAkX+7UMaxKEUv/mrcGQ7usjARLt3MWrh7qWnnICgECQQCmGvdK
    Xxtt4eD4y+ku9SRk+YWGkvOq0Njsce+6XbBaqCxwjCGCCNW46Juk+WlqYr9hw/b2
    ruhEZDcL2ToGQOrw
    -----END PRIVATE KEY-----

    """
}
