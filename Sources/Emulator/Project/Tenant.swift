internal import Encoding

/// One tenant of a project: accounts apart, with sign-in settings of their own.
struct Tenant: Sendable {
  let id: String
  /// The settings in the fields of Google's `Tenant` message, as far as they differ from `identification`.
  var settings: JSONObject
  /// The identity providers registered for this tenant alone.
  var providers: [String: ProviderConfiguration] = [:]

  init(id: String, settings: JSONObject) {
    self.id = id
    self.settings = settings
  }

  /// The settings that are on or off.
  static let switches = [
    "allowPasswordSignup", "enableEmailLinkSignin", "enableAnonymousUser", "disableAuth",
  ]

  /// The settings that only Google's servers know.
  static let furtherSettings = [
    "autodeleteAnonymousUsers", "client", "emailPrivacyConfig", "inheritance", "monitoring",
    "passwordPolicyConfig", "recaptchaConfig", "smsRegionConfig", "testPhoneNumbers",
    "mobileLinksConfig",
  ]

  /// The settings of a tenant made by an administrator who says nothing.
  static let everythingOff: JSONObject = [
    "allowPasswordSignup": false, "disableAuth": false, "enableAnonymousUser": false,
    "enableEmailLinkSignin": false,
    "mfaConfig": ["enabledProviders": [], "state": "DISABLED"],
  ]

  /// The settings of a tenant that Firebase's emulator makes when it is first named.
  static let everythingOn: JSONObject = [
    "allowPasswordSignup": true, "disableAuth": false, "enableAnonymousUser": true,
    "enableEmailLinkSignin": true,
    "mfaConfig": ["enabledProviders": ["PHONE_SMS"], "state": "ENABLED"],
  ]

  func allows(_ setting: String) -> Bool { settings[setting]?.bool == true }

  /// What names the tenant in answers.
  func identification(in project: String) -> JSONObject {
    ["tenantId": .string(id), "name": .string("projects/\(project)/tenants/\(id)")]
  }

  /// The tenant as administrators see it.
  func wire(in project: String) -> JSONObject {
    var wire = identification(in: project)
    for (name, value) in settings.entries { wire[name] = value }
    return wire
  }
}
