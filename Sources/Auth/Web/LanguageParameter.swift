/// By which parameter a provider's page is asked for a language.
enum LanguageParameter {
  /// The name for a provider; nil for those that document none and go by the browser's settings.
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
