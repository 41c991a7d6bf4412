import System
public import HTTP

/// A sign-in that the user finishes on a second device (RFC 8628).
public struct DeviceFlow: Sendable {
  /// The code that the user enters at `verificationURI`.
  public let userCode: String
  /// The page to open.
  public let verificationURI: WebURL
  /// The page with the code in its URL, for a QR code, if the provider has one.
  public let verificationURIComplete: WebURL?
  /// The lifetime of the code in seconds.
  public let expiresIn: Int64
  /// The pause between two polling requests, in seconds.
  public let interval: Double

  let deviceCode: Secret

  /// Parses the response of a device authorization endpoint (section 3.2).
  init(json: JSONObject, endpoint: WebURL) throws(OIDCError) {
    guard let deviceCode = json["device_code"]?.string, !deviceCode.isEmpty,
      let userCode = json["user_code"]?.string, (1...64).contains(userCode.utf8.count),
      // Printable ASCII only, because it is shown on a terminal.
      userCode.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }),
      // Some servers send the lifetime as a string.
      let lifetime = json["expires_in"]?.integer
        ?? json["expires_in"]?.string.flatMap({ Int64($0) }), lifetime > 0
    else {
      throw OIDCError(
        .unexpectedAnswer, "\(endpoint.origin) answers without a code for the device",
        hint: "check the provider's device_authorization_endpoint")
    }
    self.deviceCode = Secret(deviceCode)
    self.userCode = userCode
    // Some early servers use url instead of uri.
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
    // Section 3.2: the default is five seconds. A server on this machine may be polled faster, but
    // never without a pause.
    let wanted = json["interval"]?.number ?? 5
    interval = min(max(wanted, endpoint.isLoopback ? 0.05 : 1), 300)
  }
}

extension DeviceFlow: CustomStringConvertible {
  /// The provider's origin, without the codes.
  public var description: String { "device sign-in at \(verificationURI.origin)" }
}
