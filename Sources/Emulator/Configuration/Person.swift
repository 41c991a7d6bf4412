public import System

/// A test user of the emulated identity providers.
///
/// It is not an account of the Firebase project: signing in creates one.
public struct Person: Sendable {
  /// The address entered on the login page, and the one the providers report.
  public let email: String
  /// The display name.
  var name: String
  /// The password at every identity provider.
  public var password: Secret
  /// A photo URL, for the providers that report one; Microsoft serves the image itself instead.
  var photo: String?
  /// The user's account at Microsoft.
  var microsoft: MicrosoftAccount
  /// Configured subjects by provider id; the others are derived from the e-mail address.
  var subjects: [String: String] = [:]
  /// The identity providers that have this user; nil for all of them.
  public var providers: [String]?
  /// Whether the identity providers assert that the address is verified.
  var isEmailVerified = true

  /// A test user whose ids are derived from the e-mail address.
  init(
    email: String, name: String, password: Secret, photo: String? = nil,
    microsoft: MicrosoftAccount? = nil
  ) {
    self.email = email
    self.name = name
    self.password = password
    self.photo = photo
    self.microsoft = microsoft ?? MicrosoftAccount(email: email)
  }

  /// Whether the user has an account at `providerID`.
  func isKnown(to providerID: String) -> Bool {
    guard let providers else { return true }
    return providers.contains { ExactString(string: $0) == ExactString(string: providerID) }
  }

  /// The user's id at a provider: its `sub` claim, except at Microsoft.
  ///
  /// Microsoft's `sub` is pairwise: it depends on the app as well. See `microsoftSubject(client:)`.
  func subject(at providerID: String) -> String {
    if let given = subjects[providerID] { return given }
    return switch providerID {
    case "microsoft.com": microsoft.graphID
    case "google.com": StableID.decimal(for: "google.com", email, count: 21)
    case "yahoo.com": String(StableID.hex(for: "yahoo.com", email).prefix(26)).uppercased()
    default: StableID.guid(for: providerID, email)
    }
  }

  /// Microsoft's `sub` for one app registration; other apps receive other values.
  func microsoftSubject(client clientID: String) -> String {
    StableID.hex(for: "sub:\(clientID)", microsoft.oid)
  }
}
