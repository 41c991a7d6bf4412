import HTTP
public import IdentityToolkit
public import System

/// Why an operation of Auth failed, how to correct it, and what is needed to continue.
///
/// No text in it has a token, a password or a code. Printing it shows none either.
public struct AuthError: Error, Sendable {
  /// The code, as in the SDKs.
  public let code: ErrorCode

  /// What happened.
  public let message: String

  /// What to do next, in one sentence.
  public private(set) var hint: String

  /// The name of the failure on the wire, from the backend or the identity provider.
  public let serverName: String?

  /// The e-mail address of the failure.
  public private(set) var email: String?

  /// The credential to continue with after resolving the conflict; the original one is used up.
  public let pendingCredential: Credential?

  /// The identity providers with which the owner of the e-mail address can sign in.
  ///
  /// Empty when the backend names none. Then the account has a password or uses e-mail links.
  public let verifiedProviders: [String]

  /// The sign-in provider that the project does not allow, if the code is `operationNotAllowed`.
  public private(set) var refusedProvider: String?

  /// Finishes a sign-in that needs a second factor.
  public private(set) var resolver: MultiFactorResolver?

  /// The first factor's response, for creating the resolver.
  private(set) var awaitedFactor: AwaitedSecondFactor?

  /// Further data from the backend, without secrets.
  public private(set) var details: JSON?

  /// The line of a script's function in which the sign-in failed, as `file:line`; nil outside of such functions.
  public private(set) var place: String?

  /// A failure; message and hint default to those of the code.
  public init(
    _ code: ErrorCode, _ message: String? = nil, hint: String? = nil, serverName: String? = nil,
    email: String? = nil, pendingCredential: Credential? = nil, verifiedProviders: [String] = [],
    details: JSON? = nil
  ) {
    self.code = code
    self.message = message ?? code.summary
    self.hint = hint ?? code.hint
    self.serverName = serverName
    self.email = email
    self.pendingCredential = pendingCredential
    self.verifiedProviders = verifiedProviders
    self.details = details
  }

  /// A sign-in that needs a second factor.
  init(awaiting factor: AwaitedSecondFactor, email: String?, details: JSON) {
    self.init(.secondFactorRequired, email: email, details: details)
    awaitedFactor = factor
  }

  /// A copy with an e-mail address, unless it has one already.
  func about(email: String) -> AuthError {
    var copy = self
    copy.email = self.email ?? email
    return copy
  }

  /// A copy that names the provider, if it is about one that the project does not allow.
  func refusing(_ providerID: String?) -> AuthError {
    guard code == .operationNotAllowed else { return self }
    var copy = self
    copy.refusedProvider = providerID
    return copy
  }

  /// A copy with further details.
  public func adding(_ more: JSONObject) -> AuthError {
    var copy = self
    var object = details?.object ?? [:]
    for (name, value) in more.entries { object[name] = value }
    copy.details = .object(object)
    return copy
  }

  /// A copy that names a line of a script's function, as `file:line`.
  public func failing(at place: String?) -> AuthError {
    var copy = self
    copy.place = place
    return copy
  }

  func hinting(_ hint: String) -> AuthError {
    var copy = self
    copy.hint = hint
    return copy
  }

  /// A copy with a resolver, if a second factor is needed.
  func resolvable(
    _ makeResolver: (AwaitedSecondFactor) -> MultiFactorResolver
  ) -> AuthError {
    guard let awaitedFactor else { return self }
    var copy = self
    copy.resolver = makeResolver(awaitedFactor)
    return copy
  }

  /// An error for a failed call, with the message and hint of its code.
  init(_ error: BackendError) {
    switch error {
    case .refused(let refusal):
      self.init(refusal)
    case .transport(let cause):
      self.init(error.code, cause.message, hint: error.hint)
    case .unexpected(let status, let message, _):
      self.init(
        error.code, message, hint: error.hint, details: ["status": .integer(Int64(status))])
    }
  }

  /// An error for a refusal, with the message of its code followed by the backend's.
  init(
    _ refusal: Refusal, email: String? = nil, pendingCredential: Credential? = nil
  ) {
    let code = refusal.code
    let words = refusal.detail.map(withoutWrapping) ?? ""
    var message = Self.summary(of: refusal)
    if refusal.error == nil, !refusal.rawName.isEmpty {
      message =
        code == .internalError
        ? "the backend returned \(refusal.rawName), for which luath has no error code"
        : "\(code.summary): \(refusal.rawName)"
    }
    if !words.isEmpty { message += ": \(words)" }
    self.init(
      code, message,
      hint: refusal.hint(Self.hint(for: refusal, hasCredential: pendingCredential != nil)),
      serverName: refusal.rawName.isEmpty ? nil : refusal.rawName, email: email,
      pendingCredential: pendingCredential,
      details: Self.details(of: refusal))
  }

