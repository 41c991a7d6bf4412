internal import OIDC

/// A device that waits for a user to sign in elsewhere (RFC 8628).
final class DeviceRequest {
  enum Stage {
    case waiting, denied, used
    case granted(Grant)
  }

  let userCode: String
  let clientID: String
  let scopes: [String]
  /// The tenant in Microsoft's path.
  let tenant: String?
  let wantsRefreshToken: Bool
  let expiresAt: Int64
  /// The minimum time between two polls of the device, in seconds.
  private(set) var interval = firstInterval
  private var lastAskedAt: Int64?
  var stage = Stage.waiting
  /// The family of the device's tokens, once they are issued.
  var family: String?

  /// The lifetime of the codes in seconds, as at Microsoft.
  static let lifetime: Int64 = 900
  /// Seconds; shorter than the five of Microsoft and Google, so that nobody waits for an emulator.
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

  /// Records a poll; returns false when it came too early, and adds five seconds to the interval (section 3.5).
  func mayAsk(now: Int64) -> Bool {
    defer { lastAskedAt = now }
    guard let lastAskedAt, now - lastAskedAt < interval else { return true }
    interval += 5
    return false
  }

  /// Consonants that are hard to confuse and form no words (section 6.1).
  private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)

  private static func freshUserCode() -> String {
    var letters: [UInt8] = []
    while letters.count < 8 {
      // Values from 240 would make the first letters more likely.
      letters += SecureRandom.bytes(16).filter { $0 < 240 }.map { alphabet[Int($0) % 20] }
    }
    letters = Array(letters.prefix(4)) + [UInt8(ascii: "-")] + letters[4..<8]
    return String(decoding: letters, as: UTF8.self)
  }

  /// The code from an entry in any case, with or without the hyphen.
  static func normalized(_ typed: String) -> String {
    let letters = typed.uppercased().utf8.filter { alphabet.contains($0) }
    return String(
      decoding: letters.prefix(4) + [UInt8(ascii: "-")] + letters.dropFirst(4), as: UTF8.self)
  }
}
