@testable import System
@testable import OIDC
import Testing

/// A password whose hash somebody else has published.
struct KnownPassword: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let wire: JSONObject
  let password: String
  let salt: [UInt8]
  let hash: [UInt8]

  init(
    _ source: String, _ wire: JSONObject, _ password: String, salt: String = "", hex: String
  ) throws {
    try self.init(source, wire, password, salt: salt, bytes: #require(Hex.decode(hex)))
  }

  init(
    _ source: String, _ wire: JSONObject, _ password: String, salt: String = "", bytes: [UInt8]
  ) {
    testDescription = source
    self.wire = wire
    self.password = password
    self.salt = Array(salt.utf8)
    hash = bytes
  }

  var hashing: PasswordHashing {
    get throws { try PasswordHashing(wire: wire) }
  }
}

@Suite("Published password hashes", .timeLimit(.minutes(1)))
struct PublishedPasswordHashTests {
  /// The parameters in the manual of Firebase's own scrypt program.
  static let firebase: JSONObject = [
    "hashAlgorithm": "SCRYPT", "rounds": 8, "memoryCost": 14, "saltSeparator": "Bw==",
    "signerKey": .string(
      "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZ"
        + "JzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="),
  ]

  private func check(_ known: KnownPassword) throws {
    let hashing = try known.hashing
    #expect(hashing.verify(known.password, hash: known.hash, salt: known.salt))
    #expect(!hashing.verify(known.password + "x", hash: known.hash, salt: known.salt))
    #expect(!hashing.verify("", hash: known.hash, salt: known.salt))
    var other = known.hash
    other[other.count - 1] ^= 2
    #expect(!hashing.verify(known.password, hash: other, salt: known.salt))
    #expect(!hashing.verify(known.password, hash: [], salt: known.salt))
  }

