internal import System
internal import HTTP
internal import IdentityToolkit

/// An identity provider's statement about a user, either verified or accepted without a check.
struct Assertion: Sendable {
  /// How long a pending token can be used, in seconds.
  static let pendingLifetime: Int64 = 3600

  let providerID: String
  /// The user's id at the provider.
  let rawID: String
  /// The address in lower case.
  var email: String?
  /// Whether the provider is trusted for the address: see `EmailTrust`.
  var isTrusted = false
  var displayName: String?
  var firstName: String?
  var lastName: String?
  var photoURL: String?
  var screenName: String?
  /// The provider's profile: `rawUserInfo`.
  var profile: JSON?
  /// Attributes of a SAML or OIDC response, for the tokens of this sign-in.
  var attributes: JSON?
  var idToken: Secret?
  var accessToken: Secret?
  var refreshToken: Secret?
  /// Seconds until the access token expires.
  var expiresIn: Int64?
  /// The `context` of the flow's `createAuthUri`.
  var context: String?

  init(providerID: String, rawID: String, tokens: ProviderTokens) {
    self.providerID = providerID
    self.rawID = rawID
    idToken = tokens.idToken
    accessToken = tokens.accessToken
    refreshToken = tokens.refreshToken
    expiresIn = tokens.expiresIn
  }

  var key: IdentityKey { IdentityKey(providerID: providerID, rawID: rawID) }

  var identity: LinkedIdentity {
    LinkedIdentity(
      providerID: providerID, rawID: rawID, email: email, displayName: displayName,
      photoURL: photoURL, screenName: screenName, isTrusted: isTrusted)
  }

  /// The `federatedId` of a response: for Google a URL, for the others the plain id.
  var federatedID: String {
    providerID == "google.com" ? "https://accounts.google.com/\(rawID)" : rawID
  }

  /// The `federatedId` in a response of Google's servers (measured): generic providers are named before the id.
  var qualifiedID: String {
    let isGeneric = ["oidc.", "saml."].contains { providerID.hasPrefix($0) }
    return isGeneric ? "\(providerID)/\(rawID)" : federatedID
  }

  /// Whether the account has the same address, or both have none.
  func hasAddress(of account: Account) -> Bool {
    sameText(email, account.email)
  }
}

struct ProviderTokens: Sendable {
  var idToken: Secret?
  var accessToken: Secret?
  var refreshToken: Secret?
  /// Seconds until the access token expires.
  var expiresIn: Int64?
}

/// Which providers are trusted for which e-mail addresses.
///
/// A provider that runs the mailbox knows its owner. The others are trusted if they assert that
/// they verified the address. Exceptions are Microsoft and Yahoo, where anybody can register work
/// and custom domains, and the social networks.
enum EmailTrust {
  private static let mailboxes: [String: [String]] = [
    "microsoft.com": ["outlook.com", "hotmail.com", "live.com", "msn.com"],
    "yahoo.com": ["yahoo.com", "ymail.com", "rocketmail.com"],
    "google.com": ["gmail.com", "googlemail.com"],
  ]

  /// Whether the address counts as the user's own.
  static func isTrusted(_ email: String, providerID: String, isAssertedVerified: Bool) -> Bool {
    if mailboxes[providerID]?.contains(EmailAddress.domain(email)) == true { return true }
    switch providerID {
    case "microsoft.com", "yahoo.com": return false
    // Never trusted, even if they assert that they verified the address (documented).
    case "facebook.com", "github.com", "twitter.com", "linkedin.com": return false
    // Apple asserts only addresses of its accounts and of its relay.
    case "apple.com": return true
    default: return isAssertedVerified
    }
  }
}

/// Unverified responses of providers: a test makes up the user's claims, and the emulator accepts them.
///
/// The credential is a JWT with any signature, or its claims as plain JSON; a SAML response is JSON too.
extension Backend {
  /// The assertion in a made-up credential.
  func believedAssertion(for request: IdentityRequest) throws(Refusal) -> Assertion {
    guard let providerID = request.answered("providerId").map(ScriptCase.lowered) else {
      throw Refusal(
        .invalidCredentialOrProviderID, "Invalid IdP response/credential: \(request.wholeURI)")
    }
    let idToken = request.answered("id_token")
    let accessToken = request.answered("access_token")
    var claims = try Self.madeUpClaims(idToken)
    if claims == nil { claims = try Self.madeUpClaims(accessToken) }
    guard let claims else {
      throw Self.unusable(idToken: idToken, accessToken: accessToken, of: providerID)
    }
    var tokens = ProviderTokens()
    tokens.idToken = idToken.map { Secret($0) }
    // Clients build their credentials from access tokens, so a response always has one.
    tokens.accessToken = Secret(
      accessToken ?? "FirebaseAuthEmulatorFakeAccessToken_\(providerID)")
    let saml = try request.answered("SAMLResponse").map { (text) throws(Refusal) -> SAMLAnswer in
      try SAMLAnswer(text)
    }
    var assertion = try Self.describe(claims, tokens, of: providerID)
    assertion.attributes = saml?.attributes
    if providerID.utf8.starts(with: "saml.".utf8) {
      if let nameID = saml?.nameID, EmailAddress.roughlyNormalized(nameID) != nil {
        assertion.email = nameID
      }
      assertion.isTrusted = true
      assertion.profile = saml?.attributes
    }
    return assertion
  }

