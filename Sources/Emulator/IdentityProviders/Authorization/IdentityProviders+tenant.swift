internal import System

extension IdentityProviders {
  /// Whether a tenant in Microsoft's path exists: it has test users, or is `common`, `organizations` or `consumers`.
  func isKnownTenant(_ tenant: String) -> Bool {
    if ["common", "organizations", "consumers"].contains(tenant) { return true }
    if isSame(tenant, MicrosoftAccount.personalTenantID) { return true }
    return context.configuration.people.contains { isOf($0.microsoft, tenant: tenant) }
  }

  /// The page for a user whom the request's tenant does not admit; nil when it does.
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

  /// The GUID of the tenant in a path; nil for `common`, `organizations` and unknown tenants.
  func tenantID(_ tenant: String?) -> String? {
    guard let tenant, tenant != "common", tenant != "organizations" else { return nil }
    if tenant == "consumers" { return MicrosoftAccount.personalTenantID }
    if isSame(tenant, MicrosoftAccount.personalTenantID) {
      return MicrosoftAccount.personalTenantID
    }
    return context.configuration.people.first { isOf($0.microsoft, tenant: tenant) }?.microsoft
      .tenantID
  }

  private func isOf(_ account: MicrosoftAccount, tenant: String) -> Bool {
    isSame(account.tenantID, tenant) || account.tenant.map { isSame($0, tenant) } ?? false
  }

  /// Compares GUIDs or domains without regard to case.
  private func isSame(_ one: String, _ other: String) -> Bool {
    ExactString(one.lowercased()) == ExactString(other.lowercased())
  }
}
