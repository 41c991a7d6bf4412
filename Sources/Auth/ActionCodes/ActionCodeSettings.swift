import Encoding
import IdentityToolkit

/// Where the link of an e-mail leads on to, and what opens it.
public struct ActionCodeSettings: Sendable, Equatable {
  /// Where to go on when the code was used; its host must be one of the project's domains.
  public var url: String?

  /// Whether the app uses the code itself, instead of the project's page.
  public var handleCodeInApp = false

  /// The bundle identifier of the iOS app that opens the link.
  public var iOSBundleID: String?

  /// The package of the Android app that opens the link.
  public var androidPackageName: String?

  /// The oldest version of the Android app that can.
  public var androidMinimumVersion: String?

  /// Whether the Android app is installed where it is missing.
  public var androidInstallIfNotAvailable = false

  /// The hosting domain of the project that links are made with.
  public var linkDomain: String?

  /// Creates settings that ask for nothing.
  public init() {}

  /// The fields of a request for a letter; refuses what is set but empty.
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
  /// The fields of a request for a letter, without settings or with them.
  func body(for operation: ActionCodeOperation) throws(AuthError) -> JSONObject {
    try (self ?? ActionCodeSettings()).body(for: operation)
  }
}
