internal import OIDC

/// A device that waits until a person has signed in elsewhere (RFC 8628).
final class DeviceRequest {
  enum Stage {
    case waiting, denied, used
    case granted(Grant)
  }

  let userCode: String
  let clientID: String
  let scopes: [String]
  /// The tenant of Microsoft's path.
  let tenant: String?
  let wantsRefreshToken: Bool
  let expiresAt: Int64
  /// How many seconds the device must let pass between two questions.
  private(set) var interval = firstInterval
  private var lastAskedAt: Int64?
  var stage = Stage.waiting
  /// What the tokens of the device have in common, once they are given.
  var family: String?

  /// How long the codes live, in seconds: as at Microsoft.
  static let lifetime: Int64 = 900
  /// Shorter than the five seconds of Microsoft and Google, so that nobody waits for an emulator.
  static let firstInterval: Int64 = 1

  init(
    clientID: String, scopes: [String], tenant: String?, wantsRefreshToken: Bool, now: Int64
  ) {
    userCode = Self.freshUserCode()
    self.clientID = clientID
    self.scopes = scopes
    self.tenant = tenant
    self.wantsRefreshToken = wantsRefreshToken
    expiresAt = now + Self.lifetime
  }

  /// Notes that the device asks; false when it asks too often, and must wait longer from now on
  /// (section 3.5: by five seconds).
  func mayAsk(now: Int64) -> Bool {
    defer { lastAskedAt = now }
    guard let lastAskedAt, now - lastAskedAt < interval else { return true }
    interval += 5
    return false
  }

  /// Consonants that cannot be mistaken for one another and make no words (section 6.1).
  private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)

  private static func freshUserCode() -> String {
    var letters: [UInt8] = []
    while letters.count < 8 {
      // Bytes from 240 on would make the first letters likelier.
      letters += SecureRandom.bytes(16).filter { $0 < 240 }.map { alphabet[Int($0) % 20] }
    }
    letters = Array(letters.prefix(4)) + [UInt8(ascii: "-")] + letters[4..<8]
    return String(decoding: letters, as: UTF8.self)
  }

  /// The code as it was given, of what a person typed: in any case, with or without the hyphen.
  static func normalized(_ typed: String) -> String {
    let letters = typed.uppercased().utf8.filter { alphabet.contains($0) }
    return String(
      decoding: letters.prefix(4) + [UInt8(ascii: "-")] + letters.dropFirst(4), as: UTF8.self)
  }
}