  /// Details for scripts: the response of a blocking function, or the missing requirements of a password policy.
  private static func details(of refusal: Refusal) -> JSON? {
    switch refusal.error {
    case .blockingFunctionErrorResponse where refusal.details.count == 1:
      return refusal.details[0]
    case .passwordDoesNotMeetRequirements:
      let missing = missingRequirements(refusal.detail ?? "")
      return missing.isEmpty ? nil : ["missingRequirements": .array(missing.map { .string($0) })]
    case .invalidIdPResponse where refusal.details.isEmpty:
      return fault(in: refusal).map { ["reason": .string($0.rawValue)] }
    default: return refusal.details.isEmpty ? nil : .array(refusal.details)
    }
  }

  /// The fault at the identity provider, which a new credential would not avoid.
  private static func fault(in refusal: Refusal) -> ProviderFault? {
    refusal.detail.flatMap { ProviderFault(reportedBy: $0) }
  }

  /// The requirements in the brackets of `Missing password requirements: [A, B]`.
  private static func missingRequirements(_ words: String) -> [String] {
    guard let start = words.firstIndex(of: "["), let end = words.lastIndex(of: "]"), start < end
    else { return [] }
    return words[words.index(after: start)..<end].split(separator: ", ").map { String($0) }
  }

  private static func summary(of refusal: Refusal) -> String {
    switch (refusal.error, refusal.detail) {
    // The code's summary says that there was no response, but here there was one.
    case (.unavailable, _), (.deadlineExceeded, _): "the backend is unavailable"
    case (.invalidEmail, let detail?) where detail.contains(Self.otherAddress):
      "the link went to another e-mail address"
    case (.missingOrInvalidNonce, let detail?) where detail.contains(Self.usedToken):
      "an ID token with this nonce has signed in before"
    default: refusal.code.summary
    }
  }

  /// The backend's message for a link used with an address that it was not sent to.
  private static let otherAddress = "does not match the sign-in email"

  /// The backend's message for an ID token whose subject and nonce have signed in before.
  private static let usedToken = "Duplicate credential received"

  /// The backend's message for a credential without the raw nonce of its ID token.
  private static let noNonce = "Nonce is missing in the request"

  private static func hint(for refusal: Refusal, hasCredential: Bool) -> String {
    if let restriction = refusal.keyRestriction { return restriction.hint }
    return switch (refusal.error, refusal.detail) {
    // With e-mail enumeration protection, a change of address is refused with this message.
    case (.operationNotAllowed, let detail?) where detail.contains("verify the new email"):
      "the project protects against e-mail enumeration: verify the new address before changing to it"
    case (.unavailable, _), (.deadlineExceeded, _):
      "the backend is overloaded or being restarted: try again in a while"
    case (.invalidEmail, let detail?) where detail.contains(Self.otherAddress):
      "pass the address that the e-mail with the link was sent to"
    case (.invalidIdPResponse, let detail?) where ProviderFault(reportedBy: detail) != nil:
      fault(in: refusal)?.hint ?? refusal.code.hint
    case (.invalidIdPResponse, _), (.invalidCredentialOrProviderID, _), (.invalidPendingToken, _):
      "get a fresh credential with provider:getCredential() and use it once"
    case (.invalidLoginCredentials, _):
      "check the e-mail and the password; the project does not report which of the two failed"
    case (.missingOrInvalidNonce, let detail?) where detail.contains(Self.usedToken):
      "have the provider issue a new ID token for a new nonce: each nonce signs a user in once"
    case (.missingOrInvalidNonce, let detail?) where detail.contains(Self.noNonce):
      "have a token without a nonce: client:signIn(nil, { nonce = false }); or keep the whole "
        + "result, local tokens = client:signIn(), and pass rawNonce = tokens.rawNonce too"
    case (.emailExists, _) where !hasCredential:
      "sign in to the account of that address with auth:signIn, or use another address"
    case (.invalidTemporaryProof, _):
      "ask for a new code with provider:verifyPhoneNumber; the proof in err.pendingCredential works "
        + "within the hour"
    case (.federatedUserIDAlreadyLinked, _) where !hasCredential:
      "get a fresh credential with provider:getCredential() and pass it to auth:signIn"
    default: refusal.code.hint
    }
  }
}

extension AuthError: CustomStringConvertible {
  /// The code's name and number, the message and the hint.
  public var description: String { "\(code.rawValue) (\(code.number)): \(message); \(hint)" }
}

/// Removes the double parentheses with which emulators mark their own explanations.
private func withoutWrapping(_ words: String) -> String {
  guard words.hasPrefix("(("), words.hasSuffix("))"), words.utf8.count > 4 else { return words }
  return String(words.dropFirst(2).dropLast(2))
}
