/// A test user's account at Microsoft: a work or school account of a tenant, or a personal account.
struct MicrosoftAccount: Sendable, Equatable {
  /// The tenant of all personal accounts; Microsoft uses this id everywhere.
  static let personalTenantID = "9188040d-6c67-4c5b-b112-36a304b66dad"

  /// The domain of the tenant, or nil for a personal account.
  let tenant: String?
  /// The GUID of the tenant, the `tid` claim.
  let tenantID: String
  /// The `oid` claim: the user's object id, the same for every app.
  let oid: String

  /// An account of `tenant`, or a personal one; omitted ids are derived from the e-mail address.
  init(email: String, tenant: String? = nil, tenantID: String? = nil, oid: String? = nil) {
    self.tenant = tenant
    if let tenant {
      self.tenantID = tenantID ?? StableID.guid(for: "tenant", tenant)
      self.oid = oid ?? StableID.guid(for: "oid", email)
    } else {
      self.tenantID = Self.personalTenantID
      // A personal account's oid is its 16-digit id, padded with zeros to the shape of a GUID.
      self.oid = oid ?? "00000000-0000-0000-" + StableID.guid(for: "oid", email).suffix(17)
    }
  }

  /// Whether the account is a personal one (outlook.com and the like).
  var isPersonal: Bool { tenant == nil }

  /// The Graph profile's `id`: the oid of a work account, the last sixteen digits of a personal one.
  var graphID: String {
    isPersonal ? String(oid.filter { $0 != "-" }.suffix(16)) : oid
  }
}
