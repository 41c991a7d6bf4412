import Client
public import Emulator
import IdentityToolkit

/// What to write into the project file when the emulated project lacks a provider or a test user.
public struct ProjectFileAdvice: Sendable {
  /// The name of the project file; nil if there is none.
  private let name: String?
  private let configuration: ProjectConfiguration

  /// The providers of a new file, besides the one that is missing.
  private static let usual = [
    "anonymous", "password", "phone", "google.com", "microsoft.com", "yahoo.com",
  ]

  /// Advice for a project; `path` is that of its file, nil if there is none.
  public init(path: String?, _ configuration: ProjectConfiguration) {
    name = path.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
    self.configuration = configuration
  }

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
        ? "in \(name), add \(entry) = {} to providers of project"
        : "in \(name), add this to project: \(Self.list(id))"
    }
    guard !known.isEnabled, let name else { return nil }
    return "in \(name), remove enabled = false from \(entry) in providers of project"
  }

  /// The hint for a missing test user.
  ///
  /// - Parameter change: What to add to an existing file.
  func hint(forUser change: String) -> String {
    guard let name else {
      return "write this luath.lua: return { project = { people = \"any\" } }"
    }
    return "in \(name), \(change), or write people = \"any\" there"
  }

  private static func list(_ id: String) -> String {
    let ids = [id] + usual.filter { $0 != id }
    return "providers = { \(ids.map { "\(entry($0)) = {}" }.joined(separator: ", ")) }"
  }

  /// A provider's id as a key of a table.
  private static func entry(_ id: String) -> String { id.contains(".") ? "[\"\(id)\"]" : id }
}
