/// The parameter for the language of a provider's page.
enum LanguageParameter {
  /// The parameter's name; nil for providers that document none and use the browser's language.
  static func name(for providerID: String) -> String? {
    switch providerID {
    case "google.com": "hl"
    case "facebook.com", "apple.com": "locale"
    case "twitter.com": "lang"
    case "yahoo.com": "language"
    // OpenID Connect Core section 3.1.2.1.
    default: providerID.hasPrefix("oidc.") ? "ui_locales" : nil
    }
  }
}
