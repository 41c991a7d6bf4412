import IdentityToolkit
public import System

/// A parsed link of an e-mail.
///
/// Links that open an app are often wrapped: the actual link is in the parameter `link` or `deep_link_id` of another
/// link, or is its whole query.
public struct ActionCodeURL: Sendable {
  /// The API key of the project that sent the link.
  public let apiKey: Secret?

  /// The operation of the code.
  public let operation: ActionCodeOperation

  /// The code.
  public let code: Secret

  /// The URL to continue at afterwards.
  public let continueURL: String?

  /// The language of the e-mail.
  public let languageCode: String?

  /// The tenant of the code.
  public let tenantID: String?

  /// No mail program or link service wraps a link in more layers.
  private static let deepestNesting = 4

  /// Parses a link; nil when neither it nor a wrapped link has a code and a mode.
  public init?(_ link: String) {
    guard let fields = Self.parameters(of: link, depth: 0) else { return nil }
    func value(_ name: String) -> String? { fields[name].flatMap { $0.isEmpty ? nil : $0 } }
    guard let code = value("oobCode"), let mode = value("mode") else { return nil }
    self.code = Secret(code)
    operation = ActionCodeOperation(wire: mode)
    apiKey = value("apiKey").map(Secret.init)
    continueURL = value("continueUrl")
    languageCode = value("lang") ?? value("languageCode")
    tenantID = value("tenantId")
  }

  /// The parameters of the link, or of a link wrapped in it.
  private static func parameters(of link: String, depth: Int) -> FormFields? {
    guard depth <= deepestNesting, let query = query(of: link) else { return nil }
    let fields = FormFields(parsing: query)
    if fields["oobCode"]?.isEmpty == false, fields["mode"]?.isEmpty == false { return fields }
    for inner in [fields["link"], fields["deep_link_id"], query].compactMap(\.self) {
      if let found = parameters(of: inner, depth: depth + 1) { return found }
    }
    return nil
  }

  private static func query(of link: String) -> String? {
    let bytes = link.utf8
    let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
    guard let mark = bytes[..<end].firstIndex(of: UInt8(ascii: "?")) else { return nil }
    return String(Substring(bytes[bytes.index(after: mark)..<end]))
  }
}

/// The operation of an e-mailed code; the raw values are the Apple SDK's names.
public enum ActionCodeOperation: String, CaseIterable, Sendable {
  /// An operation that this version does not know.
  case unknown
  case passwordReset
  /// Verifies the account's e-mail address.
  case verifyEmail
  /// Restores the previous e-mail address.
  case recoverEmail
  case emailLink
  /// Verifies a new e-mail address and changes to it.
  case verifyAndChangeEmail
  /// Removes a second factor that was added.
  case revertSecondFactorAddition

  /// Reads both forms of the name: `resetPassword` in links, `PASSWORD_RESET` in responses.
  init(wire name: String) {
    self = Self.allCases.first { $0.mode == name || $0.requestType == name } ?? .unknown
  }

  /// The name for `mode` in links.
  var mode: String {
    switch self {
    case .unknown: ""
    case .passwordReset: "resetPassword"
    case .verifyEmail: "verifyEmail"
    case .recoverEmail: "recoverEmail"
    case .emailLink: "signIn"
    case .verifyAndChangeEmail: "verifyAndChangeEmail"
    case .revertSecondFactorAddition: "revertSecondFactorAddition"
    }
  }

  /// The name in requests and responses.
  var requestType: String {
    switch self {
    case .unknown: ""
    case .passwordReset: "PASSWORD_RESET"
    case .verifyEmail: "VERIFY_EMAIL"
    case .recoverEmail: "RECOVER_EMAIL"
    case .emailLink: "EMAIL_SIGNIN"
    case .verifyAndChangeEmail: "VERIFY_AND_CHANGE_EMAIL"
    case .revertSecondFactorAddition: "REVERT_SECOND_FACTOR_ADDITION"
    }
  }
}

/// The purpose of an e-mailed code.
public struct ActionCodeInfo: Sendable, Equatable {
  /// The operation that the code performs.
  public let operation: ActionCodeOperation

  /// The e-mail address of the account, or the new one when the address changes or has changed.
  ///
  /// Nil for sign-in links: the user must know the address.
  public let email: String?

  /// The old address, when it changes or has changed.
  public let previousEmail: String?

  /// The second factor that the code removes.
  public let multiFactorInfo: MultiFactorInfo?

  /// When an address changes, `email` in the response is the old one.
  init(_ answer: JSONObject) {
    func text(_ name: String) -> String? {
      answer[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }
    operation = ActionCodeOperation(wire: answer["requestType"]?.string ?? "")
    let newEmail = text("newEmail")
    email = newEmail ?? text("email")
    previousEmail = newEmail == nil ? nil : text("email")
    multiFactorInfo = answer["mfaInfo"].flatMap(MultiFactorInfo.init)
  }
}

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
