@testable import System
@testable import OIDC
import Testing

@Suite("Password hashes of other programs", .timeLimit(.minutes(2)))
struct PasswordHashingOracleTests {
  static let passwords = [
    "", "password", "pass\u{E9} \u{1F600}", "with \"quotes\" and $",
    String(repeating: "long ", count: 60),
  ]

  /// Prints the hash for each request of its argument, by Python's own libraries.
  static let script = """
    import hashlib, hmac, json, sys
    for request in json.loads(sys.argv[1]):
        password, salt = request["password"].encode(), bytes.fromhex(request["salt"])
        rounds, name = request.get("rounds", 0), request["hashAlgorithm"]
        first = request.get("passwordHashOrder") == "PASSWORD_AND_SALT"
        text = password + salt if first else salt + password
        digest = name.split("_")[-1].lower()
        if name == "STANDARD_SCRYPT":
            hash = hashlib.scrypt(password, salt=salt, n=request["cpuMemCost"],
                r=request["blockSize"], p=request["parallelization"], dklen=request["dkLen"])
        elif name.startswith("PBKDF"):
            hash = hashlib.pbkdf2_hmac(digest, password, salt, rounds)
        elif name.startswith("HMAC"):
            hash = hmac.new(bytes.fromhex(request["key"]), text, digest).digest()
        elif name == "MD5":
            hash = hashlib.md5(text).digest()
            for _ in range(rounds):
                hash = hashlib.md5(hash + password).digest()
            hash = hash.hex().encode()
        else:
            hash = text
            for _ in range(rounds):
                hash = hashlib.new(digest, hash).digest()
        print(hash.hex())
    """

  private static func requests() -> [JSONObject] {
    var requests: [JSONObject] = [["hashAlgorithm": "MD5", "rounds": 0]]
    let orders: [JSON] = ["SALT_AND_PASSWORD", "PASSWORD_AND_SALT"]
    for order in orders {
      for name in ["MD5", "SHA1", "SHA256", "SHA512"] {
        for rounds in [1, 2, 20] as [JSON] {
          requests.append([
            "hashAlgorithm": .string(name), "rounds": rounds, "passwordHashOrder": order,
          ])
        }
        let key = SecureRandom.bytes(Int.random(in: 1...150))
        requests.append([
          "hashAlgorithm": .string("HMAC_" + name), "passwordHashOrder": order,
          "signerKey": .string(Base64URL.encode(key)), "key": .string(Hex.encode(key)),
        ])
      }
    }
    requests.append(["hashAlgorithm": "PBKDF_SHA1", "rounds": 3])
    requests.append(["hashAlgorithm": "PBKDF2_SHA256", "rounds": 1001])
    requests.append([
      "hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": 64, "blockSize": 3, "parallelization": 2,
      "dkLen": 77,
    ])
    return requests
  }

  @Test(.enabled(if: OracleCommand.python.isInstalled, "python3 is not installed"))
  func `hashes are those of Python`() throws {
    var requests = Self.requests().flatMap { request in
      Self.passwords.map { password in
        var request = request
        request["password"] = .string(password)
        request["salt"] = .string(Hex.encode(SecureRandom.bytes(Int.random(in: 0...40))))
        return request
      }
    }
    // Twice, so that each password meets several salts.
    requests += requests
    let argument = JSON.array(requests.map { .object($0) }).encoded()
    let lines = try #require(
      try OracleCommand.python.run(["-W", "ignore", "-c", Self.script, argument]))
    #expect(lines.count == requests.count)
    for (request, line) in zip(requests, lines) {
      let hashing = try PasswordHashing(wire: request)
      let password = request["password"]?.string ?? ""
      let salt = try #require(Hex.decode(request["salt"]?.string ?? ""))
      let hash = try #require(hashing.hash(password, salt: salt))
      #expect(Hex.encode(hash) == line, "\(request["hashAlgorithm"] ?? nil)")
      #expect(hashing.verify(password, hash: hash, salt: salt))
      #expect(!hashing.verify(password + " ", hash: hash, salt: salt))
    }
  }

  @Test(
    .enabled(if: OracleCommand.argon2.isInstalled, "argon2 is not installed"),
    arguments: [("ARGON2_D", "-d"), ("ARGON2_I", "-i"), ("ARGON2_ID", "-id")],
    [("VERSION_10", "10"), ("VERSION_13", "13")])
  func `hashes are those of the argon2 command`(
    type: (name: String, option: String), version: (name: String, option: String)
  ) throws {
    for (lanes, iterations, memory, count) in [(1, 1, 8, 4), (4, 3, 257, 33), (16, 2, 128, 64)] {
      let hashing = try PasswordHashing(wire: [
        "hashAlgorithm": "ARGON2",
        "argon2Parameters": [
          "hashLengthBytes": .integer(Int64(count)), "hashType": .string(type.name),
          "version": .string(version.name), "parallelism": .integer(Int64(lanes)),
          "iterations": .integer(Int64(iterations)), "memoryCostKib": .integer(Int64(memory)),
        ],
      ])
      let salt = SecureRandom.alphanumeric(Int.random(in: 8...40))
      // The command takes 1 to 127 bytes.
      for password in Self.passwords.map({ String($0.prefix(100)) }) where !password.isEmpty {
        let lines = try OracleCommand.argon2.run(
          [
            salt, type.option, "-t", "\(iterations)", "-k", "\(memory)", "-p", "\(lanes)", "-l",
            "\(count)", "-v", version.option, "-r",
          ], input: password)
        let hash = try #require(hashing.hash(password, salt: Array(salt.utf8)))
        #expect(lines == [Hex.encode(hash)])
        #expect(hashing.verify(password, hash: hash, salt: Array(salt.utf8)))
      }
    }
  }

  @Test(.enabled(if: OracleCommand.htpasswd.isInstalled, "htpasswd is not installed"))
  func `bcrypt hashes of htpasswd are taken, and ours by it`() throws {
    let hashing = try PasswordHashing(wire: ["hashAlgorithm": "BCRYPT"])
    // htpasswd reads up to 255 bytes.
    for password in Self.passwords.map({ String($0.prefix(80)) }) {
      let line = try #require(
        try OracleCommand.htpasswd.run(["-nbB", "-C", "5", "ada", password])?.first)
      let theirs = Array(line.dropFirst(4).utf8)
      #expect(hashing.verify(password, hash: theirs, salt: []))
      #expect(!hashing.verify("x" + password, hash: theirs, salt: []))
      let ours = try #require(hashing.hash(password, salt: SecureRandom.bytes(16)))
      let file = "ada:" + String(decoding: ours, as: UTF8.self) + "\n"
      #expect(
        try OracleCommand.htpasswd.run(["-vb", "/dev/stdin", "ada", password], input: file) != nil)
      #expect(
        try OracleCommand.htpasswd.run(["-vb", "/dev/stdin", "ada", "x" + password], input: file)
          == nil)
    }
  }
}
