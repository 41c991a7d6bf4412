import System
import HTTP

/// A provider's authorization response, from the query, the fragment or a posted body.
struct AuthorizationAnswer {
  typealias Mode = AuthorizationOptions.ResponseMode

  private static let names = ["state", "iss", "code", "id_token", "error", "access_token"]

  private let fields: FormFields

  /// Parses a response, which must have arrived at the requested address and by the requested mode.
  init(
    _ finalURL: String, postBody: Secret?, to redirectURI: WebURL, by mode: Mode
  ) throws(OIDCError) {
    guard let url = WebURL(finalURL) else {
      throw OIDCError(
        .redirectMismatch, "the final address is not an absolute http or https address",
        hint: "pass the whole address the browser came back to")
    }
    var pairs = url.fields.pairs
    // The redirect address may have its own query, which must come back unchanged.
    for own in redirectURI.fields.pairs {
      guard let place = pairs.firstIndex(where: { $0 == own }) else { throw .redirect(redirectURI) }
      pairs.remove(at: place)
    }
    guard url.origin == redirectURI.origin, url.path == redirectURI.path else {
      throw .redirect(redirectURI)
    }
    let query = FormFields(pairs.map { ($0.name, $0.value) })
    fields = try Self.choose(
      mode,
      among: [
        (.query, query), (.fragment, url.fragmentFields),
        (.formPost, FormFields(parsing: postBody?.reveal() ?? "")),
      ])
    // RFC 6749 section 3.1: no parameter may occur twice, because it is unclear which one counts.
    for name in Self.names {
      guard fields.all(name).count > 1 else { continue }
      throw OIDCError(
        .unexpectedAnswer, "the answer carries \(name) twice",
        hint: "pass the address as the browser came back to it; two values are one too many")
    }
  }

  /// Returns the parameters of the requested response mode; rejects a response in several places.
  ///
  /// A provider that did not understand the request may report an error in its default mode; such
  /// an error contains nothing to redeem.
  private static func choose(
    _ mode: Mode, among places: [(mode: Mode, fields: FormFields)]
  ) throws(OIDCError) -> FormFields {
    let found = places.filter { place in names.contains { place.fields[$0] != nil } }
    guard let place = found.first else { return FormFields([]) }
    guard found.count == 1 else {
      throw OIDCError(
        .unexpectedAnswer, "the answer came in more than one place",
        hint: "pass the address as the browser came back to it, with nothing added")
    }
    let isBareError =
      place.fields["error"]?.isEmpty == false
      && !["code", "id_token", "access_token"].contains { place.fields[$0] != nil }
    guard place.mode == mode || isBareError else {
      throw OIDCError(
        .unexpectedAnswer, "the answer came by \(place.mode.rawValue), not by \(mode.rawValue)",
        hint: "ask for responseMode \(place.mode.rawValue) if the provider knows no other; "
          + "otherwise do not trust this answer")
    }
    return place.fields
  }

  /// A parameter that is present and not empty.
  subscript(name: String) -> String? {
    guard let value = fields[name], !value.isEmpty else { return nil }
    return value
  }

  /// Returns the provider's error, if the response is one.
  ///
  /// Removes `secrets`, and those of the response itself, from its text.
  func failure(without secrets: [Secret]) -> OIDCError? {
    guard let error = self["error"] else { return nil }
    let own = ["state", "code", "id_token", "access_token"].compactMap { self[$0] }
    let secrets = secrets + own.map { Secret($0) }
    let name = errorName(error, without: secrets)
    var message = "the provider ended the sign-in with "
    message += name ?? "an error without a usable name"
    let text = self["error_description"] ?? ""
    if !text.isEmpty { message += " (\(harmless(text, without: secrets)))" }
    if RedirectComplaint.isMade(by: name, text) {
      return OIDCError(
        .redirectNotRegistered, message, hint: RedirectComplaint.hint, providerError: name)
    }
    return OIDCError(
      name == "access_denied" ? .denied : .providerError, message, hint: Self.hint(for: name),
      providerError: name)
  }

  /// RFC 6749 section 4.1.2.1 and OpenID Connect Core section 3.1.2.6 list these names.
  private static func hint(for name: String?) -> String {
    switch name {
    case "access_denied": "agree to what the provider asks, or ask for fewer scopes"
    case "invalid_scope": "ask for scopes the provider knows and the client may have"
    case "login_required", "interaction_required", "consent_required",
      "account_selection_required":
      "leave prompt=none out, so that the page may ask"
    case "unauthorized_client", "invalid_client", "unsupported_response_type":
      "check the client identifier and the client's registration at the provider"
    case "temporarily_unavailable", "server_error": "wait a while and begin again"
    default: "check the request and the client's registration at the provider, then begin again"
    }
  }
}

extension OIDCError {
  fileprivate static func redirect(_ expected: WebURL) -> OIDCError {
    OIDCError(
      .redirectMismatch, "the browser did not come back to \(expected.origin)\(expected.path)",
      hint: "pass the address at which this sign-in ended, and register its redirect address")
  }
}
