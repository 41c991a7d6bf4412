/// The providers' errors with their original codes and our own messages.
struct ProviderErrors: Sendable {
  enum Trouble { case missing, malformed, responseType, scope, declined, silent, consentNeeded }

  let provider: IdentityProvider

  /// An error description; Microsoft's start with a code.
  func say(_ trouble: Trouble, _ text: String) -> String {
    guard provider.kind == .microsoft else { return text }
    let number =
      switch trouble {
      case .missing: "AADSTS900144"
      case .malformed: "AADSTS90014"
      case .responseType: "AADSTS700054"
      case .scope: "AADSTS650053"
      case .declined: "AADSTS65004"
      case .silent: "AADSTS50058"
      case .consentNeeded: "AADSTS65001"
      }
    return "\(number): \(text)"
  }

  func unknownClient(_ clientID: String?) -> Notice {
    Notice(
      code: code(microsoft: "AADSTS700016", other: "invalid_client"),
      message: clientID == nil
        ? "The request names no app: client_id is missing or given twice."
        : "\(provider.name) has no app with this client id.",
      advice: "Use the client id registered for \(provider.id) in the project's configuration.",
      facts: clientID.map { [("client_id", $0)] } ?? [])
  }

  func unregisteredRedirect(_ address: String?) -> Notice {
    Notice(
      code: code(microsoft: "AADSTS50011", other: "redirect_uri_mismatch"),
      message: address == nil
        ? "The request has no redirect_uri, or has it twice."
        : "The redirect address is not registered for this app.",
      advice:
        "Register the project's handler page, https://DOMAIN/__/auth/handler with its authDomain, "
        + "or use an http address on this machine.",
      facts: address.map { [("redirect_uri", $0)] } ?? [])
  }

  func yahooPermissions(asked: [String], permitted: [String]) -> Notice {
    Notice(
      code: "invalid_scope",
      message: "The app asks for other permissions than it was registered with.",
      advice:
        "The scopes must match the app's API permissions exactly: change the scopes, or the "
        + "permissions of yahoo.com in the project's configuration.",
      facts: [
        ("Asked for", asked.joined(separator: " ")),
        ("Registered", permitted.isEmpty ? "none" : permitted.joined(separator: " ")),
      ])
  }

  func unknownTenant(_ tenant: String) -> Notice {
    Notice(
      code: "AADSTS90002",
      message: "There is no tenant \(tenant).",
      advice:
        "Check the tenant parameter: a tenant's GUID or domain, common, organizations or consumers.",
      facts: [("tenant", tenant)])
  }

  func foreignAccount(_ person: Person, tenant: String, clientID: String) -> Notice {
    let home = person.microsoft.tenant ?? "a personal Microsoft account"
    return Notice(
      status: 403, code: "AADSTS50020",
      message:
        "The account \(person.email) is of \(home) and does not exist in the tenant \(tenant), so it "
        + "cannot use this app there.",
      advice:
        "Sign in with an account of that tenant, or have its administrator invite this one as a guest.",
      facts: [("Account", person.email), ("Tenant", tenant), ("App", clientID)],
      offersOtherAccount: true)
  }

  func wrongKind(_ person: Person, tenant: String, clientID: String) -> Notice {
    let wanted = tenant == "consumers" ? "personal" : "work and school"
    return Notice(
      status: 403, code: "AADSTS50020",
      message:
        "The account \(person.email) cannot be used here: this app takes \(wanted) accounts only.",
      advice: "Sign in with another account, or ask the app for the tenant common.",
      facts: [("Account", person.email), ("Tenant", tenant), ("App", clientID)],
      offersOtherAccount: true)
  }

  var endedSignIn: Notice {
    Notice(
      code: code(microsoft: "AADSTS50196", other: "sign_in_ended"),
      message: "This sign-in is over, or it was begun in another browser.",
      advice: "Go back to the app and start again.")
  }

  var forgedForm: Notice {
    Notice(
      status: 403, code: code(microsoft: "AADSTS90036", other: "forged_form"),
      message: "The form did not come from this page.",
      advice: "Go back to the app and start again.")
  }

  private func code(microsoft: String, other: String) -> String {
    provider.kind == .microsoft ? microsoft : other
  }
}
