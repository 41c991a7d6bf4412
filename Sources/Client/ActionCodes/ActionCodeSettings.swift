import System
import IdentityToolkit

/// Where the link of an e-mail continues, and which app opens it.
public struct ActionCodeSettings: Sendable, Equatable {
  /// The URL to continue at after the code was used; its host must be one of the project's authorized domains.
  public var url: String?

  /// Whether the app handles the code, instead of the project's page.
  public var handleCodeInApp = false

  /// The bundle identifier of the iOS app that opens the link.
  public var iOSBundleID: String?

  /// The package of the Android app that opens the link.
  public var androidPackageName: String?

  /// The minimum version of the Android app.
  public var androidMinimumVersion: String?

  /// Whether to offer installation when the Android app is missing.
  public var androidInstallIfNotAvailable = false

  /// The project's hosting domain for the links.
  public var linkDomain: String?

  /// Settings without any options.
  public init() {}

  /// The fields of a request for an e-mail; throws for empty strings.
  func body(for operation: ActionCodeOperation) throws(AuthError) -> JSONObject {
    var body: JSONObject = ["requestType": .string(operation.requestType)]
    for (value, field, code) in [
      (url, "continueUrl", ErrorCode.invalidContinueURI),
      (iOSBundleID, "iOSBundleId", .missingIosBundleID),
      (androidPackageName, "androidPackageName", .missingAndroidPackageName),
      (androidMinimumVersion, "androidMinimumVersion", .invalidArgument),
      (linkDomain, "linkDomain", .invalidHostingLinkDomain),
    ] {
      guard let value else { continue }
      guard !value.isEmpty else { throw AuthError(code, "\(field) is an empty string") }
      body[field] = .string(value)
    }
    if handleCodeInApp { body["canHandleCodeInApp"] = true }
    if androidInstallIfNotAvailable { body["androidInstallApp"] = true }
    return body
  }
}

extension Optional where Wrapped == ActionCodeSettings {
  /// The fields of a request for an e-mail; nil settings are valid too.
  func body(for operation: ActionCodeOperation) throws(AuthError) -> JSONObject {
    try (self ?? ActionCodeSettings()).body(for: operation)
  }
}
