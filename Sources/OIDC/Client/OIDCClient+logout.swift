import System
public import HTTP

extension OIDCClient {
  /// Creates the request that signs the user out at the provider, to be opened in a browser.
  ///
  /// `presentation` is the address at which a delegate listens.
  public func logout(
    _ options: LogoutOptions = LogoutOptions(), presentation: WebURL? = nil
  ) throws(OIDCError) -> OIDCLogout {
    let endpoint = try endpoint("end_session_endpoint", for: "sign-out")
    let text = presentation?.with(fragment: nil).description ?? options.redirectURI
    let state = text == nil ? nil : Secret(SecureRandom.token())
    let values: [(String, String?)] = [
      ("client_id", credentials.id), ("id_token_hint", options.idToken?.reveal()),
      ("post_logout_redirect_uri", text), ("state", state?.reveal()),
      ("logout_hint", options.logoutHint),
      ("ui_locales", options.uiLocales.isEmpty ? nil : options.uiLocales.joined(separator: " ")),
    ]
    let fields = FormFields(values.compactMap { name, value in value.map { (name, $0) } })
    let redirectURI: WebURL?
    if let text {
      redirectURI = try trustedAddress(text, "the redirect address")
    } else {
      redirectURI = nil
    }
    let query = [endpoint.query, fields.encoded].compactMap(\.self).filter { !$0.isEmpty }
    return OIDCLogout(
      url: endpoint.with(query: query.joined(separator: "&")), redirectURI: redirectURI,
      state: state,
      secrets: [options.idToken].compactMap(\.self) + credentials.secrets)
  }
}
