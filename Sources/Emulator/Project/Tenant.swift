internal import System
internal import OIDC

/// One tenant of a project, with its own accounts and sign-in settings.
struct Tenant: Sendable {
  let id: String
  /// The fields of Google's `Tenant` message, except those of `identification`.
  var settings: JSONObject
  /// The identity providers registered for this tenant only.
  var providers: [String: ProviderConfiguration] = [:]

  init(id: String, settings: JSONObject) {
    self.id = id
    self.settings = settings
  }

  static let switches = [
    "allowPasswordSignup", "enableEmailLinkSignin", "enableAnonymousUser", "disableAuth",
  ]

  /// The default settings of a tenant created by an administrator of Firebase's emulator.
  static let everythingOff: JSONObject = [
    "allowPasswordSignup": false, "disableAuth": false, "enableAnonymousUser": false,
    "enableEmailLinkSignin": false,
    "mfaConfig": ["enabledProviders": [], "state": "DISABLED"],
  ]

  /// The settings of a tenant that Firebase's emulator creates when it is first mentioned.
  static let everythingOn: JSONObject = [
    "allowPasswordSignup": true, "disableAuth": false, "enableAnonymousUser": true,
    "enableEmailLinkSignin": true,
    "mfaConfig": ["enabledProviders": ["PHONE_SMS"], "state": "ENABLED"],
  ]

  func allows(_ setting: String) -> Bool { settings[setting]?.bool == true }

  /// The fields that identify the tenant in responses of Firebase's emulator.
  func identification(in project: String) -> JSONObject {
    ["tenantId": .string(id), "name": .string("projects/\(project)/tenants/\(id)")]
  }

  /// The tenant as administrators of Firebase's emulator see it.
  func wire(in project: String) -> JSONObject {
    var wire = identification(in: project)
    for (name, value) in settings.entries { wire[name] = value }
    return wire
  }

  /// The id of a new tenant of Google's servers: its name and five random characters (measured).
  static func newID(for displayName: String) -> String {
    var end = ""
    while end.utf8.count < 5 { end += SecureRandom.alphanumeric(1).asciiLowercased }
    return "\(displayName)-\(end)"
  }

  /// The tenant as administrators of Google's servers see it (measured).
  ///
  /// It has the project's number, no `tenantId` and no default values. The password hash parameters appear only when
  /// a single tenant is read.
  func wire(in project: Project, showsHashing: Bool = false) -> JSONObject {
    var wire = settings.withoutDefaults
    wire["name"] = .string("projects/\(project.number)/tenants/\(id)")
    wire["inheritance"] = wire["inheritance"] ?? [:]
    if let captcha = settings["recaptchaConfig"]?.object {
      wire["recaptchaConfig"] = .object(Recaptcha.shown(captcha))
    }
    if showsHashing { wire["hashConfig"] = .object(project.hashConfig) }
    return wire
  }
}
