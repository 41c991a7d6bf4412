internal import Encoding

/// A made-up security key or phone for passkeys (WebAuthn Level 2 section 11.2).
public struct VirtualAuthenticator: Sendable, Equatable {
  /// How the authenticator is reached.
  public enum Transport: String, Sendable, CaseIterable {
    case usb, nfc, ble, `internal`, hybrid
  }

  /// What it speaks: `ctap2`, `ctap2_1` or `ctap1/u2f`.
  public var speaks = "ctap2"
  /// How it is reached.
  public var transport = Transport.internal
  /// Whether it keeps passkeys of its own, so that no user name is needed.
  public var hasResidentKey = true
  /// Whether it can tell its owner from others.
  public var hasUserVerification = true
  /// Whether its owner agrees to everything.
  public var consents = true
  /// Whether it takes its user for its owner.
  public var isUserVerified = true

  /// An authenticator built into the device, whose owner is present and agrees.
  public init() {}

  var json: JSON {
    [
      "protocol": .string(speaks), "transport": .string(transport.rawValue),
      "hasResidentKey": .bool(hasResidentKey),
      "hasUserVerification": .bool(hasUserVerification), "isUserConsenting": .bool(consents),
      "isUserVerified": .bool(isUserVerified),
    ]
  }
}
