/// The fields of sign-in pages that are not secret.
public enum ShownFields {
  /// The field names in lower case.
  ///
  /// Any other field of a page may contain a code or the answer to a question.
  public static let ofPages: Set<String> = [
    "username", "user", "login", "email", "e-mail", "login_hint", "loginfmt", "hint", "account",
    "consent", "scope", "scopes", "response_type", "response_mode", "client_id", "redirect_uri",
    "prompt", "display", "locale", "hl", "lang", "ui_locales", "action", "accept", "deny", "button",
    "submit", "remember", "providerid", "grant_type", "code_challenge_method", "error",
    "error_description", "tenant",
  ]
}
