internal import System
internal import OIDC
internal import IdentityToolkit

/// Passkeys as in Firebase's emulator: identified by the id of the credential, without any cryptography.
extension Backend {
  /// `accounts/passkeyEnrollment:start`: options for `navigator.credentials.create`.
  func startPasskeyEnrollment(_ call: Call) throws(Refusal) -> JSONObject {
    guard let idToken = call.fields.text("idToken") else { throw Refusal(.missingIDToken) }
    let account = try verify(idToken: idToken).account
    return [
      "credentialCreationOptions": [
        "rp": ["name": "localhost", "id": "localhost"],
        "user": [
          "id": .string(Base64.encode(Array(account.uid.utf8))),
          "name": .string(Self.shown(account.email) ?? "user@example.com"),
          "displayName": .string(Self.shown(account.displayName) ?? "User"),
        ],
        "challenge": .string(SecureRandom.token()),
        // COSE's numbers of ES256 and RS256 (RFC 9053 section 2.1, RFC 8812 section 2).
        "pubKeyCredParams": [
          ["type": "public-key", "alg": -7], ["type": "public-key", "alg": -257],
        ],
        "timeout": 60000, "attestation": "none",
      ]
    ]
  }

  /// `accounts/passkeyEnrollment:finalize`: stores a credential's id and signs in with it.
  func finalizePasskeyEnrollment(_ call: Call) throws(Refusal) -> JSONObject {
    let fields = call.fields
    guard let idToken = fields.text("idToken") else { throw Refusal(.missingIDToken) }
    guard let response = try fields.object("authenticatorRegistrationResponse") else {
      throw Refusal(verbatim: "MISSING_AUTHENTICATOR_RESPONSE")
    }
    let token = try verify(idToken: idToken)
    let id = try credentialID(of: response)
    guard accounts[passkey: id] == nil else { throw Refusal(.credentialAlreadyInUse) }
    var account = token.account
    let name = fields.text("name") ?? fields.text("displayName") ?? "Unnamed Passkey"
    account.passkeys = (account.passkeys ?? []) + [Passkey(credentialID: id, name: name)]
    var answer = try passkeyTokens(for: &account, authTime: token.session.authTime)
    answer["localId"] = .string(account.uid)
    return answer
  }

  /// `accounts/passkeySignIn:start`: options for `navigator.credentials.get`.
  func startPasskeySignIn(_ call: Call) throws(Refusal) -> JSONObject {
    [
      "credentialRequestOptions": [
        "challenge": .string(SecureRandom.token()), "rpId": "localhost",
        "userVerification": "required",
      ]
    ]
  }

  /// `accounts/passkeySignIn:finalize`: signs in to the account that has the credential.
  func finalizePasskeySignIn(_ call: Call) throws(Refusal) -> JSONObject {
    guard let response = try call.fields.object("authenticatorAuthenticationResponse") else {
      throw Refusal(verbatim: "MISSING_AUTHENTICATOR_RESPONSE")
    }
    guard var account = accounts[passkey: try credentialID(of: response)] else {
      throw Refusal(verbatim: "PASSKEY_CREDENTIAL_NOT_FOUND")
    }
    guard !account.isDisabled else { throw Refusal(.userDisabled) }
    account.lastLoginAt = nowMilliseconds
    return try passkeyTokens(for: &account, authTime: now)
  }

  /// The text; nil if it is empty.
  private static func shown(_ text: String?) -> String? {
    text.flatMap { $0.isEmpty ? nil : $0 }
  }

  private func credentialID(of response: JSONObject) throws(Refusal) -> String {
    guard let id = response["id"]?.string, !id.isEmpty else {
      throw Refusal(verbatim: "INVALID_CREDENTIAL_ID")
    }
    return id
  }

  private func passkeyTokens(
    for account: inout Account, authTime: Int64
  ) throws(Refusal) -> JSONObject {
    var tokens = try issueTokens(
      for: &account, SignInSession(provider: "passkey", authTime: authTime))
    tokens["expiresIn"] = nil
    return tokens
  }
}

/// A passkey of an account, by the id of its credential.
struct Passkey: Sendable {
  let credentialID: String
  var name: String?

  var wire: JSON {
    var entry: JSONObject = ["credentialId": .string(credentialID)]
    entry.set("name", name)
    return .object(entry)
  }
}

extension Passkey: Recorded {
  var record: JSONObject {
    var record: JSONObject = ["id": .string(credentialID)]
    record.set("name", name)
    return record
  }

  init?(record: JSONObject) {
    guard let id = record["id"]?.string else { return nil }
    self.init(credentialID: id, name: record["name"]?.string)
  }
}
