import System
import HTTP
import IdentityToolkit

extension AdminError {
  /// Converts a failed request for an access token.
  init(exchange error: BackendError, of account: ServiceAccount) {
    switch error {
    case .refused(let refusal):
      // OAuth's shape (RFC 6749 section 5.2): a lower case name, with a description.
      let words = refusal.detail ?? refusal.rawName
      let name = words.prefix { $0 != " " && $0 != ":" }
      guard refusal.status < 500, refusal.status != 429 else {
        self.init(
          refusal.status == 429 ? .tooManyRequests : .networkError,
          "\(account.tokenURL.origin) is busy or away: \(words)",
          hint: refusal.hint("try again in a while"), serverName: String(name))
        return
      }
      self.init(
        .invalidServiceAccount, "\(account.clientEmail) gets no access token: \(words)",
        hint: refusal.hint(Self.hint(String(name), words.lowercased())), serverName: String(name))
    case .transport(let cause):
      self.init(error.code, cause.message, hint: error.hint)
    case .unexpected(let status, let message, _) where status >= 500:
      // Google's front ends respond with a web page when their backend is unavailable.
      self.init(
        .networkError, "\(account.tokenURL.origin) is busy or away: \(message)",
        hint: "try again in a while", details: ["status": .integer(Int64(status))])
    case .unexpected(let status, let message, _):
      self.init(
        error.code == .internalError ? .invalidServiceAccount : error.code,
        "\(account.tokenURL.origin): \(message)",
        hint: error.code == .internalError
          ? "check the key's token_uri, and that nothing stands between" : error.hint,
        details: ["status": .integer(Int64(status))])
    }
  }

  /// Google's token endpoint reports most errors as `invalid_grant` with a sentence.
  private static func hint(_ name: String, _ words: String) -> String {
    func says(_ text: String) -> Bool { words.contains(text) }
    switch name {
    case "invalid_grant" where says("timeframe") || says("iat") || says("expired"):
      return "check this machine's clock: the times in a signed request may be off by minutes only"
    case "invalid_grant" where says("signature") || says("key"):
      return "the key was deleted or is another account's: make a new key in the console"
    case "invalid_grant" where says("not found"):
      return "the service account was deleted: make another one, and a key for it"
    case "invalid_grant" where says("disabled"), "disabled_client", "account_disabled":
      return "the service account is switched off: enable it in the console"
    case "invalid_scope", "unauthorized_client", "access_denied":
      return "the account may not have these scopes: ask whoever administrates the organization"
    default:
      return "check in the console that the service account and this key of it exist"
    }
  }
}
