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
      "answers and errors have the fields, the order and the words of Google's servers"
    case .protobufJSON:
      "bodies are JSON of protocol buffers: null is absent, the keys of maps stay, one value may stand for a list"
    case .checkedAPIKeys: "a project's API key, when it has one, must be right"
    case .knownTenantsOnly:
      "a tenant must have been created before it can be used, inherits no setting, and stays known when it is "
        + "deleted"
    case .furtherOperations:
      "operations Firebase's emulator lacks are there: password policy, provider configurations, keys, revoking"
    case .projectSettings:
      "every setting of a project and its tenants has effect: password policy, permissions, quotas, reCAPTCHA"
    case .signedTokens:
      "tokens are signed with RS256, and signature, issuer, audience and expiry are checked, with 300 seconds of grace"
    case .revocableSessions:
      "a session ends when it began before the account's validSince, which a new password or address sets"
    case .signedCustomTokens: "custom tokens must be signed by the project's service account"
    case .recentLogin:
      "deleting an account, a new address, a new password and second factors need a recent sign-in"
    case .hashedPasswords:
      "passwords are kept as hashes, which answers do not show, and imported hashes are verified"
    case .hiddenAddresses:
      "e-mail enumeration protection is on in projects that do not say otherwise, and covers changes of address"
    case .emailFormat:
      "an address must look like one that mail can reach, and a phone number like one that can be called"
    case .keepsEmailWithoutPassword: "an account that loses its password keeps its address"
    case .expiringCodes:
      "codes, proofs and pending credentials expire and belong to the account they were made for, and codes "
        + "of e-mails work once"
    case .checkedLinks:
      "e-mailed links and sign-in pages lead on to authorized domains only, and links are in the language asked for"
    case .totp: "second factors can be authenticator apps"
    case .provenFactors:
      "second factors are proved or set by an administrator, an account has at most five, and its older "
        + "sessions end with a phone or a withdrawal"
    case .limitedGuesses:
      "after ten wrong passwords, five wrong codes of an authenticator app or one e-mail to verify the "
        + "address, the next one is refused for five minutes"
    case .strictFunctions:
      "blocking functions have seven seconds, their outages are reported as such, and they are asked about "
        + "e-mails and SMS too"
    case .realProviders:
      "identity providers must be registered, and what they say is verified instead of believed"
    case .ownHostsOnly:
      "requests under a foreign host name are refused, those of apps too"
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
