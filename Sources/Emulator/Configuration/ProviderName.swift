internal import System

extension ProjectConfiguration {
  /// The name of a sign-in method on pages: "Google" for `google.com`.
  ///
  /// An OpenID Connect or SAML provider has the name of its registration, or the part of its id that the project chose.
  func name(ofProvider id: String) -> String {
    if let name = providers[id]?.displayName, !name.isEmpty { return name }
    if let known = ProviderCollection.known.first(where: { $0.id == id }) { return known.name }
    switch id {
    case "password": return "Password"
    case "emailLink": return "E-mail link"
    case "phone": return "Phone"
    case "anonymous": return "Anonymous"
    case _ where id.hasPrefix("oidc.") || id.hasPrefix("saml."): return String(id.dropFirst(5))
    default: return id
    }
  }
}

extension Project {
  /// The name of a tenant on pages: its display name, otherwise its id.
  func name(ofTenant id: String) -> String {
    let name = tenants[ExactString(string: id)]?.settings["displayName"]?.string ?? ""
    return name.isEmpty ? id : name
  }
}
