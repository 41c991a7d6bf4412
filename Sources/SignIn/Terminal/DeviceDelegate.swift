internal import System
public import HTTP
public import OIDC
internal import IdentityToolkit
public import Client

/// Signs in with a second device (RFC 8628): the user opens a URL there and enters a code.
///
/// No backend page is shown. The ID token comes straight from the provider, so this works only
/// where the backend can check the token's audience.
public struct DeviceDelegate: AuthUIDelegate {
  /// Shows the user URL and code; polling for tokens begins when it returns.
  public typealias Prompt = (DeviceFlow) async throws(AuthError) -> Void

  private let settings: OIDCClientSettings
  private let transport: any Transport
  private let limit: Duration?
  private let now: () -> Int64
  private let prompt: Prompt

  /// Creates a delegate.
  ///
  /// - Parameters:
  ///   - settings: the app's registration at the provider, the same one as in the project.
  ///   - transport: sends requests to the provider.
  ///   - limit: the time limit; nil for the lifetime of the code.
  ///   - now: seconds since 1970, for the times in ID tokens.
  ///   - prompt: shows the user URL and code.
  public init(
    settings: OIDCClientSettings, transport: any Transport, limit: Duration?,
    now: @escaping () -> Int64, prompt: @escaping Prompt
  ) {
    self.settings = settings
    self.transport = transport
    self.limit = limit
    self.now = now
    self.prompt = prompt
  }

  /// Returns a method that gets a credential without a backend page.
  public func begin(_ providerID: String) async throws(AuthError) -> SignInWay {
    .credential { () async throws(AuthError) in try await credential(of: providerID) }
  }

  /// Gets tokens from the provider and makes a credential of them.
  private func credential(of providerID: String) async throws(AuthError) -> Credential {
    guard providerID.hasPrefix("oidc.") || providerID == "google.com" else {
      throw AuthError(
        .invalidCredential,
        "tokens of \(providerID) that a device gets cannot be used with the backend, since it "
          + "cannot check which app they were made for",
        hint: "use ui.form, ui.webdriver or ui.browser, or a custom token; ui.device is for oidc.* "
          + "and google.com")
    }
    let client: OIDCClient
    let flow: DeviceFlow
    do throws(OIDCError) {
      client = try await OIDCClient.discover(settings, over: transport, now: now)
      flow = try await client.beginDevice()
    } catch {
      throw AuthError(error, of: providerID)
    }
    try await prompt(flow)
    let tokens: OIDCTokens
    do throws(OIDCError) {
      tokens = try await client.finishDevice(flow, limit: limit)
    } catch {
      throw AuthError(error, of: providerID)
    }
    return try OAuthProvider.credential(
      providerID: providerID, idToken: tokens.response.idToken,
      accessToken: tokens.response.accessToken)
  }
}

extension AuthError {
  /// Converts an OIDC error to an error of the sign-in.
  fileprivate init(_ error: OIDCError, of providerID: String) {
    let code: ErrorCode =
      switch error.code {
      case .denied: .webConsentDenied
      case .deviceCodeExpired, .timedOut: .webContextTimedOut
      case .cancelled: .webContextCancelled
      case .transport, .issuerUnreachable: .webNetworkRequestFailed
      case .unsupported: .webPageUnusable
      case .clientRefused: .invalidClientID
      case .refused: .webSignInUserInteractionFailure
      // The provider responded, but its tokens are not valid for this app.
      case .badSignature, .malformedClaims, .wrongIssuer, .wrongAudience, .wrongNonce, .expired,
        .notYetValid, .missingNonce, .unknownKey, .unsupportedAlgorithm, .staleSignIn, .wrongHash,
        .wrongSubject:
        .invalidCredential
      default: .webInternalError
      }
    self.init(
      code, "\(providerID): \(error.message)", hint: error.hint, serverName: error.providerError)
  }
}

extension DeviceDelegate {
  /// Shows URL and code on a terminal, with a QR code of the URL if it fits.
  public static func prompt(at terminal: SignInTerminal) -> Prompt {
    { (flow) throws(AuthError) in
      let picture = terminal.picture(of: flow.verificationURIComplete ?? flow.verificationURI)
      terminal.write(
        """
        luath: to sign in, open this page on any device:

          \(flow.verificationURI)

        \(picture)and enter the code there: \(flow.userCode)

        """)
    }
  }
}
