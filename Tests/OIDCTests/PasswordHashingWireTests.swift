@testable import System
@testable import OIDC
import Testing

@Suite("Password hashes on the wire", .timeLimit(.minutes(1)))
struct PasswordHashingWireTests {
  /// A request for each algorithm, in the form it is written back.
  static let requests: [JSONObject] = [
    ["hashAlgorithm": "MD5", "rounds": 0, "passwordHashOrder": "SALT_AND_PASSWORD"],
    ["hashAlgorithm": "SHA1", "rounds": 1, "passwordHashOrder": "PASSWORD_AND_SALT"],
    ["hashAlgorithm": "SHA256", "rounds": 8192, "passwordHashOrder": "SALT_AND_PASSWORD"],
    ["hashAlgorithm": "SHA512", "rounds": 20, "passwordHashOrder": "SALT_AND_PASSWORD"],
    ["hashAlgorithm": "HMAC_MD5", "signerKey": "aw==", "passwordHashOrder": "SALT_AND_PASSWORD"],
    ["hashAlgorithm": "HMAC_SHA1", "signerKey": "aw==", "passwordHashOrder": "PASSWORD_AND_SALT"],
    [
      "hashAlgorithm": "HMAC_SHA256", "signerKey": "a+/k", "passwordHashOrder": "PASSWORD_AND_SALT",
    ],
    [
      "hashAlgorithm": "HMAC_SHA512", "signerKey": "aw==", "passwordHashOrder": "PASSWORD_AND_SALT",
    ],
    ["hashAlgorithm": "PBKDF_SHA1", "rounds": 1],
    ["hashAlgorithm": "PBKDF2_SHA256", "rounds": 120_000],
    [
      "hashAlgorithm": "SCRYPT", "signerKey": "a2V5", "saltSeparator": "Bw==", "rounds": 8,
      "memoryCost": 10,
    ],
    [
      "hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": 1024, "blockSize": 8,
      "parallelization": 16, "dkLen": 64,
    ],
    ["hashAlgorithm": "BCRYPT"],
    [
      "hashAlgorithm": "ARGON2",
      "argon2Parameters": [
        "hashLengthBytes": 32, "hashType": "ARGON2_ID", "parallelism": 1, "iterations": 2,
        "memoryCostKib": 64, "version": "VERSION_13", "associatedData": "YWQ=",
      ],
    ],
  ]

  private static func request(_ algorithm: String) -> JSONObject {
    requests.first { $0["hashAlgorithm"] == .string(algorithm) } ?? [:]
  }

  @Test(arguments: requests)
  func `what is written is read back the same`(request: JSONObject) throws {
    let hashing = try PasswordHashing(wire: request)
    #expect(hashing.wire == request)
    #expect(try PasswordHashing(wire: hashing.wire) == hashing)
    for other in Self.requests where other != request {
      #expect(try PasswordHashing(wire: other) != hashing)
    }
  }

  @Test(arguments: requests)
  func `a new hash is verified with the same password and salt only`(request: JSONObject) throws {
    let hashing = try PasswordHashing(wire: request)
    let salt = SecureRandom.bytes(16)
    let hash = try #require(hashing.hash("pass\u{E9}", salt: salt))
    #expect(hashing.verify("pass\u{E9}", hash: hash, salt: salt))
    // The same letters in another Unicode form are other bytes.
    #expect(!hashing.verify("passe\u{301}", hash: hash, salt: salt))
    #expect(!hashing.verify("", hash: hash, salt: salt))
    #expect(!hashing.verify("pass\u{E9}", hash: hash + [0], salt: salt))
    #expect(!hashing.verify("pass\u{E9}", hash: [], salt: salt))
    #expect(hashing.hash("pass\u{E9}", salt: SecureRandom.bytes(16)) != hash)
    if request["hashAlgorithm"] != "BCRYPT" {
      #expect(!hashing.verify("pass\u{E9}", hash: hash, salt: SecureRandom.bytes(16)))
    }
  }

  @Test func `keys come in either alphabet of base 64, padded or not`() throws {
    let known = try PasswordHashing(wire: Self.request("HMAC_SHA256"))
    for key in ["a+/k", "a-_k", "a+_k"] {
      var request = Self.request("HMAC_SHA256")
      request["signerKey"] = .string(key)
      #expect(try PasswordHashing(wire: request) == known)
    }
    for key in ["aw", "aw=="] {
      var request = Self.request("HMAC_SHA1")
      request["signerKey"] = .string(key)
      #expect(try PasswordHashing(wire: request).wire["signerKey"] == "aw==")
    }
  }