  @Test func `Firebase's scrypt gives the hash of its manual`() throws {
    let hash = try #require(
      Base64.decode(
        "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
      ))
    let salt = try #require(Base64.decode("42xEC+ixf3L2lw=="))
    let hashing = try PasswordHashing(wire: Self.firebase)
    #expect(hashing.hash("user1password", salt: salt) == hash)
    #expect(hashing.verify("user1password", hash: hash, salt: salt))
    #expect(!hashing.verify("user2password", hash: hash, salt: salt))
    #expect(!hashing.verify("user1password", hash: Array(hash.dropLast()), salt: salt))
  }

  /// The Admin SDK's integration tests import these at Google's servers and sign in with them.
  @Test func `what Google's servers are known to take is taken`() throws {
    try check(
      KnownPassword(
        "SCRYPT", Self.firebase, "password", salt: "NaCl",
        bytes: #require(
          Base64.decode(
            "V358E8LdWJXAO7muq0CufVpEOXaj8aFiC7T/rcaGieN04q/ZPJ08WhJEHGjj9lz/2TT+/86N5VjVoc5DdBhBiw=="
          ))))
    // sha256("NaCl" + "password") and hmac("secret", "password" + "NaCl"), by Python's hashlib.
    try check(
      KnownPassword(
        "SHA256", ["hashAlgorithm": "SHA256", "rounds": 1], "password", salt: "NaCl",
        hex: "b20ab74aa2549f7e13a0e886cb4471cc2e70fcd2ce8075c0ee6483abba6132f3"))
    try check(
      KnownPassword(
        "HMAC_SHA256", ["hashAlgorithm": "HMAC_SHA256", "signerKey": "c2VjcmV0"], "password",
        salt: "NaCl", hex: "0b958a87e41ae5190c96afa1e435f95cab013ac42dfc310a11a50100c42aae52"))
    try check(
      KnownPassword(
        "MD5", ["hashAlgorithm": "MD5", "rounds": 0], "password", salt: "NaCl",
        bytes: Array("62d19f7e7ddcb5946728776d25e410ed".utf8)))
    // Each round hashes the digest with the password behind it.
    try check(
      KnownPassword(
        "MD5 in two rounds", ["hashAlgorithm": "MD5", "rounds": 2], "password", salt: "NaCl",
        bytes: Array("722e268ab0b13bd513a26c97bc39e60b".utf8)))
  }

  @Test func `hashes that people have imported are taken`() throws {
    try check(
      KnownPassword(
        "firebase-tools issue 1617", ["hashAlgorithm": "MD5"], "tester5",
        bytes: #require(Base64.decode("NzJkNGE1YTViNjA1YzUzYWUxYWM0NzhkOWE0OTc3ZDc="))))
    let passwordFirst: JSONObject = [
      "hashAlgorithm": "SHA1", "rounds": "1", "passwordHashOrder": "PASSWORD_AND_SALT",
    ]
    let sha1 = try KnownPassword(
      "sha1(password+salt)", passwordFirst, "Password1", salt: "XiwiihQ=",
      bytes: #require(Base64.decode("kfjS+dtoePcY0vEKx1w5ol2ZJ88=")))
    try check(sha1)
    let saltFirst = try PasswordHashing(wire: ["hashAlgorithm": "SHA1", "rounds": 1])
    #expect(!saltFirst.verify(sha1.password, hash: sha1.hash, salt: sha1.salt))
    // Google's servers refuse the hexadecimal text of a SHA-1: issue 3514.
    let text = Array(Hex.encode(sha1.hash).utf8)
    #expect(try !sha1.hashing.verify(sha1.password, hash: text, salt: sha1.salt))
  }

  /// RFC 2202 and RFC 4231, with the text split into password and salt.
  @Test(arguments: [
    ("HMAC_MD5", "750c783e6ab0b503eaa86e310a5db738"),
    ("HMAC_SHA1", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
    ("HMAC_SHA256", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    (
      "HMAC_SHA512",
      "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
    ),
  ])
  func `HMAC gives the published values`(algorithm: String, hex: String) throws {
    let wire: JSONObject = ["hashAlgorithm": .string(algorithm), "signerKey": "SmVmZQ"]
    try check(KnownPassword("", wire, "what do ya want ", salt: "for nothing?", hex: hex))
    var saltFirst = wire
    saltFirst["passwordHashOrder"] = "SALT_AND_PASSWORD"
    try check(KnownPassword("", saltFirst, "for nothing?", salt: "what do ya want ", hex: hex))
  }

  /// RFC 6070 and RFC 7914 section 11.
  @Test(arguments: [
    ("PBKDF_SHA1", "password", "salt", 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
    ("PBKDF_SHA1", "password", "salt", 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
    ("PBKDF_SHA1", "password", "salt", 4096, "4b007901b765489abead49d926f721d065a429c1"),
    (
      "PBKDF_SHA1", "passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096,
      "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"
    ),
    ("PBKDF_SHA1", "pass\0word", "sa\0lt", 4096, "56fa6aa75548099dcc37d7f03425e0c3"),
    (
      "PBKDF2_SHA256", "passwd", "salt", 1,
      "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
        + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"
    ),
    (
      "PBKDF2_SHA256", "Password", "NaCl", 80000,
      "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"
        + "a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d"
    ),
  ])
  func `PBKDF2 gives the published values`(
    algorithm: String, password: String, salt: String, rounds: Int64, hex: String
  ) throws {
    let wire: JSONObject = ["hashAlgorithm": .string(algorithm), "rounds": .integer(rounds)]
    try check(KnownPassword("", wire, password, salt: salt, hex: hex))
  }

  /// RFC 7914 section 12, but for the one of 1 GiB.
  @Test(arguments: [
    (
      "", "", 16, 1, 1,
      "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
        + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
    ),
    (
      "password", "NaCl", 1024, 8, 16,
      "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
        + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
    ),
    (
      "pleaseletmein", "SodiumChloride", 16384, 8, 1,
      "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
        + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
    ),
  ])
  func `scrypt gives the published values`(
    password: String, salt: String, n: Int64, r: Int64, p: Int64, hex: String
  ) throws {
    let hashing = try PasswordHashing(wire: [
      "hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": .integer(n), "blockSize": .integer(r),
      "parallelization": .integer(p), "dkLen": 64,
    ])
    let hash = try #require(Hex.decode(hex))
    #expect(hashing.hash(password, salt: Array(salt.utf8)) == hash)
    #expect(hashing.verify(password, hash: hash, salt: Array(salt.utf8)))
    #expect(!hashing.verify(password, hash: Array(hash[..<32]), salt: Array(salt.utf8)))
  }

  /// The test vectors of Openwall's bcrypt, and a hash from firebase-tools issue 248.
  @Test(arguments: [
    ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
    ("U*U*", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK"),
    ("U*U*U", "$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"),
    ("none", "$2a$10$Kuvv6ATRsbtHnJJHB359WeKrC6ImbEzY0wtCmB21KS39Cw5sMecMK"),
  ])
  func `bcrypt takes the published hashes`(password: String, hash: String) throws {
    try check(
      KnownPassword("", ["hashAlgorithm": "BCRYPT"], password, bytes: Array(hash.utf8)))
  }

  @Test func `bcrypt counts 72 bytes of a password`() throws {
    let hashing = try PasswordHashing(wire: ["hashAlgorithm": "BCRYPT"])
    let hash = Array("$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui".utf8)
    let counted = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    #expect(hashing.verify(counted + "chars after 72 are ignored", hash: hash, salt: []))
    #expect(hashing.verify(counted, hash: hash, salt: []))
    #expect(hashing.verify(counted + String(repeating: "x", count: 4000), hash: hash, salt: []))
    #expect(!hashing.verify(String(counted.dropLast()), hash: hash, salt: []))
  }

  /// Made with another implementation, argon2pure, as no published value has associated data alone.
  @Test(arguments: [
    ("ARGON2_D", "VERSION_13", "b1b5fb596652ec37a95ab032d52ccd83e29327e12da9d6cd"),
    ("ARGON2_I", "VERSION_13", "d6952dc39568bffc5f8e92f37865b1ccbcf5bbdaa690f4ca"),
    ("ARGON2_ID", "VERSION_13", "29f7138c636ee9e0f7128960b01df62ba46971c31008bbde"),
    ("ARGON2_I", "VERSION_10", "0d8bc86edb9562975311afbc90d9b3c9ee7ec2c5f16be06d"),
    ("ARGON2_D", "VERSION_10", "804f17d4af4873231172a979c5a01e91b2a9a0e62916d051"),
  ])
  func `Argon2 minds associated data`(type: String, version: String, hex: String) throws {
    let wire: JSONObject = [
      "hashAlgorithm": "ARGON2",
      "argon2Parameters": [
        "hashLengthBytes": 24, "hashType": .string(type), "version": .string(version),
        "parallelism": 2, "iterations": 2, "memoryCostKib": 64, "associatedData": "bHVhdGg",
      ],
    ]
    try check(KnownPassword("", wire, "password", salt: "somesalt", hex: hex))
  }
}
