import Host
import System

/// The settings of a project that affect its responses.
enum ProjectSettings {
  /// The fields that a temporary emulator copies from a real project.
  static let mirrored = [
    "signIn", "emailPrivacyConfig", "passwordPolicyConfig", "client", "mfa", "authorizedDomains",
    "smsRegionConfig",
  ]

  /// The fields of `mirrored` in the settings, without those that Google's servers do not accept.
  static func mirror(_ settings: JSON) -> JSONObject {
    var fields = JSONObject()
    for name in mirrored {
      guard let value = settings[name] else { continue }
      fields[name] = value
    }
    return mirrorable(fields)
  }

  /// Settings without their read-only fields.
  static func mirrorable(_ settings: JSONObject) -> JSONObject {
    var fields = settings
    if var signIn = fields["signIn"]?.object {
      signIn["hashConfig"] = nil
      fields["signIn"] = .object(signIn)
    }
    return fields
  }

  /// The fields for recordings: `mirrored` without domains and keys, and the fields that scenarios set.
  static let recorded = [
    "signIn", "emailPrivacyConfig", "passwordPolicyConfig", "client.permissions", "mfa",
    "smsRegionConfig", "multiTenant", "blockingFunctions",
  ]

  /// The settings that affect responses, without phone numbers, keys and addresses.
  static func recordable(_ settings: JSON) -> JSONObject {
    var fields = mirror(settings)
    fields["authorizedDomains"] = nil
    fields["multiTenant"] = settings["multiTenant"]
    if let client = fields["client"] {
      fields["client"] = ["permissions": client["permissions"] ?? [:]]
    }
    if var signIn = fields["signIn"]?.object, var phone = signIn["phoneNumber"]?.object,
      testNumber(in: settings) != nil
    {
      phone["testPhoneNumbers"] = [RunName.shownTestPhone: .string(RunName.shownTestCode)]
      signIn["phoneNumber"] = .object(phone)
      fields["signIn"] = .object(signIn)
    }
    return fields
  }

  /// A test phone number and its code.
  static func testNumber(in settings: JSON) -> (number: String, code: String)? {
    let numbers = settings["signIn"]?["phoneNumber"]?["testPhoneNumbers"]?.object
    for entry in numbers?.entries ?? [] {
      if let code = entry.value.string { return (entry.key, code) }
    }
    return nil
  }

  /// Whether blocking functions of the project are called for new accounts or sign-ins.
  static func hasFunctions(_ settings: JSON) -> Bool {
    settings["blockingFunctions"]?["triggers"]?.object?.isEmpty == false
  }
}
