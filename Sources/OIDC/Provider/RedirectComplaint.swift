/// Recognizes error messages about a redirect URI that is not registered for the client.
///
/// No specification has an error code for it, because the error cannot be sent to that address.
public enum RedirectComplaint {
  /// The hint for such errors.
  static let hint =
    "register the redirect URI for the client at the provider, letter for letter"

  private static let names = [
    "redirect uri", "redirect url", "redirect address", "redirecturi", "redirecturl",
    "redirection uri", "redirection url", "reply url", "reply address", "callback url",
    "callback uri", "callback address", "return url",
  ]
  private static let verdicts = [
    "regist", "whitelist", "white list", "allow", "match", "invalid", "not valid", "unknown",
    "permit", "illegal", "wrong", "incorrect", "unauthor", "not authorized", "must", "refus",
    "accept", "support", "bad ", "not found",
  ]

  /// Whether a text mentions a redirect URI.
  public static func isMentioned(in text: String) -> Bool {
    let plain = plain(text)
    return names.contains { plain.contains($0) }
  }

  /// Whether a text rejects a redirect URI; a page may also just repeat one from the request.
  public static func isMade(in text: String) -> Bool {
    plain(text).split(separator: ". ").contains { sentence in
      let isNamed = names.contains { sentence.contains($0) } || sentence.contains("redirect ")
      return isNamed && verdicts.contains { sentence.contains($0) }
    }
  }

  /// Whether an endpoint's error or a response rejects a redirect URI.
  ///
  /// A code redeemed with another address than it was issued for is `invalid_grant`, which has
  /// nothing to do with the registration.
  static func isMade(by name: String?, _ description: String) -> Bool {
    guard name != "invalid_grant" else { return false }
    return isMentioned(in: name ?? "") || isMentioned(in: description) && isMade(in: description)
  }

  private static func plain(_ text: String) -> String {
    String(text.lowercased().map { $0 == "_" || $0 == "-" ? " " : $0 })
  }
}
