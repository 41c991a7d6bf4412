internal import System

/// The names of the collections in a state file.
///
/// Ids are percent-encoded, so that an id with a slash cannot form another name.
enum StatePath: Equatable {
  /// The state of the whole emulator: its clock.
  case emulator
  case keys
  /// The parameters of password hashes, by number.
  case hashings
  /// The settings that differ from the initial ones, by project.
  case projects
  case tenants(project: String)
  case store(Store, project: String, tenant: String?)

  enum Store: String, CaseIterable {
    case accounts, sessions, codes, verifications, proofs
  }

  /// The common prefix of the names of a tenant's collections, or of a project's when `tenant` is nil.
  static func prefix(project: String, tenant: String?) -> String {
    let start = "projects/\(PercentEncoding.encode(project))/"
    guard let tenant else { return start }
    return "\(start)tenants/\(PercentEncoding.encode(tenant))/"
  }

  var name: String {
    switch self {
    case .emulator: "emulator/"
    case .keys: "keys/"
    case .hashings: "hashings/"
    case .projects: "projects/"
    case .tenants(let project): "\(Self.prefix(project: project, tenant: nil))tenants/"
    case .store(let store, let project, let tenant):
      "\(Self.prefix(project: project, tenant: tenant))\(store.rawValue)/"
    }
  }

  /// The inverse of `name`; nil for an unknown name.
  init?(name: String) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map {
      PercentEncoding.decode(String($0)) ?? ""
    }
    switch (parts.count, parts[0]) {
    case (2, "emulator"): self = .emulator
    case (2, "keys"): self = .keys
    case (2, "hashings"): self = .hashings
    case (2, "projects"): self = .projects
    case (4, "projects") where parts[2] == "tenants": self = .tenants(project: parts[1])
    case (4, "projects"):
      guard let store = Store(rawValue: parts[2]) else { return nil }
      self = .store(store, project: parts[1], tenant: nil)
    case (6, "projects") where parts[2] == "tenants":
      guard let store = Store(rawValue: parts[4]) else { return nil }
      self = .store(store, project: parts[1], tenant: parts[3])
    default: return nil
    }
  }
}
