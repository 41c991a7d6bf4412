/// What the identity providers accept in `customParameters` and `scopes`, for completion.
///
/// From Firebase's guides and the providers' own documents; `oidc.` stands for every OpenID Connect provider.
enum ProviderValues {
  private typealias Row = (name: String, providers: [String])

  private static let parameters: [Row] = [
    ("acr_values", ["oidc."]), ("allow_signup", ["github.com"]), ("auth_type", ["facebook.com"]),
    ("display", ["facebook.com"]), ("domain_hint", ["microsoft.com"]), ("hd", ["google.com"]),
    ("include_granted_scopes", ["google.com"]), ("lang", ["twitter.com"]),
    ("language", ["yahoo.com"]), ("locale", ["apple.com"]), ("login", ["github.com"]),
    ("login_hint", ["google.com", "microsoft.com", "oidc."]),
    ("max_age", ["yahoo.com", "oidc."]),
    ("prompt", ["google.com", "microsoft.com", "oidc.", "yahoo.com"]),
    ("tenant", ["microsoft.com"]), ("ui_locales", ["oidc."]),
  ]

  private static let scopes: [Row] = [
    ("address", ["oidc."]), ("calendars.read", ["microsoft.com"]),
    ("contacts.read", ["microsoft.com"]),
    ("email", ["apple.com", "facebook.com", "google.com", "microsoft.com", "oidc.", "yahoo.com"]),
    ("files.read", ["microsoft.com"]),
    ("https://www.googleapis.com/auth/calendar.readonly", ["google.com"]),
    ("https://www.googleapis.com/auth/contacts.readonly", ["google.com"]),
    ("https://www.googleapis.com/auth/drive.readonly", ["google.com"]),
    ("mail-r", ["yahoo.com"]), ("mail.read", ["microsoft.com"]), ("name", ["apple.com"]),
    ("offline_access", ["microsoft.com", "oidc."]),
    ("openid", ["google.com", "microsoft.com", "oidc.", "yahoo.com"]), ("phone", ["oidc."]),
    ("profile", ["google.com", "microsoft.com", "oidc.", "yahoo.com"]),
    ("public_profile", ["facebook.com"]), ("read:user", ["github.com"]), ("repo", ["github.com"]),
    ("sdct-w", ["yahoo.com"]), ("user.read", ["microsoft.com"]), ("user:email", ["github.com"]),
  ]

  /// The values of the parameter `prompt` (OpenID Connect Core, section 3.1.2.1).
  static let prompts = ["consent", "login", "none", "select_account"]

  /// The parameters of a provider, each with the providers that accept it; nil stands for any provider.
  static func parameters(of providerID: String?) -> [Completions.Item] {
    items(parameters, providerID)
  }

  /// The scopes of a provider, each with the providers that have it; nil stands for any provider.
  static func scopes(of providerID: String?) -> [Completions.Item] { items(scopes, providerID) }

  private static func items(_ rows: [Row], _ providerID: String?) -> [Completions.Item] {
    let key = providerID.map { $0.hasPrefix("oidc.") ? "oidc." : $0 }
    return rows.filter { row in key.map(row.providers.contains) ?? true }.map { row in
      Completions.Item(
        row.name, note: row.providers.map { $0 == "oidc." ? "oidc.*" : $0 }.joined(separator: ", "))
    }
  }
}