  @Test func `what is left out gets Firebase's default`() throws {
    #expect(
      try PasswordHashing(wire: ["hashAlgorithm": "MD5"]).wire == Self.request("MD5"))
    var request = Self.request("HMAC_SHA256")
    request["passwordHashOrder"] = "UNSPECIFIED_ORDER"
    #expect(try PasswordHashing(wire: request).wire == Self.request("HMAC_SHA256"))
    request = Self.request("SCRYPT")
    request["saltSeparator"] = nil
    #expect(try PasswordHashing(wire: request).wire["saltSeparator"] == "")
    var parameters = try #require(Self.request("ARGON2")["argon2Parameters"]?.object)
    parameters["version"] = "VERSION_UNSPECIFIED"
    parameters["associatedData"] = nil
    let hashing = try PasswordHashing(
      wire: ["hashAlgorithm": "ARGON2", "argon2Parameters": .object(parameters)])
    #expect(hashing.wire["argon2Parameters"]?["version"] == "VERSION_13")
    #expect(hashing.wire["argon2Parameters"]?["associatedData"] == nil)
  }

  @Test(arguments: [
    ("MD5", "rounds", -1, 8193, PasswordHashingError.Code.invalidRounds),
    ("SHA1", "rounds", 0, 8193, .invalidRounds), ("SHA256", "rounds", 0, 8193, .invalidRounds),
    ("SHA512", "rounds", 0, 8193, .invalidRounds),
    ("PBKDF_SHA1", "rounds", 0, 120_001, .invalidRounds),
    ("PBKDF2_SHA256", "rounds", 0, 120_001, .invalidRounds),
    ("SCRYPT", "rounds", 0, 9, .invalidRounds),
    ("SCRYPT", "memoryCost", 0, 15, .invalidMemoryCost),
    ("STANDARD_SCRYPT", "cpuMemCost", 1, 1 << 21, .invalidParameter),
    ("STANDARD_SCRYPT", "blockSize", 0, 1025, .invalidParameter),
    ("STANDARD_SCRYPT", "parallelization", 0, 1 << 21, .invalidParameter),
    ("STANDARD_SCRYPT", "dkLen", 0, 1025, .invalidParameter),
  ])
  func `numbers outside the limits are refused`(
    algorithm: String, field: String, tooLow: Int64, tooHigh: Int64,
    code: PasswordHashingError.Code
  ) throws {
    let wrong: [JSON] = [
      .integer(tooLow), .integer(tooHigh), .integer(.max), .integer(.min), .number(1.5), true,
      "many", "", .string(String(tooHigh)),
    ]
    for value in wrong {
      var request = Self.request(algorithm)
      request[field] = value
      let error = try #require(throws: PasswordHashingError.self) {
        try PasswordHashing(wire: request)
      }
      #expect(error.code == code, "\(value)")
      #expect(error.field == field)
    }
    var request = Self.request(algorithm)
    request[field] = .string(request[field]?.integer.map(String.init) ?? "")
    #expect(try PasswordHashing(wire: request).wire == Self.request(algorithm))
  }

  @Test(arguments: [
    ("hashLengthBytes", -1, 1025, PasswordHashingError.Code.invalidDerivedKeyLength),
    ("parallelism", 0, 17, .invalidArgon2Parallelism),
    ("iterations", 0, 17, .invalidArgon2Iterations),
    ("memoryCostKib", 0, 32769, .invalidArgon2MemoryCost),
  ])
  func `Argon2's numbers outside the limits are refused`(
    field: String, tooLow: Int64, tooHigh: Int64, code: PasswordHashingError.Code
  ) throws {
    for value in [tooLow, tooHigh] {
      var parameters = try #require(Self.request("ARGON2")["argon2Parameters"]?.object)
      parameters[field] = .integer(value)
      let error = try #require(throws: PasswordHashingError.self) {
        try PasswordHashing(
          wire: ["hashAlgorithm": "ARGON2", "argon2Parameters": .object(parameters)])
      }
      #expect(error.code == code)
      #expect(error.field == "argon2Parameters." + field)
    }
  }

  @Test(arguments: [
    (1000, 8, 1), (65536, 1, 1), (262144, 8, 1), (16384, 8, 16), (2048, 1024, 1),
    (2, 1024, 1024), (2, 1, 1 << 20),
  ])
  func `scrypt that would take too much memory or time is refused`(
    cost: Int64, blockSize: Int64, parallelization: Int64
  ) throws {
    let error = try #require(throws: PasswordHashingError.self) {
      try PasswordHashing(wire: [
        "hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": .integer(cost),
        "blockSize": .integer(blockSize), "parallelization": .integer(parallelization),
        "dkLen": 32,
      ])
    }
    #expect(error.code == .invalidParameter)
  }

  @Test func `hashes that no password can have are taken, as Google takes them`() throws {
    let withoutKey = try PasswordHashing(
      wire: ["hashAlgorithm": "SCRYPT", "rounds": 8, "memoryCost": 1])
    #expect(!withoutKey.verify("password", hash: [1], salt: [2]) && !withoutKey.breaksSignIn)
    #expect(try PasswordHashing(wire: ["hashAlgorithm": "HMAC_SHA512"]).breaksSignIn)
    #expect(try !PasswordHashing(wire: Self.request("HMAC_SHA256")).breaksSignIn)
    var parameters = try #require(Self.request("ARGON2")["argon2Parameters"]?.object)
    for (field, value) in [("hashLengthBytes", 3), ("memoryCostKib", 1)] as [(String, JSON)] {
      parameters[field] = value
      let argon2 = try PasswordHashing(
        wire: ["hashAlgorithm": "ARGON2", "argon2Parameters": .object(parameters)])
      #expect(argon2.hash("password", salt: Array("salt and salt".utf8)) == nil)
    }
  }

  /// The numbers at the limits must not make libcrypto fail either.
  @Test(arguments: [
    (32768, 1, 1), (131_072, 8, 1), (2, 1, 1 << 19), (2, 1024, 512), (1024, 1024, 1),
  ])
  func `scrypt at the limits works`(
    cost: Int64, blockSize: Int64, parallelization: Int64
  ) throws {
    let hashing = try PasswordHashing(wire: [
      "hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": .integer(cost),
      "blockSize": .integer(blockSize), "parallelization": .integer(parallelization), "dkLen": 32,
    ])
    #expect(hashing.hash("password", salt: [1])?.count == 32)
  }

  @Test(
    arguments: [
      ([:], PasswordHashingError.Code.missingAlgorithm, "hashAlgorithm"),
      (["hashAlgorithm": ""], .missingAlgorithm, "hashAlgorithm"),
      (["hashAlgorithm": "sha1", "rounds": 1], .invalidAlgorithm, "hashAlgorithm"),
      (["hashAlgorithm": "PBKDF2_SHA512"], .invalidAlgorithm, "hashAlgorithm"),
      (["hashAlgorithm": 5], .invalidAlgorithm, "hashAlgorithm"),
      (["hashAlgorithm": "SHA1"], .invalidRounds, "rounds"),
      (["hashAlgorithm": "HMAC_SHA1"], .emptyKey, "signerKey"),
      (["hashAlgorithm": "HMAC_SHA256", "signerKey": ""], .emptyKey, "signerKey"),
      (["hashAlgorithm": "HMAC_SHA1", "signerKey": "a key"], .invalidKey, "signerKey"),
      (["hashAlgorithm": "HMAC_SHA1", "signerKey": 7], .invalidKey, "signerKey"),
      (
        ["hashAlgorithm": "SCRYPT", "signerKey": "aw", "saltSeparator": "?"], .invalidSaltSeparator,
        "saltSeparator"
      ),
      (
        ["hashAlgorithm": "MD5", "passwordHashOrder": "SALT_FIRST"], .invalidArgument,
        "passwordHashOrder"
      ),
      (["hashAlgorithm": "ARGON2", "argon2Parameters": 1], .invalidArgument, "argon2Parameters"),
      (["hashAlgorithm": "ARGON2"], .invalidArgon2MemoryCost, "argon2Parameters.memoryCostKib"),
      (
        ["hashAlgorithm": "ARGON2", "argon2Parameters": ["memoryCostKib": 8]],
        .invalidArgon2Iterations, "argon2Parameters.iterations"
      ),
      (
        [
          "hashAlgorithm": "ARGON2",
          "argon2Parameters": [
            "memoryCostKib": 8, "iterations": 1, "parallelism": 1,
            "hashType": "HASH_TYPE_UNSPECIFIED",
          ],
        ], .invalidArgon2HashType, "argon2Parameters.hashType"
      ),
      (
        [
          "hashAlgorithm": "ARGON2",
          "argon2Parameters": [
            "memoryCostKib": 8, "iterations": 1, "parallelism": 1, "hashType": "ARGON2_I",
            "version": "0x13",
          ],
        ], .invalidArgument, "argon2Parameters.version"
      ),
    ] as [(JSONObject, PasswordHashingError.Code, String)])
  func `a request without sense is refused by the field at fault`(
    request: JSONObject, code: PasswordHashingError.Code, field: String
  ) throws {
    let error = try #require(throws: PasswordHashingError.self) {
      try PasswordHashing(wire: request)
    }
    #expect(error.code == code)
    #expect(error.field == field)
    #expect("\(error)".hasPrefix(field + " "))
  }

  @Test func `salts and passwords that do not suit make no hash`() throws {
    let bcrypt = try PasswordHashing(wire: Self.request("BCRYPT"))
    #expect(bcrypt.hash("password", salt: SecureRandom.bytes(15)) == nil)
    #expect(bcrypt.hash("pass\0word", salt: SecureRandom.bytes(16)) == nil)
    let argon2 = try PasswordHashing(wire: Self.request("ARGON2"))
    #expect(argon2.hash("password", salt: SecureRandom.bytes(7)) == nil)
    #expect(argon2.hash("password", salt: SecureRandom.bytes(8))?.count == 32)
    #expect(!argon2.verify("password", hash: SecureRandom.bytes(32), salt: []))
    let pbkdf2 = try PasswordHashing(wire: Self.request("PBKDF_SHA1"))
    #expect(!pbkdf2.verify("password", hash: SecureRandom.bytes(129), salt: []))
  }

  @Test(arguments: [
    "", "$2a$", "$2a$16$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
    "$2a$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
    "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
    "$2a$+5$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
    "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe",
    "$2a$05$CCCCCCCCC CCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
    "$6$salt$E5YPO9kmyuRGyh0XouQYb4YMJKvyOeWE5YPO9kmyuRGyh0XouQYb",
  ])
  func `a text that is no bcrypt hash of bearable cost is no password's`(hash: String) throws {
    let bcrypt = try PasswordHashing(wire: Self.request("BCRYPT"))
    #expect(!bcrypt.verify("U*U", hash: Array(hash.utf8), salt: []))
  }

  @Test func `bcrypt takes a hash for what it is in every version`() throws {
    let bcrypt = try PasswordHashing(wire: Self.request("BCRYPT"))
    for version in ["2a", "2b", "2y"] {
      let hash = "$\(version)$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
      #expect(bcrypt.verify("U*U", hash: Array(hash.utf8), salt: []))
      #expect(!bcrypt.verify("U*U\0", hash: Array(hash.utf8), salt: []))
    }
    // The last digit of the salt has four bits that do not count.
    let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC/E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
    #expect(bcrypt.verify("U*U", hash: Array(hash.utf8), salt: []))
  }

  @Test func `a project's own passwords have fresh salts and keys`() throws {
    let scrypt = FirebaseScrypt(memoryCost: 1, rounds: 1)
    let hashing = PasswordHashing(scrypt)
    let (salt, hash) = scrypt.make("password")
    #expect(hash.count == 64)
    #expect(hashing.verify("password", hash: hash, salt: salt))
    #expect(!hashing.verify("Password", hash: hash, salt: salt))
    #expect(try PasswordHashing(wire: hashing.wire) == hashing)
    #expect(try FirebaseScrypt(wire: scrypt.wire) == scrypt)
    #expect(scrypt.make("password").salt != salt)
    let other = FirebaseScrypt(memoryCost: 1, rounds: 1)
    #expect(other != scrypt)
    #expect(!PasswordHashing(other).verify("password", hash: hash, salt: salt))
    let key = "\(scrypt.signerKey.reveal())".dropFirst().dropLast()
    for text in ["\(hashing)", String(reflecting: hashing), "\(scrypt)"] {
      #expect(text.contains("[secret]"))
      #expect(!text.contains(key))
    }
  }
}
