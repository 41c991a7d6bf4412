internal import System
internal import HTTP

/// The client id and secret of a token request, in the header or the body (RFC 6749 section 2.3.1).
struct ClientAuthentication {
  private var id: String?
  private var secret: String?
  private var isDoubled = false
  private var isMalformed = false

  init(_ request: HTTPRequest, form: FormFields) {
    id = form["client_id"]
    secret = form["client_secret"]
    guard let header = request.headers["Authorization"] else { return }
    guard header.lowercased().hasPrefix("basic "),
      let bytes = Base64.decode(String(header.dropFirst(6)).filter { $0 != " " }),
      let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":"),
      // Both parts are form-encoded before they are joined.
      let name = PercentEncoding.decode(String(text[..<colon]), plusIsSpace: true),
      let word = PercentEncoding.decode(
        String(text[text.index(after: colon)...]), plusIsSpace: true)
    else {
      isMalformed = true
      return
    }
    isDoubled = secret != nil || id.map { ExactString($0) != ExactString(name) } ?? false
    id = name
    secret = word
  }

  /// Why the client may not receive tokens (RFC 6749 section 5.2); nil when it may.
  func refusal(
    by provider: IdentityProvider, mayOmitSecret: Bool = false
  ) -> (status: Int, error: String, description: String)? {
    let number = provider.kind == .microsoft
    if isMalformed { return (401, "invalid_client", "the Authorization header is not understood") }
    if isDoubled {
      return (400, "invalid_request", "the client authenticates in the header and in the body")
    }
    guard let id else { return (400, "invalid_request", "client_id is missing") }
    guard let registration = provider.registration,
      ExactString(id) == ExactString(registration.clientID)
    else {
      return (
        401, "invalid_client",
        (number ? "AADSTS700016: " : "") + "there is no client with this client_id"
      )
    }
    switch (registration.clientSecret, secret) {
    case (nil, nil): return nil
    case (nil, _?):
      return (
        401, "invalid_client",
        (number ? "AADSTS700025: " : "") + "the client is public and has no secret"
      )
    case (_?, nil) where mayOmitSecret: return nil
    case (_?, nil):
      return (
        401, "invalid_client", (number ? "AADSTS7000218: " : "") + "client_secret is missing"
      )
    case (let expected?, let given?):
      if constantTimeEqual(expected.reveal(), given) { return nil }
      return (
        401, "invalid_client", (number ? "AADSTS7000215: " : "") + "client_secret is not right"
      )
    }
  }
}
