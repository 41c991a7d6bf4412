public import Encoding
internal import IdentityToolkit

extension Emulator {
  /// The default project's accounts, tenants and settings, in Firebase's form.
  public func exported() -> ExportedProject {
    let gateway = madeGateway()
    let project = gateway.projects.main
    return project.exported(config: gateway.wireConfiguration(of: project))
  }

  /// Puts accounts, tenants and settings of an export into the default project; accounts with other ids stay.
  ///
  /// It throws when the export's JSON is not what it should be; nothing has changed then.
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

  /// Whether nobody has an account in any project.
  public var isEmpty: Bool {
    madeGateway().projects.all.allSatisfy { project in
      project.backends.allSatisfy { $0.accounts.count == 0 }
    }
  }
}
