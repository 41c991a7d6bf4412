import Client
public import Emulator
import IdentityToolkit

/// What to write into the project file when the emulated project lacks a provider or a test user.
public struct ProjectFileAdvice: Sendable {
  /// The name of the project file; nil if there is none.
  private let name: String?
  private let configuration: ProjectConfiguration
  /// Whether the project is that of an emulator that this process did not start, with settings not known here.
  private let isElsewhere: Bool

  /// Advice for a project; `path` is that of its file, nil if there is none.
  public init(path: String?, _ configuration: ProjectConfiguration) {
    name = path.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
    self.configuration = configuration
    isElsewhere = false
  }

  private init() {
    name = "luath.lua"
    configuration = .demo
    isElsewhere = true
  }

  /// Advice for an emulator that this process did not start.
  static let elsewhere = ProjectFileAdvice()

  /// The hint for the error of a provider that is off; nil if the project file is not the reason.
  func hint(for error: AuthError) -> String? {
    guard error.code == .operationNotAllowed, let id = error.refusedProvider else { return nil }
    guard ProviderConfiguration.isConfigurable(id) else {
      return "the emulator has no pages of \(id); it has those of microsoft.com, yahoo.com, "
        + "google.com and of OpenID Connect providers, such as oidc.corp"
    }
    let entry = Self.entry(id)
    guard let known = configuration.providers[id] else {
      guard let name else {
        return "write this luath.lua: return { project = { people = \"any\", \(Self.list(id)) } }"
      }
      return configuration.listsProviders
        ? "in \(name), add \(entry) = \(Self.settings(id)) to providers of project"
        : "in \(name), add this to project: \(Self.list(id))"
    }
    guard !known.isEnabled, let name else { return nil }
    return "in \(name), remove enabled = false from \(entry) in providers of project"
  }

  private static func list(_ id: String) -> String {
    var ids = ProjectConfiguration.demo.providers.keys.sorted()
    if !ids.contains(id) { ids.insert(id, at: 0) }
    let entries = ids.map { "\(entry($0)) = \(settings($0))" }
    return "providers = { \(entries.joined(separator: ", ")) }"
  }

  /// A provider's id as a key of a table.
  private static func entry(_ id: String) -> String { id.contains(".") ? "[\"\(id)\"]" : id }

  /// A provider's settings: those of the demo project, for its providers.
  private static func settings(_ id: String) -> String {
    let provider = ProjectConfiguration.demo.providers[id]
    if let name = provider?.issuerName { return "{ issuerName = \"\(name)\" }" }
    if provider?.usesIDTokenFlow == true { return "{ flow = \"idToken\" }" }
    let permissions = (provider?.permissions ?? []).map { "\"\($0)\"" }.joined(separator: ", ")
    return permissions.isEmpty ? "{}" : "{ permissions = { \(permissions) } }"
  }
}

extension ProjectFileAdvice {
  /// The hint for a missing test user.
  ///
  /// - Parameters:
  ///   - email: The address that the script asks for; nil for any.
  ///   - tenant: The tenant that the script asks Microsoft for: a GUID, a domain, `organizations` or `consumers`; nil
  ///     for any.
  func hint(forUser email: String?, in tenant: String?) -> String {
    guard let name else {
      return "write this luath.lua: return { project = { people = \"any\" } }"
    }
    guard !isElsewhere else {
      return "in the \(name) of the emulator, write people = \"any\" in project, and start it again"
    }
    // A list would replace the demo project's test users.
    guard configuration.listsPeople else { return "in \(name), add people = \"any\" to project" }
    let email = email ?? newAddress(in: tenant)
    let account = Self.account(of: email, in: tenant).map { ", microsoft = \($0)" } ?? ""
    let entry = "{ email = \"\(email)\"\(account) }"
    return "in \(name), add \(entry) to people of project, or write people = \"any\" there"
  }

  /// The hint for a test user whom the tenant does not admit.
  func hint(for email: String, notIn tenant: String) -> String {
    let other = configuration.people.first { person in
      person.microsoft.isAdmitted(by: tenant) && person.isKnown(to: "microsoft.com")
    }
    let address = "login_hint = \"\(other?.email ?? newAddress(in: tenant, besides: email))\""
    guard !configuration.admitsAnyone, !isElsewhere, other == nil else {
      return "\(email) belongs to another tenant: set \(address), or leave tenant out"
    }
    guard let name else {
      return "set \(address), and " + hint(forUser: nil, in: tenant)
    }
    guard configuration.listsPeople else {
      return "in \(name), add people = \"any\" to project, and set \(address)"
    }
    guard let account = Self.account(of: email, in: tenant) else {
      return "in \(name), add { \(address.replacing("login_hint", with: "email")) } to people of "
        + "project, and set \(address)"
    }
    return "in \(name), write microsoft = \(account) for \(email) in people of project"
  }

  /// The hint for a test user without an account at the provider.
  func hint(for email: String, notAt providerID: String) -> String {
    guard configuration.listsPeople, !configuration.admitsAnyone, let name else {
      let other = configuration.people.first { $0.isKnown(to: providerID) }
      return "\(email) has no account at \(providerID): set login_hint = "
        + "\"\(other?.email ?? newAddress(in: nil))\""
    }
    return "in \(name), add \"\(providerID)\" to providers of \(email) in people of project"
  }

  /// An address for a new test user in a tenant, which no test user has.
  func newAddress(in tenant: String?, besides other: String? = nil) -> String {
    let domain =
      switch tenant {
      case nil, "organizations": "contoso.example"
      case "consumers", MicrosoftAccount.personalTenantID: "outlook.com"
      case let tenant?:
        tenant.contains(".") ? tenant : "\(tenant.prefix { $0 != "-" }).example"
      }
    let taken = Set((configuration.people.map(\.email) + [other ?? ""]).map { $0.lowercased() })
    var address = "user@\(domain)"
    var number = 2
    while taken.contains(address.lowercased()) {
      address = "user\(number)@\(domain)"
      number += 1
    }
    return address
  }

  /// The table `microsoft` of a test user in a tenant; nil for a personal account.
  private static func account(of email: String, in tenant: String?) -> String? {
    let domain = email.drop { $0 != "@" }.dropFirst()
    switch tenant {
    case nil, "consumers", MicrosoftAccount.personalTenantID: return nil
    case "organizations": return "{ tenant = \"\(domain)\" }"
    case let tenant?:
      return MicrosoftAccount.isTenantID(tenant)
        ? "{ tenant = \"\(domain)\", tenantId = \"\(tenant)\" }"
        : "{ tenant = \"\(tenant)\" }"
    }
  }
}
