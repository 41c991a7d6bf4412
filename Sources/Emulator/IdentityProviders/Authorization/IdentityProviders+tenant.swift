internal import Encoding

extension IdentityProviders {
  /// Whether Microsoft's path names a tenant that exists: it has people, or is one of the three words.
  func isKnownTenant(_ tenant: String) -> Bool {
    if ["common", "organizations", "consumers"].contains(tenant) { return true }
    if isSame(tenant, MicrosoftAccount.personalTenantID) { return true }
    return site.configuration.people.contains { isOf($0.microsoft, tenant: tenant) }
  }

  /// The page for a person whom the tenant of the request does not admit.
  func tenantRefusal(of person: Person, request: IncomingAuthorization) -> Notice? {
    guard request.provider.kind == .microsoft, let tenant = request.tenant else { return nil }
    let errors = ProviderErrors(provider: request.provider)
    let account = person.microsoft
    switch tenant {
    case "common": return nil
    case "organizations":
      return account.isPersonal
        ? errors.wrongKind(person, tenant: tenant, clientID: request.clientID) : nil
    case "consumers":
      return account.isPersonal
        ? nil : errors.wrongKind(person, tenant: tenant, clientID: request.clientID)
    default:
      return isOf(account, tenant: tenant)
        ? nil : errors.foreignAccount(person, tenant: tenant, clientID: request.clientID)
    }
  }

  /// The GUID of the tenant a path names, when it is one tenant.
  func tenantID(_ tenant: String?) -> String? {
    guard let tenant, tenant != "common", tenant != "organizations" else { return nil }
    if tenant == "consumers" { return MicrosoftAccount.personalTenantID }
    if isSame(tenant, MicrosoftAccount.personalTenantID) {
      return MicrosoftAccount.personalTenantID
    }
    return site.configuration.people.first { isOf($0.microsoft, tenant: tenant) }?.microsoft
      .tenantID
  }

  private func isOf(_ account: MicrosoftAccount, tenant: String) -> Bool {
    isSame(account.tenantID, tenant) || account.tenant.map { isSame($0, tenant) } ?? false
  }

  /// GUIDs and domains are compared without regard to case.
  private func isSame(_ one: String, _ other: String) -> Bool {
    ExactString(one.lowercased()) == ExactString(other.lowercased())
  }
}
