public import HTTP
import System

extension OIDCClient {
  /// Requests a code that the user enters on a second device (RFC 8628 section 3.1).
  public func beginDevice(scopes: [String]? = nil) async throws(OIDCError) -> DeviceFlow {
    let url = try endpoint("device_authorization_endpoint", for: "sign-in on another device")
    let answer = try await ClientEndpoint(
      url: url, client: credentials, does: "give a code for a device"
    ).object(for: [("scope", scope(scopes))], secrets: [], over: transport)
    return try DeviceFlow(json: answer, endpoint: url)
  }

  /// Waits until the user has finished, and returns the tokens (section 3.4).
  ///
  /// `limit` ends the wait before the code expires. Canceling the task ends it at once.
  public func finishDevice(
    _ flow: DeviceFlow, limit: Duration? = nil
  ) async throws(OIDCError) -> OIDCTokens {
    let response = try await askForTokens(of: flow, limit: limit?.inSeconds)
    guard let idToken = response.idToken else { throw .withoutIDToken }
    // No nonce: without a browser, no response can be injected.
    let claims = try await verify(
      idToken, nonce: .unchecked, accessToken: response.accessToken)
    return OIDCTokens(response, claims: claims)
  }

  private func askForTokens(
    of flow: DeviceFlow, limit: Double?
  ) async throws(OIDCError) -> TokenResponse {
    var polling = DevicePolling(flow, limit: limit)
    var action = polling.begin()
    let start = ContinuousClock.now
    // Pauses are added up, for transports whose pauses take no time.
    var waited = 0.0
    while true {
      let seconds: Double
      switch action {
      case .fail(let error): throw error
      case .ask(let after): seconds = after
      }
      try await pause(seconds)
      waited += seconds
      do throws(OIDCError) {
        return try await TokenEndpoint(url: metadata.tokenEndpoint, client: credentials).tokens(
          for: [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
            ("device_code", flow.deviceCode.reveal()),
          ], secrets: [flow.deviceCode],
          grantHint: "start the device's sign-in again: its code is used, expired or withdrawn",
          over: transport)
      } catch {
        action = polling.after(
          error, elapsed: max(waited, start.duration(to: .now).inSeconds))
      }
    }
  }

  private func pause(_ seconds: Double) async throws(OIDCError) {
    do throws(HTTPError) {
      try await transport.pause(for: .milliseconds(Int64(seconds * 1000)))
    } catch {
      throw OIDCError(error)
    }
  }
}

extension OIDCError {
  static let withoutIDToken = OIDCError(
    .unexpectedAnswer, "the token endpoint gave no ID token",
    hint: "ask for the scope openid, and check that the server is an OpenID provider")
}

extension Duration {
  fileprivate var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}

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
        .unexpectedAnswer, "\(endpoint.origin) returned no code for the device",
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

/// Decides when to poll for tokens again (RFC 8628 section 3.5).
struct DevicePolling {
  enum Action {
    case ask(after: Double)
    case fail(OIDCError)
  }

  /// Seconds between two requests.
  private(set) var interval: Double
  private let expiresIn: Double
  private let limit: Double?
  private var failures = 0

  init(_ flow: DeviceFlow, limit: Double?) {
    interval = flow.interval
    expiresIn = Double(flow.expiresIn)
    self.limit = limit
  }

  func begin() -> Action { next(0) }

  /// Returns the action after an error, `elapsed` seconds after the start.
  mutating func after(_ error: OIDCError, elapsed: Double) -> Action {
    switch (error.code, error.providerError) {
    case (.refused, "authorization_pending"?): failures = 0
    case (.refused, "slow_down"?):
      failures = 0
      interval += 5
    case (.refused, "expired_token"?): return .fail(Self.expired)
    // Microsoft uses the second name.
    case (.refused, "access_denied"?), (.refused, "authorization_declined"?):
      return .fail(
        OIDCError(
          .denied, "the user refused the device's sign-in",
          hint: "start again, and accept on the page",
          providerError: error.providerError))
    case (.transport, _) where failures < 3:
      // "On encountering a connection timeout, clients MUST unilaterally reduce their polling
      // frequency"; doubling is what the section suggests.
      failures += 1
      interval *= 2
    default: return .fail(error)
    }
    return next(elapsed)
  }

  private func next(_ elapsed: Double) -> Action {
    let end = min(limit ?? expiresIn, expiresIn)
    guard elapsed < end else { return .fail(end < expiresIn ? Self.timedOut : Self.expired) }
    return .ask(after: min(interval, end - elapsed))
  }

  private static let expired = OIDCError(
    .deviceCodeExpired, "the device's code was not entered in time",
    hint: "start the device's sign-in again, and open the page at once",
    providerError: "expired_token")

  private static let timedOut = OIDCError(
    .timedOut, "the user did not finish in time",
    hint: "start the device's sign-in again, with a longer timeout")
}
