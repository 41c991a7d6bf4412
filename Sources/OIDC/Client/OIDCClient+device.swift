import System
import HTTP

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
