import Encoding
public import HTTP

/// A sign-in that a person finishes on another device (RFC 8628).
public struct DeviceFlow: Sendable {
  /// What the person types at `verificationURI`.
  public let userCode: String
  /// The page the person opens.
  public let verificationURI: WebURL
  /// The page with the code in it, for a QR code; not every provider has it.
  public let verificationURIComplete: WebURL?
  /// How many seconds the code lasts.
  public let expiresIn: Int64
  /// How many seconds to wait between two questions.
  public let interval: Double

  let deviceCode: Secret

  /// Reads what a device authorization endpoint answers (section 3.2).
  init(json: JSONObject, endpoint: WebURL) throws(OIDCError) {
    guard let deviceCode = json["device_code"]?.string, !deviceCode.isEmpty,
      let userCode = json["user_code"]?.string, (1...64).contains(userCode.utf8.count),
      // What a person is to read and type must not reach a terminal's controls.
      userCode.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }),
      // Some servers write the lifetime as a string.
      let lifetime = json["expires_in"]?.integer
        ?? json["expires_in"]?.string.flatMap({ Int64($0) }), lifetime > 0
    else {
      throw OIDCError(
        .unexpectedAnswer, "\(endpoint.origin) answers without a code for the device",
        hint: "check the provider's device_authorization_endpoint")
    }
    self.deviceCode = Secret(deviceCode)
    self.userCode = userCode
    // Some early servers write url for uri.
    verificationURI = try trustedAddress(
      (json["verification_uri"] ?? json["verification_url"])?.string,
      "the page for the device's code")
    if let complete = json["verification_uri_complete"], !complete.isNull {
      verificationURIComplete = try trustedAddress(
        complete.string, "the page with the device's code")
    } else {
      verificationURIComplete = nil
    }
    expiresIn = min(lifetime, 86_400)
    // Section 3.2: five seconds when the server does not say. A server on this machine may be asked
    // as fast as it likes, but never without a pause.
    let wanted = json["interval"]?.number ?? 5
    interval = min(max(wanted, endpoint.isLoopback ? 0.05 : 1), 300)
  }
}

extension DeviceFlow: CustomStringConvertible {
  /// The page, without the codes.
  public var description: String { "device sign-in at \(verificationURI.origin)" }
}
