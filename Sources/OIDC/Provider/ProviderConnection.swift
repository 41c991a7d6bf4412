import System
import HTTP

/// Fetches JSON documents from a provider.
struct ProviderConnection {
  let transport: any Transport

  /// Returns the JSON object at a URL; `name` is its description in error messages.
  func object(
    at url: WebURL, _ name: String, headers: HTTPHeaders = [:]
  ) async throws(OIDCError) -> JSONObject {
    var request = HTTPRequest(url: url, headers: headers)
    request.headers.set("Accept", "application/json")
    let response = try await answer(to: request)
    guard response.status == 200 else {
      throw unexpected("\(url.withoutQuery) returned status \(response.status) for \(name)")
    }
    return try object(in: response, name)
  }

  func answer(to request: HTTPRequest) async throws(OIDCError) -> HTTPResponse {
    var request = request
    // No provider's document comes near this size.
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
      "\(response.url.withoutQuery) returned something other than JSON for \(name)")
  }

  func unexpected(_ message: String) -> OIDCError {
    OIDCError(
      .unexpectedAnswer, message,
      hint: "check the issuer in the provider's configuration, and that the server is well")
  }
}

extension OIDCError {
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

  /// Returns the error with a code and hint for a certain document, if the response was unexpected.
  func named(_ code: Code, hint: String) -> OIDCError {
    guard self.code == .unexpectedAnswer else { return self }
    return OIDCError(code, message, hint: hint, providerError: providerError)
  }
}

extension WebURL {
  /// The URL without its query, which may contain secrets.
  var withoutQuery: String { "\(origin)\(path)" }
}

/// Parses a URL to which tokens may be sent or from which keys may be fetched.
///
/// OpenID Connect requires TLS throughout; plain http is allowed on this machine only.
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
      hint: "leave out the # and all after it")
  }
  return url
}

/// Whether there is an @ between scheme and path.
private func hasUserInfo(_ text: String) -> Bool {
  guard let mark = text.firstRange(of: "://") else { return false }
  return text[mark.upperBound...].prefix { !"/?#".contains($0) }.contains("@")
}
