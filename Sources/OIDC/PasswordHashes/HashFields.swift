import System

/// Parses the fields of a request that describe a password hash.
///
/// Google's servers read JSON like Protocol Buffers: a missing number is zero, and a number may be
/// a string, which is how Firebase's command line sends it.
struct HashFields {
  private let fields: JSONObject
  private let path: String

  init(_ fields: JSONObject, path: String = "") {
    self.fields = fields
    self.path = path
  }

  func integer(
    _ name: String, in range: ClosedRange<Int>, _ code: PasswordHashingError.Code
  ) throws(PasswordHashingError) -> Int {
    let number: Int?
    switch fields[name] {
    case nil, .null: number = 0
    case .string(let text): number = Int(text)
    case .some(let value): number = value.integer.flatMap { Int(exactly: $0) }
    }
    guard let number, range.contains(number) else {
      throw PasswordHashingError(
        code, field: path + name,
        "must be a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func bytes(
    _ name: String, _ code: PasswordHashingError.Code
  ) throws(PasswordHashingError) -> [UInt8] {
    let bytes: [UInt8]?
    switch fields[name] {
    case nil, .null: bytes = []
    case .some(let value): bytes = value.string.flatMap { Base64.decodeAnyAlphabet($0) }
    }
    guard let bytes else {
      throw PasswordHashingError(code, field: path + name, "must be text in base 64")
    }
    return bytes
  }

  /// Returns the signer key, which must not be empty unless `mayBeEmpty` is set.
  func signerKey(mayBeEmpty: Bool = false) throws(PasswordHashingError) -> SecretBytes {
    let key = try bytes("signerKey", .invalidKey)
    guard mayBeEmpty || !key.isEmpty else {
      throw PasswordHashingError(
        .emptyKey, field: path + "signerKey", "must hold the key this algorithm signs with")
    }
    return SecretBytes(key)
  }

  /// Returns the enumeration case that the field names; nil when it is unspecified.
  func name<Name: RawRepresentable>(
    _ name: String, of type: Name.Type, unspecified: String
  ) throws(PasswordHashingError) -> Name? where Name.RawValue == String {
    guard let value = fields[name], !value.isNull, value != .string(unspecified) else {
      return nil
    }
    guard let known = value.string.flatMap({ Name(rawValue: $0) }) else {
      throw PasswordHashingError(
        .invalidArgument, field: path + name, "is none of the names this field has")
    }
    return known
  }

  /// Returns the fields of a nested object; empty when it is missing.
  func nested(_ name: String) throws(PasswordHashingError) -> HashFields {
    guard let object = (fields[name] ?? [:]).object else {
      throw PasswordHashingError(
        .invalidArgument, field: path + name, "must be an object with this algorithm's parameters")
    }
    return HashFields(object, path: path + name + ".")
  }
}
