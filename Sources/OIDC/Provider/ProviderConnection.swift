import Encoding
import HTTP

/// Asks one provider for JSON documents.
struct ProviderConnection {
  let transport: any Transport

  /// The JSON object at an address; `name` says what it is, for error messages.
  func object(
    at url: WebURL, _ name: String, headers: HTTPHeaders = [:]
  ) async throws(OIDCError) -> JSONObject {
    var request = HTTPRequest(url: url, headers: headers)
    request.headers.set("Accept", "application/json")
    let response = try await answer(to: request)
    guard response.status == 200 else {
      throw unexpected("\(url.withoutQuery) answers with status \(response.status) for \(name)")
    }
    return try object(in: response, name)
  }

  func answer(to request: HTTPRequest) async throws(OIDCError) -> HTTPResponse {
    var request = request
    // No provider's document comes near this; more would be an attack or a mistake.
    request.maximumResponseBytes = 1 << 20
    request.timeout = .seconds(15)
    do throws(HTTPError) {
      return try await transport.send(request)
    } catch {
      throw OIDCError(error, at: request.url)
    }
  }

  func object(in response: HTTPResponse, _ name: String) throws(OIDCError) -> JSONObject {
    if let object = try? response.json().object { return object }
    throw unexpected(
      "\(response.url.withoutQuery) answers with something other than JSON for \(name)")
  }

  func unexpected(_ message: String) -> OIDCError {
    OIDCError(
      .unexpectedAnswer, message,
      hint: "check the issuer in the provider's configuration, and that the server is well")
  }
}

extension OIDCError {
  /// A provider that could not be asked.
  init(_ error: HTTPError, at url: WebURL? = nil) {
    let message = url.map { "\($0.withoutQuery): \(error.message)" } ?? error.message
    if error.code == .tooLarge {
      self.init(
        .unexpectedAnswer, message,
        hint: "check the address; no document of a provider is larger than a mebibyte")
      return
    }
    self.init(error.code == .cancelled ? .cancelled : .transport, message, hint: error.hint)
  }

  /// The same failure under a code that says which document it is about.
  func named(_ code: Code, hint: String) -> OIDCError {
    guard self.code == .unexpectedAnswer else { return self }
    return OIDCError(code, message, hint: hint, providerError: providerError)
  }
}

extension WebURL {
  /// The address without its query, which may hold secrets.
  var withoutQuery: String { "\(origin)\(path)" }
}

/// Reads an address that tokens may be sent to or keys taken from.
///
/// OpenID Connect asks for TLS throughout; plain http is for servers on this machine only.
func trustedAddress(_ text: String?, _ name: String) throws(OIDCError) -> WebURL {
  guard let url = text.flatMap(WebURL.init), url.scheme == "https" || url.isLoopback else {
    if let text, hasUserInfo(text) {
      throw OIDCError(
        .unusableAddress, "\(name) holds a user name",
        hint: "leave out what stands before the @; credentials do not belong into addresses")
    }
    throw OIDCError(
      .unusableAddress, "\(name) is not an https address",
      hint: "use https; plain http is for this machine's own addresses only")
  }
  guard url.fragment == nil else {
    throw OIDCError(
      .unusableAddress, "\(name) has a fragment",
      hint: "leave out the # and what follows; answers and tokens need an address without it")
  }
  return url
}

/// Whether an @ stands between the scheme and the path.
private func hasUserInfo(_ text: String) -> Bool {
  guard let mark = text.firstRange(of: "://") else { return false }
  return text[mark.upperBound...].prefix { !"/?#".contains($0) }.contains("@")
}
