internal import System

/// A path outside Google's API: the emulator's own calls, keys and pages.
enum Control: Equatable {
  case health
  case openAPI
  /// The keys of session cookies as X.509 certificates, at the path of the old API.
  case cookieCertificates
  /// The keys of Firebase ID tokens as a JWK set.
  case tokenKeys
  /// The same keys as X.509 certificates.
  case tokenCertificates
  /// Identity providers redirect the browser here.
  case callback
  /// SDKs send the browser here to sign in with a provider.
  case handler
  /// The hidden frame that reports the sign-in to the web SDK.
  case frame
  /// The target of links in e-mails.
  case action
  case accounts(project: String, tenant: String?)
  /// The e-mailed codes that are still unused.
  case letters(project: String, tenant: String?)
  /// The SMS codes that are still unused.
  case messages(project: String, tenant: String?)
  /// The e-mails that were sent, with their texts.
  case mails(project: String, tenant: String?)
  /// The SMS that were sent, with their texts.
  case sms(project: String, tenant: String?)
  case configuration(project: String)
  case serviceAccount(project: String)
  case clock
  case people
  /// The target of links that open an app, for devices without the app.
  case appLink
  case faults

  private static let signer = "securetoken@system.gserviceaccount.com"

  init?(path: String) {
    switch path {
    case "/", "": self = .health
    case "/www.googleapis.com/identitytoolkit/v3/relyingparty/publicKeys",
      "/identitytoolkit.googleapis.com/v1/publicKeys":
      self = .cookieCertificates
    case "/www.googleapis.com/service_accounts/v1/jwk/\(Self.signer)": self = .tokenKeys
    case "/www.googleapis.com/robot/v1/metadata/x509/\(Self.signer)": self = .tokenCertificates
    case "/__/auth/handler": self = .callback
    case OutOfBandCode.appLinkPath: self = .appLink
    case "/emulator/v1/clock": self = .clock
    case "/emulator/v1/people": self = .people
    case "/emulator/v1/faults": self = .faults
    default:
      guard let found = Self.page(path) ?? Self.ofProject(path) else { return nil }
      self = found
    }
  }

  /// A page by its path; ignores case and a trailing slash, like Firebase's emulator.
  private static func page(_ path: String) -> Control? {
    let isOpen = path.utf8.last == UInt8(ascii: "/")
    switch String(isOpen ? path.dropLast() : path[...]).asciiLowercased {
    case "/emulator/openapi.json": return .openAPI
    case "/emulator/auth/handler": return .handler
    case "/emulator/auth/iframe": return .frame
    case "/emulator/action": return .action
    default: return nil
    }
  }

  /// Whether other methods than GET and HEAD get a 404.
  var isPage: Bool {
    switch self {
    case .health, .openAPI, .handler, .frame: true
    default: false
    }
  }

  /// `/emulator/v1/projects/PROJECT/…` and `/emulator/v1/projects/PROJECT/tenants/TENANT/…`.
  private static func ofProject(_ path: String) -> Control? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
      .map { PercentEncoding.decode(String($0)) ?? "" }
    guard parts.count >= 5, parts[..<3] == ["emulator", "v1", "projects"] else { return nil }
    let project = parts[3]
    let hasTenant = parts.count == 7 && parts[4] == "tenants"
    guard hasTenant || parts.count == 5 else { return nil }
    let tenant = hasTenant ? parts[5] : nil
    switch parts[parts.count - 1] {
    case "accounts": return .accounts(project: project, tenant: tenant)
    case "oobCodes": return .letters(project: project, tenant: tenant)
    case "verificationCodes": return .messages(project: project, tenant: tenant)
    case "mails": return .mails(project: project, tenant: tenant)
    case "sms": return .sms(project: project, tenant: tenant)
    default: return hasTenant ? nil : ofProjectOnly(parts[4], project)
    }
  }

  private static func ofProjectOnly(_ name: String, _ project: String) -> Control? {
    switch name {
    case "config": return .configuration(project: project)
    case "serviceAccount": return .serviceAccount(project: project)
    // All projects share the emulator's clock.
    case "clock": return .clock
    default: return nil
    }
  }

  var methods: [String] {
    switch self {
    case .health, .openAPI, .cookieCertificates, .tokenKeys, .tokenCertificates, .handler, .frame,
      .serviceAccount, .letters, .messages, .mails, .sms, .appLink:
      ["GET"]
    case .action, .callback: ["GET", "POST"]
    case .accounts: ["DELETE"]
    case .configuration, .clock: ["GET", "PATCH"]
    case .people: ["GET", "POST", "DELETE"]
    case .faults: ["GET", "PUT", "POST", "DELETE"]
    }
  }

  var project: String? {
    switch self {
    case .accounts(let project, _), .letters(let project, _), .messages(let project, _),
      .mails(let project, _), .sms(let project, _), .configuration(let project),
      .serviceAccount(let project):
      project
    default: nil
    }
  }

  var isKeys: Bool {
    switch self {
    case .cookieCertificates, .tokenKeys, .tokenCertificates: true
    default: false
    }
  }

  /// Whether the path shows or changes what is reserved for administrators: accounts, codes, keys, settings.
  var isForAdministrators: Bool {
    switch self {
    // The handler page lists the accounts of a provider.
    case .accounts, .letters, .messages, .mails, .sms, .configuration, .serviceAccount, .clock,
      .people, .faults, .handler:
      true
    case .health, .openAPI, .cookieCertificates, .tokenKeys, .tokenCertificates, .callback, .frame,
      .action, .appLink:
      false
    }
  }

  /// Whether a call that changes something has a JSON body.
  var takesBody: Bool {
    switch self {
    case .accounts, .faults, .callback: false
    default: true
    }
  }
}
