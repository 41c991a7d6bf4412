import HTTP
import IdentityToolkit
import OIDC
public import System

/// Verifies that a token was issued by the backend to a user of the project and is still valid.
///
/// It has the isolation of its transport and is not shared between threads.
final class TokenVerifier {
  /// How far the signer's clock may be ahead, in seconds.
  private static let leeway: Int64 = 60

  private let target: Target
  private let idTokenKeys: PublishedKeys
  private let sessionCookieKeys: PublishedKeys

  init(target: Target, transport: any Transport) {
    self.target = target
    func keys(_ kind: TokenKind) -> PublishedKeys {
      let (host, path) = kind.keys
      return PublishedKeys(
        at: Self.address(target.base(of: host) + path), over: transport,
        mayBeAbsent: target.isEmulated)
    }
    idTokenKeys = keys(.idToken)
    sessionCookieKeys = keys(.sessionCookie)
  }

  private static func address(_ text: String) -> WebURL {
    guard let url = WebURL(text) else {
      preconditionFailure("the address of the keys is built from constants and an origin")
    }
    return url
  }

  /// Verifies a token of a kind, issued for the project and, if given, for the tenant.
  ///
  /// It cannot check whether the token was revoked.
  func verify(
    _ token: Secret, as kind: TokenKind, tenantID: String?, now: Int64
  ) async throws(AdminError) -> VerifiedToken {
    let text = token.reveal()
    let jwt: JWT
    do throws(JOSEError) {
      jwt = try JWT(decoding: text)
    } catch {
      throw AdminError(kind.invalid, "this is no \(kind.noun): \(error.message)")
    }
    try refuseOthers(jwt.claims, kind)
    try await checkSignature(of: jwt, text, kind, now)
    let claims = try checkedClaims(of: jwt, kind, now)
    try check(tenantOf: jwt.claims, kind, tenantID)
    return claims
  }

  /// Reports what the token is if it is a common token of another kind.
  ///
  /// Only claims that lead to rejection are read here, because the signature is not checked yet.
  private func refuseOthers(_ claims: JSONObject, _ kind: TokenKind) throws(AdminError) {
    if claims["aud"] == .string(Admin.customTokenAudience) {
      throw AdminError(
        kind.invalid, "this is a custom token, and no \(kind.noun)",
        hint: "sign in with it first, and pass the user's ID token to \(kind.verifier)")
    }
    let issuer = claims["iss"]?.string ?? ""
    for other in TokenKind.allCases where other != kind && issuer.hasPrefix(other.issuerStart) {
      throw AdminError(
        kind.invalid, "this is \(other.article), and no \(kind.noun)",
        hint: "pass it to \(other.verifier)")
    }
  }

  private func checkSignature(
    of jwt: JWT, _ text: String, _ kind: TokenKind, _ now: Int64
  ) async throws(AdminError) {
    let source = kind == .idToken ? idTokenKeys : sessionCookieKeys
    if target.isEmulated, jwt.algorithmName == "none" {
      // An emulator that signs its tokens issues no unsigned ones.
      guard try await source.keys(naming: nil, now: now) == nil, text.utf8.last == UInt8(ascii: ".")
      else { throw AdminError(kind.invalid, "the \(kind.noun) is not signed") }
      return
    }
    // Checked first, so that a token that cannot be valid causes no request for keys.
    guard jwt.algorithmName == Algorithm.rs256.rawValue else {
      throw AdminError(kind.invalid, "the \(kind.noun) is not signed with RS256")
    }
    guard let keyID = jwt.keyID else {
      throw AdminError(kind.invalid, "the \(kind.noun) does not name the key that signed it")
    }
    guard let keys = try await source.keys(naming: keyID, now: now) else {
      throw AdminError(
        kind.invalid, "the \(kind.noun) is signed, and this emulator signs nothing",
        hint: "pass a token that this emulator issued")
    }
    do throws(JOSEError) {
      try jwt.verify(keys, algorithms: [.rs256])
    } catch {
      throw AdminError(kind.invalid, "the \(kind.noun) is refused: \(error.message)")
    }
  }

