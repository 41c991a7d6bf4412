@testable import Emulator

/// How a rule of Google's servers is known.
struct RuleEvidence: Sendable {
  /// The strongest source of most of the rule.
  enum Source: String, CaseIterable, Sendable {
    /// Recorded responses of Google's servers show it.
    case measured
    /// Google's documentation or the source code of its SDKs says it.
    case documented
    /// It is an assumption.
    case guessed
  }

  /// The source of most of the rule.
  let source: Source

  /// Parts of the rule that have a weaker source, in words; nil where it has one source.
  let exception: String?

  /// The source and the exception in one line, as the table in the documentation has them.
  var text: String { source.rawValue + (exception.map { "; \($0)" } ?? "") }

  init(_ source: Source, _ exception: String? = nil) {
    self.source = source
    self.exception = exception
  }
}

extension Rule {
  /// How the rule is known.
  var evidence: RuleEvidence {
    switch self {
    case .protobufJSON, .checkedAPIKeys, .knownTenantsOnly, .signedTokens,
      .revocableSessions,
      .signedCustomTokens, .hashedPasswords, .emailFormat, .hiddenAddresses,
      .keepsEmailWithoutPassword, .checkedLinks, .totp:
      RuleEvidence(.measured)
    case .googleAnswers:
      RuleEvidence(.measured, "guessed: what has no recording, as listed below")
    case .provenFactors:
      RuleEvidence(.measured, "guessed: the SMS code of a disabled account")
    case .strictFunctions:
      RuleEvidence(.measured, "guessed: a response that is not JSON")
    case .furtherOperations:
      RuleEvidence(.measured, "documented: revoking")
    case .projectSettings:
      RuleEvidence(.measured, "documented: quotas and the enforcement of reCAPTCHA")
    case .recentLogin:
      RuleEvidence(.measured, "guessed: the time limit outside of second factors")
    case .expiringCodes:
      RuleEvidence(.measured, "documented: the lifetimes of links")
    case .limitedGuesses:
      RuleEvidence(.measured, "guessed: the number of passwords and the five minutes")
    case .realProviders: RuleEvidence(.documented)
    case .ownHostsOnly: RuleEvidence(.guessed, "a protection of this machine")
    }
  }
}
