internal import System

/// A virtual security key or phone for passkeys (WebAuthn Level 2 section 11.2).
public struct VirtualAuthenticator: Sendable, Equatable {
  /// The transport between browser and authenticator.
  public enum Transport: String, Sendable, CaseIterable {
    case usb, nfc, ble, `internal`, hybrid
  }

  /// The protocol: `ctap2`, `ctap2_1` or `ctap1/u2f`.
  public var speaks = "ctap2"
  /// The transport.
  public var transport = Transport.internal
  /// Whether it stores discoverable passkeys, which need no user name.
  public var hasResidentKey = true
  /// Whether it supports user verification.
  public var hasUserVerification = true
  /// Whether the user consents to every request.
  public var consents = true
  /// Whether user verification succeeds.
  public var isUserVerified = true

  /// Creates a built-in authenticator whose user is present, verified and consents.
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
