public import System
internal import IdentityToolkit

/// Exports of the default project, and what it contains.
extension Emulator {
  /// The default project's accounts, tenants and settings, in Firebase's export format.
  public func exported() -> ExportedProject {
    let gateway = madeGateway()
    let project = gateway.projects.main
    return project.exported(config: gateway.wireConfiguration(of: project))
  }

  /// Loads accounts, tenants and settings of an export into the default project.
  ///
  /// Accounts with other ids stay. Throws when the export's JSON is invalid. Nothing has changed then.
  public func load(_ export: ExportedProject) throws(Problem) {
    let gateway = madeGateway()
    let project = gateway.projects.main
    let found = try project.read(export)
    if let config = export.config?.object {
      do throws(Refusal) {
        try gateway.change(project, Fields(config))
      } catch {
        throw Problem(
          "the export's config.json is not one: \(error.message)",
          hint: "correct it or export again")
      }
    }
    project.store(found)
    try commit()
  }

  /// The test users of the identity providers, with their passwords, which no response contains.
  public var people: [Person] { context.configuration.people }

  /// Whether no project has an account.
  public var isEmpty: Bool {
    madeGateway().projects.all.allSatisfy { project in
      project.backends.allSatisfy { $0.accounts.count == 0 }
    }
  }
}
