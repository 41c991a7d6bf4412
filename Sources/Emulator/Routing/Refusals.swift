internal import System
internal import OIDC
internal import IdentityToolkit

extension Refusal {
  /// A body field of the wrong JSON type, with the message of Google's front ends.
  static func wrongType(_ key: String, _ type: String) -> Refusal {
    invalidArgument("Invalid JSON payload received. /\(key) must be \(type)")
  }

  static func invalidArgument(_ message: String) -> Refusal {
    Refusal(
      message: message, status: 400, reason: "invalid", canonicalStatus: "INVALID_ARGUMENT")
  }

  /// A request whose fields do not fit together, with the message of Google's servers.
  static var unusableArgument: Refusal {
    invalidArgument("Request contains an invalid argument.")
  }

  /// A failure of the server; under the rules of Firebase's emulator its reason is `INTERNAL`.
  static func internalFailure(_ message: String, isCompatible: Bool = false) -> Refusal {
    Refusal(
      message: message, status: 500, reason: isCompatible ? "INTERNAL" : "backendError",
      canonicalStatus: "INTERNAL")
  }

  static var notFound: Refusal {
    Refusal(message: "Not Found", status: 404, reason: "notFound", canonicalStatus: "NOT_FOUND")
  }

  static func notImplemented(_ message: String) -> Refusal {
    Refusal(
      message: message, status: 501, reason: "unimplemented", canonicalStatus: "NOT_IMPLEMENTED")
  }

  /// An operation of Google's API that the rules in force leave out.
  static func notEmulated(_ name: String) -> Refusal {
    notImplemented("identitytoolkit.\(name) is not implemented in the Auth Emulator.")
  }

  static var missingAPIKey: Refusal {
    Refusal(
      message: "The request is missing a valid API key.", status: 403, reason: "forbidden",
      canonicalStatus: "PERMISSION_DENIED")
  }

  static var unregisteredCaller: Refusal {
    Refusal(
      message:
        "Method doesn't allow unregistered callers (callers without established identity). Please use API "
        + "Key or other form of API consumer identity to call this API.", status: 403,
      reason: "forbidden", canonicalStatus: "PERMISSION_DENIED")
  }

  static func wrongAPIKey(of service: String) -> Refusal {
    let message = "API key not valid. Please pass a valid API key."
    return Refusal(
      message: message, status: 400, reason: "badRequest", canonicalStatus: "INVALID_ARGUMENT",
      details: [
        [
          "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID",
          "domain": "googleapis.com", "metadata": ["service": .string(service)],
        ],
        [
          "@type": "type.googleapis.com/google.rpc.LocalizedMessage", "locale": "en-US",
          "message": .string(message),
        ],
      ])
  }

  /// An API key in a call that creates a session cookie, which only administrators may do.
  static var cookiesTakeNoKey: Refusal {
    Refusal(
      message:
        "API keys are not supported by this API. Expected OAuth2 access token or other authentication "
        + "credentials that assert a principal. See https://cloud.google.com/docs/authentication",
      status: 401, reason: "required", canonicalStatus: "UNAUTHENTICATED",
      details: [
        [
          "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "CREDENTIALS_MISSING",
          "domain": "googleapis.com",
          "metadata": [
            "service": "identitytoolkit.googleapis.com",
            "method":
              "google.cloud.identitytoolkit.v1.SessionManagementService.CreateSessionCookie",
          ],
        ]
      ])
  }

  static var wrongBearer: Refusal {
    Refusal(
      message:
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or "
        + "other valid authentication credential. See "
        + "https://developers.google.com/identity/sign-in/web/devconsole-project.", status: 401,
      reason: "authError", canonicalStatus: "UNAUTHENTICATED")
  }

  /// A refusal for an error of a provider, with the fault's name, from which clients find the cause.
  init(_ error: OIDCError, _ words: String) {
    let fault: ProviderFault? =
      switch error.code {
      case .issuerUnreachable, .transport: .issuerUnreachable
      case .issuerMismatch: .issuerMismatch
      case .discoveryFailed: .discoveryFailed
      case .keysUnavailable: .keysUnavailable
      case .wrongIssuer: .wrongIssuer
      case .wrongAudience: .wrongAudience
      case .clientRefused: .clientRefused
      case .badSignature, .unknownKey: .badSignature
      case .expired, .notYetValid: .staleToken
      default: nil
      }
    let parts = [words, fault?.words, error.message].compactMap(\.self)
    self.init(.invalidIdPResponse, parts.joined(separator: ": "))
  }
}