  /// The claims of a token; nil if it cannot be read.
  private static func madeUpClaims(_ token: String?) throws(Refusal) -> JSONObject? {
    guard let token else { return nil }
    var claims: JSONObject?
    if token.utf8.first == UInt8(ascii: "{") {
      claims = ScriptValue.parse(token)?.object
      guard claims != nil else {
        throw Refusal(
          .invalidIdPResponse,
          "Unable to parse id_token: \(token) ((Auth Emulator failed to parse fake id_token as "
            + "strict JSON.))")
      }
    } else {
      let payload = UnsignedToken.payload(of: token)
      guard ScriptValue.isTrue(payload) else { return nil }
      claims = payload?.object ?? JSONObject()
    }
    guard let claims, ScriptValue.isTrue(claims["sub"]) else {
      throw Refusal(
        .invalidIdPResponse,
        "Invalid Idp Response: id_token missing required fields. ((Missing \"sub\" field. This field "
          + "is required and must be a unique identifier.))")
    }
    guard claims["sub"]?.string != nil else {
      throw Refusal(.invalidIdPResponse, "((The \"sub\" field must be a string.))")
    }
    return claims
  }

  private static func unusable(
    idToken: String?, accessToken: String?, of providerID: String
  ) -> Refusal {
    if let idToken {
      return Refusal(
        .invalidIdPResponse,
        "Unable to parse id_token: \(idToken) ((Auth Emulator only accepts strict JSON or JWTs as "
          + "fake id_tokens.))")
    }
    guard accessToken != nil else {
      return .notImplemented(
        "The Auth Emulator only supports sign-in with credentials (id_token required).")
    }
    guard providerID == "google.com" || providerID == "apple.com" else {
      return .notImplemented(
        "The Auth Emulator does not support \(providerID) sign-in with credentials.")
    }
    return .notImplemented(
      "The Auth Emulator only support sign-in with \(providerID) using id_token, not access_token. "
        + "Please update your code to use id_token.")
  }

  private static func describe(
    _ claims: JSONObject, _ tokens: ProviderTokens, of providerID: String
  ) throws(Refusal) -> Assertion {
    func text(_ name: String) throws(Refusal) -> String? {
      switch claims[name] {
      case nil, .null?: return nil
      case .string(let text)?: return text
      default:
        throw Refusal(.invalidIdPResponse, "((The \"\(name)\" field must be a string.))")
      }
    }
    var assertion = Assertion(
      providerID: providerID, rawID: claims["sub"]?.string ?? "", tokens: tokens)
    if ScriptValue.isTrue(claims["email"]) {
      assertion.email = try text("email").map(ScriptCase.lowered)
    }
    assertion.isTrusted = ScriptValue.isTrue(claims["email_verified"])
    assertion.displayName = try text("name")
    assertion.photoURL = try text("picture")
    assertion.screenName = try text("screen_name")
    guard providerID == "google.com" else {
      assertion.profile = .object(claims)
      return assertion
    }
    assertion.firstName = try text("given_name")
    assertion.lastName = try text("family_name")
    assertion.profile = .object(googleProfile(assertion))
    return assertion
  }

  /// The user's profile as Google's own API would return it.
  private static func googleProfile(_ assertion: Assertion) -> JSONObject {
    var scopes = "openid https://www.googleapis.com/auth/userinfo.profile"
    if assertion.email != nil { scopes += " https://www.googleapis.com/auth/userinfo.email" }
    var profile: JSONObject = ["granted_scopes": .string(scopes), "id": .string(assertion.rawID)]
    profile.set("name", assertion.displayName)
    profile.set("given_name", assertion.firstName)
    profile.set("family_name", assertion.lastName)
    profile["verified_email"] = .bool(assertion.isTrusted)
    profile["locale"] = "en"
    profile.set("email", assertion.email)
    profile.set("picture", assertion.photoURL)
    return profile
  }
}

/// A SAML response as tests write it: the parts that matter, in JSON.
struct SAMLAnswer {
  /// The name; nil if it is not a string.
  let nameID: String?
  /// The attribute statements, unchecked.
  let attributes: JSON?

  init(_ text: String) throws(Refusal) {
    guard let json = ScriptValue.parse(text) else {
      throw Refusal(verbatim: "INVALID_IDP_RESPONSE ((SAMLResponse is not valid JSON.))")
    }
    attributes = json["assertion"]?["attributeStatements"]
    let assertion = try Self.present(json["assertion"], "assertion")
    let subject = try Self.present(assertion["subject"], "assertion.subject")
    let name = try Self.present(subject["nameId"], "assertion.subject.nameId")
    // A name that is not a string is ignored, unless its JavaScript text looks like an e-mail address.
    guard name.string != nil || EmailAddress.roughlyNormalized(ScriptValue.text(name)) == nil else {
      throw Refusal(
        verbatim: "INVALID_IDP_RESPONSE ((assertion.subject.nameId must be a string.))")
    }
    nameID = name.string
  }

  private static func present(_ value: JSON?, _ path: String) throws(Refusal) -> JSON {
    if let value, ScriptValue.isTrue(value) { return value }
    throw Refusal(verbatim: "INVALID_IDP_RESPONSE ((Missing \(path) in SAMLResponse.))")
  }
}
