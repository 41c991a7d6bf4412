public import System
import IdentityToolkit
import OIDC

/// The password hash algorithm of an import, with its parameters.
public struct PasswordHashKind: Sendable {
  /// The allowed fields of its table.
  static let names = [
    "algorithm", "key", "signerKey", "saltSeparator", "rounds", "memoryCost", "parallelization",
    "blockSize",
    "derivedKeyLength", "inputOrder", "hashType", "hashLength", "iterations", "version",
    "associatedData",
  ]

  /// The API's parameter names of each algorithm.
  private static let parameters: [String: [String: String]] = {
    let digest = ["rounds": "rounds", "inputOrder": "passwordHashOrder"]
    // A project's configuration calls the key `signerKey`.
    let keyed = [
      "key": "signerKey", "signerKey": "signerKey", "inputOrder": "passwordHashOrder",
    ]
    return [
      "MD5": digest, "SHA1": digest, "SHA256": digest, "SHA512": digest, "HMAC_MD5": keyed,
      "HMAC_SHA1": keyed, "HMAC_SHA256": keyed, "HMAC_SHA512": keyed,
      "PBKDF_SHA1": ["rounds": "rounds"], "PBKDF2_SHA256": ["rounds": "rounds"],
      "SCRYPT": [
        "key": "signerKey", "signerKey": "signerKey", "saltSeparator": "saltSeparator",
        "rounds": "rounds", "memoryCost": "memoryCost",
      ],
      "STANDARD_SCRYPT": [
        "memoryCost": "cpuMemCost", "parallelization": "parallelization",
        "blockSize": "blockSize", "derivedKeyLength": "dkLen",
      ],
      "BCRYPT": [:],
      "ARGON2": [
        "hashType": "hashType", "hashLength": "hashLengthBytes", "parallelization": "parallelism",
        "iterations": "iterations", "memoryCost": "memoryCostKib", "version": "version",
        "associatedData": "associatedData",
      ],
    ]
  }()

  /// The fields of the request.
  let wire: JSONObject
  private let algorithm: String
  /// The size of each hash in bytes, if the algorithm determines it.
  private let size: Int?

  /// Parses a table with `algorithm` and its parameters; bytes are in Base64.
  public init(_ json: JSON) throws(AdminError) {
    let reader = try RecordReader(json, at: ["hash"], names: Self.names)
    let algorithm = try reader.text("algorithm")
    guard let parameters = Self.parameters[algorithm] else {
      let known = Self.parameters.keys.sorted()
      let advice = nearestName(to: algorithm, among: known).map { "; did you mean \($0)?" } ?? ""
      throw reader.fault("algorithm", "is none of \(known.joined(separator: ", "))\(advice)")
    }
    var fields = JSONObject()
    for name in Self.names where name != "algorithm" {
      guard let value = reader.value(name) else { continue }
      guard let field = parameters[name] else {
        throw reader.fault(name, "is no parameter of \(algorithm)")
      }
      guard fields[field] == nil else { throw reader.fault(name, "is given twice") }
      fields[field] = value
    }
    let wire: JSONObject =
      algorithm == "ARGON2"
      ? ["hashAlgorithm": "ARGON2", "argon2Parameters": .object(fields)]
      : JSONObject(
        [("hashAlgorithm", .string(algorithm))] + fields.entries.map { ($0.key, $0.value) })
    do {
      // It also fills in defaults, which the API does not have for all fields.
      self.wire = try PasswordHashing(wire: wire).wire
    } catch {
      throw AdminError(
        .invalidArgument,
        "hash.\(Self.name(of: error.field, among: parameters)) \(error.message)",
        hint: "luath doc scripting#luathadmin lists the algorithms and their parameters")
    }
    // Google's servers import hashes of some algorithms without a key; then no password matches.
    guard parameters["key"] == nil || self.wire["signerKey"]?.string?.isEmpty == false else {
      throw reader.fault("key", "must hold the key this algorithm signs with")
    }
    self.algorithm = algorithm
    size = Self.size(algorithm, self.wire)
  }

  /// Returns the script's name of a request field.
  private static func name(of field: String, among parameters: [String: String]) -> String {
    let last = field.split(separator: ".").last.map(String.init) ?? field
    return names.first { parameters[$0] == last } ?? last
  }

  private static func size(_ algorithm: String, _ wire: JSONObject) -> Int? {
    switch algorithm {
    // MD5 hashes are hexadecimal text.
    case "MD5": 32
    case "HMAC_MD5": 16
    case "SHA1", "HMAC_SHA1": 20
    case "SHA256", "HMAC_SHA256": 32
    case "SHA512", "HMAC_SHA512": 64
    case "STANDARD_SCRYPT": wire["dkLen"]?.integer.flatMap { Int(exactly: $0) }
    case "SCRYPT":
      // The hash is the encrypted signer key.
      wire["signerKey"]?.string.flatMap { Base64.decodeAnyAlphabet($0)?.count }
    case "ARGON2":
      wire["argon2Parameters"]?["hashLengthBytes"]?.integer.flatMap { Int(exactly: $0) }
    default: nil
    }
  }

  /// Returns why no password can have this hash; nil when one can.
  ///
  /// The backend would store it, and the user's sign-ins would fail without an obvious reason.
  func problem(of hash: [UInt8]) -> String? {
    if algorithm == "BCRYPT" {
      return hash.starts(with: Array("$2".utf8)) && hash.count == 60
        ? nil : "passwordHash is no text that bcrypt makes, in base 64"
    }
    guard let size, hash.count != size else { return nil }
    return "passwordHash has \(hash.count) bytes, and those of \(algorithm) have \(size): "
      + "it must be the hash's bytes in base 64, once"
  }
}