  private func checkedClaims(
    of jwt: JWT, _ kind: TokenKind, _ now: Int64
  ) throws(AdminError) -> VerifiedToken {
    let claims = jwt.claims
    let rules = IDTokenRules(
      issuer: kind.issuerStart + target.projectID, audience: target.projectID, nonce: .unchecked,
      now: now, leeway: Self.leeway)
    do throws(OIDCError) {
      try rules.check(jwt)
    } catch {
      throw refusal(error, kind)
    }
    // The leeway is only for times in the future.
    guard let expiry = claims["exp"]?.number, Double(now) < expiry else {
      throw AdminError(kind.expired)
    }
    guard let uid = claims["sub"]?.string, (1...128).contains(uid.utf16.count) else {
      throw AdminError(kind.invalid, "the \(kind.noun)'s sub has not 1 to 128 characters")
    }
    guard let authTime = claims["auth_time"]?.number,
      (0...Double(now + Self.leeway)).contains(authTime)
    else {
      throw AdminError(
        kind.invalid, "the \(kind.noun)'s auth_time is missing or in the future",
        hint: "set this machine's clock right")
    }
    return VerifiedToken(uid: uid, authTime: Int64(authTime), claims: claims)
  }

  private func refusal(_ error: OIDCError, _ kind: TokenKind) -> AdminError {
    switch error.code {
    case .expired: AdminError(kind.expired)
    case .wrongAudience, .wrongIssuer:
      AdminError(
        kind.invalid, "the \(kind.noun) is not for the project \(target.projectID)",
        hint: "pass a token of a user of this project, or choose the target it was issued for")
    case .notYetValid:
      AdminError(
        kind.invalid, "the \(kind.noun) was issued in the future",
        hint: "set this machine's clock right")
    default:
      AdminError(kind.invalid, "the \(kind.noun) lacks a claim, or has one of the wrong type")
    }
  }

  private func check(
    tenantOf claims: JSONObject, _ kind: TokenKind, _ tenantID: String?
  ) throws(AdminError) {
    guard let tenantID else { return }
    guard claims["firebase"]?["tenant"] == .string(tenantID) else {
      throw AdminError(
        .tenantIDMismatch, "the \(kind.noun) is not for the tenant \(tenantID)",
        hint: "verify it with admin:authForTenant of the user's tenant")
    }
  }
}

/// The kinds of tokens that the backend issues to users and administrators verify.
enum TokenKind: CaseIterable {
  case idToken
  case sessionCookie

  /// The name in messages.
  var noun: String {
    switch self {
    case .idToken: "ID token"
    case .sessionCookie: "session cookie"
    }
  }

  /// The name with its article.
  var article: String {
    switch self {
    case .idToken: "an ID token"
    case .sessionCookie: "a session cookie"
    }
  }

  /// The script function that verifies it, for hints.
  var verifier: String {
    switch self {
    case .idToken: "admin:verifyIDToken"
    case .sessionCookie: "admin:verifySessionCookie"
    }
  }

  /// The `iss` claim before the project id.
  var issuerStart: String {
    switch self {
    case .idToken: "https://securetoken.google.com/"
    case .sessionCookie: "https://session.firebase.google.com/"
    }
  }

  /// Host and path of the signer's X.509 certificates by key id.
  var keys: (host: String, path: String) {
    switch self {
    case .idToken:
      (
        "www.googleapis.com",
        "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"
      )
    case .sessionCookie: ("www.googleapis.com", "/identitytoolkit/v3/relyingparty/publicKeys")
    }
  }

  var invalid: ErrorCode {
    switch self {
    case .idToken: .invalidIDToken
    case .sessionCookie: .invalidSessionCookie
    }
  }

  var expired: ErrorCode {
    switch self {
    case .idToken: .idTokenExpired
    case .sessionCookie: .sessionCookieExpired
    }
  }

  var revoked: ErrorCode {
    switch self {
    case .idToken: .idTokenRevoked
    case .sessionCookie: .sessionCookieRevoked
    }
  }
}

/// The claims of a verified token.
public struct VerifiedToken: Sendable {
  /// The user's uid: the claim `sub`.
  public let uid: String

  /// When the user last signed in, in seconds since 1970.
  let authTime: Int64

  /// All claims, including custom ones.
  public let claims: JSONObject
}
