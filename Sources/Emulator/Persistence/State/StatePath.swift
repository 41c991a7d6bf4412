internal import Encoding

/// The names of the collections of a state file.
///
/// Ids are percent-encoded in them, so that no id can be taken for the end of one or for another project.
enum StatePath: Equatable {
  /// What belongs to the emulator as a whole: its clock.
  case emulator
  /// The private keys, by purpose.
  case keys
  /// How password hashes were made, by number.
  case hashings
  /// The settings of projects that differ from those the emulator starts with, by project.
  case projects
  /// The tenants of a project, by id.
  case tenants(project: String)
  /// One store of a project or tenant.
  case store(Store, project: String, tenant: String?)

  /// The stores of a backend.
  enum Store: String, CaseIterable {
    case accounts, sessions, codes, verifications, proofs
  }

  /// What the names of all collections of a tenant begin with.
  static func prefix(project: String, tenant: String?) -> String {
    let start = "projects/\(PercentEncoding.encode(project))/"
    guard let tenant else { return start }
    return "\(start)tenants/\(PercentEncoding.encode(tenant))/"
  }

  /// The collection's name.
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

  /// Reads a name back; nil when it is none of these.
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
