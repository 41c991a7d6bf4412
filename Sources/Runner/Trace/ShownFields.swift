/// The fields of sign-in pages that hold no secret.
enum ShownFields {
  /// Their names, in lower case.
  ///
  /// What else a page asks for may be a code or an answer to a question, under any name.
  static let ofPages: Set<String> = [
    "username", "user", "login", "email", "e-mail", "login_hint", "loginfmt", "hint", "account",
    "consent", "scope", "scopes", "response_type", "response_mode", "client_id", "redirect_uri",
    "prompt", "display", "locale", "hl", "lang", "ui_locales", "action", "accept", "deny", "button",
    "submit", "remember", "providerid", "grant_type", "code_challenge_method", "error",
    "error_description", "tenant",
  ]
}
