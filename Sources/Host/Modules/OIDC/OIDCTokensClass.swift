import System
import Lua
import OIDC

/// The class `OIDCTokens`; not a table, so that printing it shows no tokens.
enum OIDCTokensClass {
  static func declare(_ interpreter: Interpreter) -> [Declaration] {
    let type = interpreter.classes.oidcTokens
    type.properties = [
      property("idToken", .string, "Who signed in, checked.") { .secret($0.idToken) },
      property("accessToken", .string, "For the provider's own interfaces.") {
        .secret($0.accessToken)
      },
      property("refreshToken", .string, "What client:refresh takes.") { .secret($0.refreshToken) },
      property("rawNonce", .string, "What Firebase asks for beside the ID token.") {
        .secret($0.rawNonce)
      },
      property("expiresIn", .integer, "How many seconds the access token lives.") {
        $0.expiresIn.map(LuaValue.integer) ?? .nil
      },
      property("scope", .string, "What was granted; nil when it is what was asked for.") {
        .string(ifAny: $0.scope)
      },
      property("tokenType", .string, "How the access token is used.") { .string($0.tokenType) },
      property("claims", .table, "The claims of the ID token.") { [unowned interpreter] tokens in
        tokens.claims.map { JSONBridge.value(.object($0), interpreter) } ?? .nil
      },
    ]
    type.describe = { object in
      let subject = (object as? OIDCTokensBox)?.claims?["sub"]?.string ?? "nobody known"
      return "OIDCTokens(\(subject.printable))"
    }
    return []
  }

  private static func property(
    _ name: String, _ kind: LuaParameter.Kind, _ summary: String,
    _ read: @escaping (OIDCTokensBox) -> LuaValue
  ) -> LuaClass.Property {
    .computed(name, kind, optional: true, summary) { call in
      call.push(call.object(1, as: OIDCTokensBox.self).map(read) ?? .nil)
      return .results(1)
    }
  }
}

final class OIDCTokensBox {
  let idToken: Secret?
  let accessToken: Secret?
  let refreshToken: Secret?
  let expiresIn: Int64?
  let scope: String?
  let tokenType: String
  let claims: JSONObject?
  let rawNonce: Secret?

  /// Creates tokens from a sign-in or a refresh; those that a refresh does not renew stay as before.
  init(_ tokens: OIDCTokens, after previous: OIDCTokensBox? = nil) {
    let response = tokens.response
    accessToken = response.accessToken
    refreshToken = response.refreshToken ?? previous?.refreshToken
    expiresIn = response.expiresIn
    scope = response.scope ?? previous?.scope
    tokenType = response.tokenType
    idToken = tokens.claims == nil ? previous?.idToken : response.idToken
    claims = tokens.claims ?? previous?.claims
    // The raw nonce belongs to the ID token that contains its hash.
    rawNonce =
      tokens.rawNonce ?? (claims?["nonce"] == previous?.claims?["nonce"] ? previous?.rawNonce : nil)
  }
}

extension LuaValue {
  static func secret(_ secret: Secret?) -> LuaValue { .string(ifAny: secret?.reveal()) }
}
