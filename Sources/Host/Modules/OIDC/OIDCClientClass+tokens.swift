import HTTP
import Lua
import OIDC
import System

extension OIDCClientClass {
  /// A parameter for a token, given as a string or within `OIDCTokens`.
  private static func token(_ name: String, _ interpreter: Interpreter) -> LuaParameter {
    LuaParameter(
      name, .either([.object(interpreter.classes.oidcTokens), .secret]),
      "the tokens of a sign-in, or the token itself")
  }

  static func tokens(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.wait(
      "refresh", "Gets new tokens; what the provider does not send again stays as it was.",
      [token("refreshToken", interpreter)], returns: "OIDCTokens"
    ) { [unowned interpreter] call throws(LuaError) in
      let previous = call.object(2, as: OIDCTokensBox.self)
      let token = try interpreter.token(call, 2, previous?.refreshToken, "refresh token")
      return interpreter.oidcTokens(call, after: previous) { client async throws(OIDCError) in
        try await client.refresh(token, previous: previous?.claims)
      }
    }
    methods.wait(
      "userinfo", "The data of the provider about the user.",
      [
        token("accessToken", interpreter),
        LuaParameter(
          "sub", .string, optional: true,
          "whom it must be about; known when the tokens are passed"),
      ], returns: "a table of claims"
    ) { [unowned interpreter] call throws(LuaError) in
      let tokens = call.object(2, as: OIDCTokensBox.self)
      let token = try interpreter.token(call, 2, tokens?.accessToken, "access token")
      let subject = call.string(3) ?? tokens?.claims?["sub"]?.string
      return interpreter.oidcEffect(call) { client async throws(OIDCError) in
        let claims = try await client.userinfo(token, subject: subject)
        return [JSONBridge.value(.object(claims), interpreter)]
      }
    }
    methods.wait(
      "verify", "Checks an ID token: signature, issuer, audience, times and nonce.",
      [
        LuaParameter("idToken", .secret),
        LuaParameter(
          "options",
          .options([
            LuaParameter(
              "nonce", .either([.secret, .boolean]), optional: true,
              "what it must carry; false leaves it unchecked"),
            LuaParameter("rawNonce", .secret, optional: true, "what the nonce is the SHA-256 of"),
            LuaParameter(
              "maxAge", .integer, optional: true, "maximum age of the sign-in in seconds"),
            LuaParameter(
              "accessToken", .secret, optional: true,
              "the access token of the same response, to compare at_hash"),
          ]), optional: true),
      ], returns: "a table of claims"
    ) { [unowned interpreter] call throws(LuaError) in
      let idToken = Secret(call.string(2) ?? "")
      let nonce = try nonceRule(call)
      var (maxAge, accessToken): (Int64?, Secret?) = (nil, nil)
      if call.isTable(3) {
        maxAge = call.field(3, "maxAge") { $0.integer($1) }
        accessToken = call.field(3, "accessToken") { $0.string($1) }.map { Secret($0) }
      }
      return interpreter.oidcEffect(call) { [maxAge, accessToken] client async throws(OIDCError) in
        let claims = try await client.verify(
          idToken, nonce: nonce, maxAge: maxAge, accessToken: accessToken)
        return [JSONBridge.value(.object(claims), interpreter)]
      }
    }
    methods.wait(
      "revoke", "Has the provider forget a token; of tokens, the refresh token if there is one.",
      [
        token("token", interpreter),
        LuaParameter("kind", .string, optional: true, "access_token or refresh_token"),
      ]
    ) { [unowned interpreter] call throws(LuaError) in
      let tokens = call.object(2, as: OIDCTokensBox.self)
      var kind: OIDCClient.TokenKind?
      if let name = call.string(3) { kind = try OIDCModule.named(name, "kind", "revoke", at: 2) }
      if kind == nil, let tokens {
        kind = tokens.refreshToken == nil ? .accessToken : .refreshToken
      }
      let held = kind == .accessToken ? tokens?.accessToken : tokens?.refreshToken
      let token = try interpreter.token(call, 2, held, "token of that kind")
      return interpreter.oidcEffect(call) { [kind] client async throws(OIDCError) in
        try await client.revoke(token, kind: kind)
        return []
      }
    }
  }

  /// The nonce check; by default a token with a nonce is refused, as it was issued for another request.
  private static func nonceRule(_ call: LuaCall) throws(LuaError) -> IDTokenRules.NonceRule {
    guard call.isTable(3) else { return .absent }
    let raw = call.field(3, "rawNonce") { $0.string($1) }
    let nonce = call.field(3, "nonce") { $0.string($1) }
    if let raw {
      guard nonce == nil else {
        throw .message("bad argument #2 to 'verify' (either 'nonce' or 'rawNonce', not both)")
      }
      return .exactly(Digest.sha256Hex(raw))
    }
    if let nonce { return .exactly(nonce) }
    let isUnchecked = call.field(3, "nonce") { !$0.isNil($1) && !$0.boolean($1) }
    return isUnchecked ? .unchecked : .absent
  }

  static func signOut(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.add(
      "logoutURL", "The page that signs the user out at the provider.", [OIDCOptions.logout],
      returns: "the address and, with redirectURI, the state of the redirect"
    ) { [unowned interpreter] call throws(LuaError) in
      let options = logoutOptions(call, 2)
      guard let client = call.object(1, as: OIDCClientBox.self)?.client else { return .results(0) }
      let logout = try interpreter.oidcChecked { () throws(OIDCError) in
        try client.logout(options)
      }
      call.push(logout.url.description)
      call.push(.secret(logout.state))
      return .results(2)
    }
    methods.wait(
      "logout", "Signs the user out at the provider's page.",
      [
        token("tokens", interpreter), AuthModule.delegate(interpreter), OIDCOptions.logout,
      ]
    ) { [unowned interpreter] call throws(LuaError) in
      var options = logoutOptions(call, 4)
      let tokens = call.object(2, as: OIDCTokensBox.self)
      options.idToken = try interpreter.token(call, 2, tokens?.idToken, "ID token")
      let delegate = try interpreter.delegate(call, 3, of: "client:logout(tokens)")
      let client = call.object(1, as: OIDCClientBox.self)?.client
      return { [options] () async throws(LuaError) in
        guard let client else { return [] }
        let pages = OIDCPages(client: client, delegate: delegate, interpreter: interpreter)
        try await pages.signOut(options)
        return []
      }
    }
  }

  private static func logoutOptions(_ call: LuaCall, _ index: Int) -> LogoutOptions {
    var options = LogoutOptions()
    guard call.isTable(index) else { return options }
    options.idToken = call.field(index, "idToken") { $0.string($1) }.map { Secret($0) }
    options.redirectURI = call.field(index, "redirectURI") { $0.string($1) }
    options.logoutHint = call.field(index, "logoutHint") { $0.string($1) }
    options.uiLocales = OIDCOptions.words(call, index, "uiLocales")
    return options
  }
}

extension Interpreter {
  /// The token given as a string, or the one from the given tokens.
  fileprivate func token(
    _ call: LuaCall, _ index: Int, _ held: Secret?, _ kind: String
  ) throws(LuaError) -> Secret {
    if let token = call.string(index) ?? held?.reveal() { return Secret(token) }
    throw luaError(
      OIDCError(
        .unusableRequest, "these tokens hold no \(kind)",
        hint: "ask for it when signing in: for a refresh token, with the scope offline_access"))
  }
}

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
      let subject = (object as? OIDCTokensBox)?.claims?["sub"]?.string ?? "an unknown user"
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
