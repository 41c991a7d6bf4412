import CArgon2
import System

/// The algorithm ARGON2 (RFC 9106), with the limits of Firebase's `Argon2Parameters`.
struct Argon2: Sendable, Equatable {
  enum Variant: String, Sendable {
    case d = "ARGON2_D"
    case i = "ARGON2_I"
    case id = "ARGON2_ID"

    var native: Argon2_type {
      switch self {
      case .d: Argon2_d
      case .i: Argon2_i
      case .id: Argon2_id
      }
    }
  }

  enum Version: String, Sendable {
    case v10 = "VERSION_10"
    case v13 = "VERSION_13"

    var native: UInt32 { self == .v10 ? 0x10 : 0x13 }
  }

  /// The shortest salt that libargon2 accepts.
  private static let shortestSalt = 8

  let variant: Variant
  let version: Version
  let hashLength: Int
  let parallelism: Int
  let iterations: Int
  let memoryCost: Int
  let associatedData: [UInt8]

  init(_ request: HashFields) throws(PasswordHashingError) {
    let fields = try request.nested("argon2Parameters")
    memoryCost = try fields.integer("memoryCostKib", in: 1...32768, .invalidArgon2MemoryCost)
    iterations = try fields.integer("iterations", in: 1...16, .invalidArgon2Iterations)
    parallelism = try fields.integer("parallelism", in: 1...16, .invalidArgon2Parallelism)
    guard
      let variant = try fields.name(
        "hashType", of: Variant.self, unspecified: "HASH_TYPE_UNSPECIFIED")
    else {
      throw PasswordHashingError(
        .invalidArgon2HashType, field: "argon2Parameters.hashType",
        "must be ARGON2_D, ARGON2_I or ARGON2_ID")
    }
    self.variant = variant
    version =
      try fields.name("version", of: Version.self, unspecified: "VERSION_UNSPECIFIED") ?? .v13
    // Measured: Google's servers accept lengths that the algorithm does not support.
    hashLength = try fields.integer("hashLengthBytes", in: 0...1024, .invalidDerivedKeyLength)
    associatedData = try fields.bytes("associatedData", .invalidArgument)
  }

  var wire: JSONObject {
    var parameters: JSONObject = [
      "hashLengthBytes": .integer(Int64(hashLength)), "hashType": .string(variant.rawValue),
      "parallelism": .integer(Int64(parallelism)), "iterations": .integer(Int64(iterations)),
      "memoryCostKib": .integer(Int64(memoryCost)), "version": .string(version.rawValue),
    ]
    if !associatedData.isEmpty {
      parameters["associatedData"] = .string(Base64.encode(associatedData))
    }
    return ["hashAlgorithm": "ARGON2", "argon2Parameters": .object(parameters)]
  }

  /// Returns nil when salt, hash or memory is too short for the algorithm, or memory has run out.
  func hash(_ password: UnsafeBufferPointer<UInt8>, salt: [UInt8]) -> [UInt8]? {
    guard salt.count >= Self.shortestSalt else { return nil }
    var hash = [UInt8](repeating: 0, count: hashLength)
    var salt = salt
    var associatedData = associatedData
    let status = hash.withUnsafeMutableBufferPointer { hash in
      salt.withUnsafeMutableBufferPointer { salt in
        associatedData.withUnsafeMutableBufferPointer { data in
          var context = Argon2_Context()
          context.out = hash.baseAddress
          context.outlen = UInt32(hash.count)
          // Only read, because no flag allows libargon2 to wipe the password.
          context.pwd = UnsafeMutablePointer(mutating: password.baseAddress)
          context.pwdlen = UInt32(password.count)
          context.salt = salt.baseAddress
          context.saltlen = UInt32(salt.count)
          context.ad = data.baseAddress
          context.adlen = UInt32(data.count)
          context.t_cost = UInt32(iterations)
          context.m_cost = UInt32(memoryCost)
          context.lanes = UInt32(parallelism)
          // All lanes on one thread: a request must not start threads.
          context.threads = 1
          context.version = version.native
          return argon2_ctx(&context, variant.native)
        }
      }
    }
    return status == ARGON2_OK.rawValue ? hash : nil
  }
}
