internal import System
internal import HTTP
internal import OIDC
internal import IdentityToolkit

/// One emulated project with its accounts and tenants; used on the emulator's loop only.
final class Project {
  let id: String
  let context: EmulatorContext
  let network: Network
  let isDefault: Bool
  private var ownConfiguration: ProjectConfiguration?
  /// The blocking functions, called before an account is created or signed in: `blockingFunctions` of the settings.
  var blockingFunctions: JSONObject {
    configuration.settings["blockingFunctions"]?.object ?? JSONObject()
  }
  /// How the project hashes new passwords: Firebase's scrypt with the project's own signer key.
  ///
  /// The default cost is far below production's, so that tests with many sign-ups stay fast.
  var passwordHashing: FirebaseScrypt {
    if let passwordHashingInUse { return passwordHashingInUse }
    let made = FirebaseScrypt(memoryCost: context.initialConfiguration.passwordMemoryCost)
    passwordHashingInUse = made
    context.recorder?.changed(self)
    return made
  }
  /// The same; nil until the first password is hashed.
  private(set) var passwordHashingInUse: FirebaseScrypt?
  /// The number of accounts that clients created in the current hour.
  var signUps = SignUpCount()
  private(set) var tenants: [ExactString: Tenant] = [:]
  /// The ids of deleted tenants, for rules that distinguish them from unknown ones.
  private var deletedTenants: Set<ExactString> = []
  private var tenantBackends: [ExactString: Backend] = [:]
  /// The accounts of the project itself.
  private(set) lazy var backend = Backend(project: self, tenantID: nil)

  init(id: String, context: EmulatorContext, network: Network, isDefault: Bool) {
    self.id = id
    self.context = context
    self.network = network
    self.isDefault = isDefault
    if !isDefault {
      var configuration = context.initialConfiguration
      configuration.id = id
      ownConfiguration = configuration
    }
  }

  /// The settings; the default project's are those of the context.
  var configuration: ProjectConfiguration {
    get { ownConfiguration ?? context.configuration }
    set {
      restore(configuration: newValue)
      context.recorder?.changed(self)
    }
  }

  /// Restores the settings of an earlier run.
  func restore(configuration: ProjectConfiguration) {
    if isDefault { context.configuration = configuration } else { ownConfiguration = configuration }
  }

  func restore(passwordHashing: FirebaseScrypt) { passwordHashingInUse = passwordHashing }

  /// The project's number, which some responses have instead of its id.
  var number: String {
    context.rules[.realProviders] ? StableID.decimal(for: "project", id, count: 12) : "12345"
  }

  /// Whether e-mail enumeration protection is on: responses of the project itself hide which addresses have accounts.
  var hidesAddresses: Bool {
    configuration.enumerationProtection ?? context.rules[.hiddenAddresses]
  }

  /// The accounts of a tenant, or of the project itself.
  func backend(tenant id: String?) throws(Refusal) -> Backend {
    guard let id, !id.isEmpty else { return backend }
    guard context.rules[.knownTenantsOnly] else {
      if !hasTenant(id) { save(Tenant(id: id, settings: Tenant.everythingOn)) }
      return restoredBackend(tenant: id)
    }
    guard configuration.allowsTenants || !context.rules[.projectSettings] else {
      throw Refusal(.invalidTenantID)
    }
    guard hasTenant(id) else {
      throw Refusal(
        deletedTenants.contains(ExactString(string: id)) ? .tenantDeleted : .invalidTenantID)
    }
    return restoredBackend(tenant: id)
  }

  /// The accounts of a tenant, for an administrator's call on the tenant itself.
  func managedBackend(tenant id: String) throws(Refusal) -> Backend {
    guard context.rules[.knownTenantsOnly] else { return try backend(tenant: id) }
    guard configuration.allowsTenants || !context.rules[.projectSettings] else {
      throw Refusal(.invalidProjectID)
    }
    guard hasTenant(id) else { throw Refusal(.tenantNotFound, status: 404) }
    return restoredBackend(tenant: id)
  }

  func hasTenant(_ id: String) -> Bool { tenants[ExactString(string: id)] != nil }

  /// The accounts of a tenant, or of the project itself, whether or not the tenant exists yet.
  func restoredBackend(tenant id: String?) -> Backend {
    guard let id else { return backend }
    let key = ExactString(string: id)
    if let backend = tenantBackends[key] { return backend }
    let backend = Backend(project: self, tenantID: id)
    tenantBackends[key] = backend
    return backend
  }

