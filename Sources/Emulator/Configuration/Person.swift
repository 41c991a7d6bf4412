public import Encoding

/// Somebody who can sign in at the emulated identity providers.
///
/// A person is not an account of the Firebase project: signing in makes one.
public struct Person: Sendable {
  /// The address typed at the login page, and the one the providers report.
  public let email: String
  /// The display name.
  public var name: String
  /// The password at every identity provider.
  public var password: Secret
  /// A photo URL, for the providers that report one; Microsoft serves bytes instead.
  public var photo: String?
  /// How Microsoft knows this person.
  public var microsoft: MicrosoftAccount
  /// Subjects given by name in the configuration; the others are derived from the e-mail address.
  public var subjects: [String: String] = [:]
  /// The identity providers that know this person; nil means all of them.
  public var providers: [String]?
  /// Whether the identity providers assert that the address is verified.
  public var isEmailVerified = true

  /// A person with ids derived from the e-mail address.
  public init(
    email: String, name: String, password: Secret, photo: String? = nil,
    microsoft: MicrosoftAccount? = nil
  ) {
    self.email = email
    self.name = name
    self.password = password
    self.photo = photo
    self.microsoft = microsoft ?? MicrosoftAccount(email: email)
  }

  /// Whether `providerID` has an account for this person.
  public func isKnown(to providerID: String) -> Bool {
    guard let providers else { return true }
    return providers.contains { ExactString(string: $0) == ExactString(string: providerID) }
  }

  /// The person's id at a provider: what the provider's `sub` is, except at Microsoft.
  ///
  /// Microsoft's `sub` is pairwise, so it depends on the app as well: see `microsoftSubject(client:)`.
  public func subject(at providerID: String) -> String {
    if let given = subjects[providerID] { return given }
    return switch providerID {
    case "microsoft.com": microsoft.graphID
    case "google.com": StableID.decimal(for: "google.com", email, count: 21)
    case "yahoo.com": String(StableID.hex(for: "yahoo.com", email).prefix(26)).uppercased()
    default: StableID.guid(for: providerID, email)
    }
  }

  /// Microsoft's `sub` for one app registration: another app sees another value.
  public func microsoftSubject(client clientID: String) -> String {
    StableID.hex(for: "sub:\(clientID)", microsoft.oid)
  }
}
