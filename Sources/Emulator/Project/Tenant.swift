internal import Encoding

/// One tenant of a project: accounts apart, with sign-in settings of their own.
struct Tenant: Sendable {
  let id: String
  /// The settings in the fields of Google's `Tenant` message, `name` left out.
  var settings: JSONObject

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
}
