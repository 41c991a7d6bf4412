/// A feature of luath's emulator that Firebase's emulator does not have.
public enum EmulatorFeature: CaseIterable, Sendable {
  case clock
  case faults
  case serviceAccount
  case testUsers
  case identityProviders
  case authenticatorApps
  case providerSettings
  case importedPasswords

  /// The name of the feature, to follow "has no".
  public var name: String {
    switch self {
    case .clock: "clock that can be moved"
    case .faults: "faults"
    case .serviceAccount: "service account"
    case .testUsers: "test users of identity providers"
    case .identityProviders: "identity providers with sign-in pages"
    case .authenticatorApps: "authenticator apps (TOTP)"
    case .providerSettings: "settings of providers and of Identity Platform"
    case .importedPasswords: "check of imported password hashes"
    }
  }

  /// The error message for a script that needs the feature.
  public var absence: String { "Firebase's emulator has no \(name)" }

  /// The hint for any of these features.
  public static let hint =
    "use luath's own emulator: run without --target, or start luath emulator --rules production "
    + "and run against that"
}
