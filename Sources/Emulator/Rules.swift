/// One behavior of Google's servers that Firebase's emulator lacks.
///
/// This is the whole table of differences between the two rule sets: `production` turns every rule on, `compatible`
/// none, and each can be switched by name.
public enum Rule: UInt8, CaseIterable, Sendable {
  // Requests
  case googleAnswers
  case protobufJSON
  case checkedAPIKeys
  case knownTenantsOnly
  case furtherOperations
  case projectSettings
  // Tokens
  case signedTokens
  case revocableSessions
  case signedCustomTokens
  case recentLogin
  // Accounts
  case hashedPasswords
  case emailFormat
  case hiddenAddresses
  case keepsEmailWithoutPassword
  // Codes
  case expiringCodes
  case checkedLinks
  // Second factors
  case totp
  case provenFactors
  // Guessing
  case limitedGuesses
  // Functions
  case strictFunctions
  // Identity providers
  case realProviders
  // Safety
  case ownHostsOnly

  /// The name that switches the rule.
  public var name: String { String(describing: self) }

  /// What the rule does, in one sentence.
  var summary: String {
    switch self {
    case .googleAnswers:
      "responses and errors have the fields, the order and the messages of Google's servers"
    case .protobufJSON:
      "bodies are JSON of protocol buffers: null counts as absent, keys of maps are kept, and one value may "
        + "stand for a list"
    case .checkedAPIKeys: "if a project has an API key, calls need this key"
    case .knownTenantsOnly:
      "a tenant must be created before it is used, inherits no settings, and is remembered after it is deleted"
    case .furtherOperations:
      "operations that Firebase's emulator lacks exist: password policy, provider configurations, keys, revoking"
    case .projectSettings:
      "every setting of a project and its tenants has an effect: password policy, permissions, quotas, reCAPTCHA"
    case .signedTokens:
      "tokens are signed with RS256; signature, issuer, audience and expiry are checked, with 300 seconds of grace"
    case .revocableSessions:
      "a session ends if it began before the account's validSince, which a new password or address sets"
    case .signedCustomTokens: "custom tokens must be signed by the project's service account"
    case .recentLogin:
      "deleting an account, a new address, a new password and second factors need a recent sign-in"
    case .hashedPasswords:
      "passwords are stored as hashes, which lookups do not show; imported hashes are verified"
    case .hiddenAddresses:
      "e-mail enumeration protection is on by default, and covers changes of address"
    case .emailFormat: "e-mail addresses and phone numbers must have a valid format"
    case .keepsEmailWithoutPassword: "an account that loses its password keeps its address"
    case .expiringCodes:
      "codes, proofs and pending credentials expire and belong to the account that they were made for; codes "
        + "of e-mails work once"
    case .checkedLinks:
      "links in e-mails and sign-in pages lead to authorized domains only; links are in the requested language"
    case .totp: "second factors can be authenticator apps"
    case .provenFactors:
      "second factors are verified or set by an admin call, an account has at most five, and enrolling a phone "
        + "or withdrawing a factor ends its older sessions"
    case .limitedGuesses:
      "after ten wrong passwords, five wrong codes of an authenticator app or one e-mail to verify the "
        + "address, the next one is refused for five minutes"
    case .strictFunctions:
      "blocking functions must respond within seven seconds, their outages are reported as such, and they are "
        + "called for e-mails and SMS too"
    case .realProviders: "identity providers must be registered, and their tokens are verified"
    case .ownHostsOnly: "requests with a foreign host name are refused, including those of apps"
    }
  }
}

/// The rules that are on in an emulator.
public struct Rules: Sendable, Equatable {
  private var bits: UInt64

  /// The behavior of Firebase's emulator.
  public static let compatible = Rules(bits: 0)
  /// The behavior of Google's servers.
  public static let production = Rules(bits: (1 << UInt64(Rule.allCases.count)) - 1)

  private init(bits: UInt64) {
    self.bits = bits
  }

  /// Whether a rule is on.
  public subscript(rule: Rule) -> Bool {
    get { bits & (1 << UInt64(rule.rawValue)) != 0 }
    set {
      let bit: UInt64 = 1 << UInt64(rule.rawValue)
      bits = newValue ? bits | bit : bits & ~bit
    }
  }
}
