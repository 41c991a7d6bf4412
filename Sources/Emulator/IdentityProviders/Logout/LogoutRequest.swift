internal import System
internal import HTTP
internal import OIDC

/// An app's request to sign a user out (OpenID Connect RP-Initiated Logout 1.0).
struct LogoutRequest {
  /// The `sub` claim of the user to sign out; nil when the request names none.
  let subject: String?
  /// Where to redirect the browser afterwards, including the state.
  let target: String?

  /// Why a sign-out cannot start; it is shown to the user, because no redirect is safe then.
  struct Problem: Error {
    let code: String
    let message: String
    let advice: String
  }

  /// Reads the parameters; `verifiers` are for the provider's own keys.
  init(
    _ fields: FormFields, provider: IdentityProvider, origin: String, verifiers: KeySet?,
    appDomain: String?
  ) throws(Problem) {
    if let twice = fields.firstRepeated {
      throw Problem(
        code: "invalid_request", message: "\(twice) is given more than once.",
        advice: "Give each parameter once.")
    }
    let claims = try fields["id_token_hint"].map { text throws(Problem) in
      try Self.claims(of: text, provider: provider, origin: origin, verifiers: verifiers)
    }
    let client = provider.registration.map { ExactString($0.clientID) }
    if let named = fields["client_id"], ExactString(named) != client {
      throw Problem(
        code: "invalid_client", message: "There is no app with this client_id.",
        advice: "Use the client id registered for \(provider.id) in the project's configuration.")
    }
    subject = claims?["sub"]?.string
    guard let address = fields["post_logout_redirect_uri"] else {
      target = nil
      return
    }
    guard claims != nil || fields["client_id"] != nil else {
      throw Problem(
        code: "invalid_request",
        message: "The app wants the browser back, but does not say which app it is.",
        advice: "Send id_token_hint or client_id with post_logout_redirect_uri.")
    }
    let registered = provider.registration?.postLogoutRedirectURIs ?? []
    guard RedirectRules(registered, appDomain: appDomain).admit(address) else {
      throw Problem(
        code: "redirect_uri_mismatch",
        message: "The address to go to after the sign-out is not registered for this app.",
        advice: "Register it in postLogoutRedirectUris, or use an http address on this machine.")
    }
    let joint = address.contains("?") ? "&" : "?"
    target = address + (fields["state"].map { joint + FormFields([("state", $0)]).encoded } ?? "")
  }

  /// The claims of an ID token of this provider, which may have expired (section 2).
  private static func claims(
    of text: String, provider: IdentityProvider, origin: String, verifiers: KeySet?
  ) throws(Problem) -> JSONObject {
    let foreign = Problem(
      code: "invalid_token", message: "id_token_hint is not an ID token of \(provider.name).",
      advice: "Send the ID token that the sign-in gave, unchanged.")
    guard let verifiers, let token = try? JWT(decoding: text),
      (try? token.verify(verifiers, algorithms: [.rs256])) != nil
    else { throw foreign }
    let claims = token.claims
    let issuer = provider.issuer(origin: origin, tenantID: claims["tid"]?.string)
    guard claims["iss"] == .string(issuer),
      claims["aud"] == provider.registration.map({ .string($0.clientID) })
    else { throw foreign }
    return claims
  }
}