  /// The tenant that issued a refresh token, under rules with revocable sessions.
  func tenant(ofRefreshToken token: String) -> String? {
    if case .unknown = backend.sessions.state(of: token) {
      return tenantBackends.values.first {
        if case .unknown = $0.sessions.state(of: token) { false } else { true }
      }?.tenantID
    }
    return nil
  }

  func save(_ tenant: Tenant) {
    restore(tenant)
    tenantShelf?.put(tenant.record, under: tenant.id)
  }

  func restore(_ tenant: Tenant) { tenants[ExactString(string: tenant.id)] = tenant }

  private var tenantShelf: CollectionWriter? {
    context.recorder.map {
      CollectionWriter(recorder: $0, collection: StatePath.tenants(project: id).name)
    }
  }

  /// Removes a tenant and all its accounts.
  func removeTenant(_ id: String) {
    let key = ExactString(string: id)
    tenants[key] = nil
    guard context.rules[.knownTenantsOnly] else {
      context.recorder?.removeAll(from: StatePath.prefix(project: self.id, tenant: id))
      tenantBackends[key] = nil
      tenantShelf?.remove(id)
      return
    }
    restoreDeletedTenant(id)
    tenantShelf?.put(Tenant.deletedRecord, under: id)
    // The refresh tokens are kept, in the state file too: the error for one names the deletion.
    for store in StatePath.Store.allCases where store != .sessions {
      context.recorder?.removeAll(from: StatePath.store(store, project: self.id, tenant: id).name)
    }
    tenantBackends[key]?.forgetAccounts()
  }

  func restoreDeletedTenant(_ id: String) { deletedTenants.insert(ExactString(string: id)) }

  /// The project's own backend and those of its tenants, ordered by tenant id.
  var backends: [Backend] {
    let ids = tenantBackends.keys.filter { !deletedTenants.contains($0) }.sorted {
      $0.string.utf8.lexicographicallyPrecedes($1.string.utf8)
    }
    return [backend] + ids.compactMap { tenantBackends[$0] }
  }
}

extension Project {
  /// The page for links in e-mails: the app's own, or the emulator's.
  var actionHandler: String {
    if let chosen = configuration.actionURL, let url = WebURL(chosen), url.fragment == nil {
      return url.description
    }
    return "\(context.origin)/emulator/action"
  }

  /// The API key in e-mailed links: one that the project accepts.
  var apiKeyOfLinks: String {
    guard context.rules[.checkedAPIKeys], let key = configuration.apiKey else {
      return "fake-api-key"
    }
    return key.reveal()
  }

  /// The fixed code of a test phone number; nil for other numbers.
  func testCode(of number: String) -> String? {
    let numbers = configuration.testPhoneNumbers
    // Firebase's emulator converts all keys to camel case, so a number loses its plus sign.
    return (numbers[number] ?? numbers[String(number.dropFirst())])?.string
  }
}

/// The projects of an emulator: the one it was started for, and others, each created at its first mention.
final class Projects {
  private let context: EmulatorContext
  private let network: Network
  private var projects: [ExactString: Project] = [:]
  /// The project of all API keys.
  let main: Project

  init(context: EmulatorContext, network: Network) {
    self.context = context
    self.network = network
    main = Project(
      id: context.configuration.id, context: context, network: network, isDefault: true)
    projects[ExactString(string: main.id)] = main
  }

  subscript(id: String) -> Project {
    let key = ExactString(string: id)
    if let project = projects[key] { return project }
    let project = Project(id: id, context: context, network: network, isDefault: false)
    projects[key] = project
    return project
  }

  var all: [Project] {
    projects.values.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
  }
}

extension Project {
  /// The project's differences from the state at the emulator's start.
  func record(in recorder: StateRecorder) -> JSONObject {
    var record = JSONObject()
    let changes = configuration.changes(since: context.initialConfiguration)
    if !changes.isEmpty { record["changes"] = .object(changes) }
    if let passwordHashingInUse { record["hashing"] = .object(passwordHashingInUse.wire) }
    return record
  }

  /// Restores the settings of an earlier run; returns false when the record is malformed.
  func restore(_ record: JSONObject) -> Bool {
    if let changes = record["changes"] {
      guard let object = changes.object,
        let changed = configuration.applying(object)
      else { return false }
      restore(configuration: changed)
    }
    if let hashing = record["hashing"] {
      guard let object = hashing.object, let scrypt = try? FirebaseScrypt(wire: object) else {
        return false
      }
      restore(passwordHashing: scrypt)
    }
    return true
  }
}
