internal import System

/// A page or resource of the dashboard.
enum DashboardPath {
  case overview
  case style, script, stream
  case log
  case exchange(Int)
  case rules
  case faults
  case users(Scope), newUser(Scope), user(Scope)
  case codes(Scope)
  case settings(project: String)

  /// The accounts a page shows: a project's, or those of one of its tenants.
  struct Scope {
    let project: String
    var tenant: String?

    /// The dashboard URL of a section, such as `users`.
    func address(_ section: String) -> String {
      var path = "/emulator/ui/projects/\(PercentEncoding.encode(project))"
      if let tenant { path += "/tenants/\(PercentEncoding.encode(tenant))" }
      return "\(path)/\(section)"
    }

    /// The URL of one account; the uid is in the query, since it may be `..`.
    func address(user uid: String) -> String {
      "\(address("user"))?uid=\(PercentEncoding.encode(uid))"
    }

    /// The administrator's API path of an operation, such as `accounts:update`.
    func operation(_ name: String) -> String {
      var path = "/identitytoolkit.googleapis.com/v1/projects/\(PercentEncoding.encode(project))"
      if let tenant { path += "/tenants/\(PercentEncoding.encode(tenant))" }
      return "\(path)/\(name)"
    }
  }

  static let root = "/emulator/ui"

  /// Returns nil for a path that no page has.
  init?(path: String) {
    var parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3)
      .map { PercentEncoding.decode(String($0)) ?? "" }
    if parts.last == "" { parts.removeLast() }
    switch (parts.first, parts.count) {
    case (nil, _): self = .overview
    case ("style.css", 1): self = .style
    case ("script.js", 1): self = .script
    case ("stream", 1): self = .stream
    case ("log", 1): self = .log
    case ("log", 2):
      guard let number = Int(parts[1]) else { return nil }
      self = .exchange(number)
    case ("rules", 1): self = .rules
    case ("faults", 1): self = .faults
    case ("projects", 3): self.init(Scope(project: parts[1]), section: parts[2])
    case ("projects", 5) where parts[2] == "tenants":
      self.init(Scope(project: parts[1], tenant: parts[3]), section: parts[4])
    default: return nil
    }
  }

  private init?(_ scope: Scope, section: String) {
    switch section {
    case "users": self = .users(scope)
    case "new-user": self = .newUser(scope)
    case "user": self = .user(scope)
    case "codes": self = .codes(scope)
    case "settings" where scope.tenant == nil: self = .settings(project: scope.project)
    default: return nil
    }
  }
}
