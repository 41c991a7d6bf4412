import Lua
import OIDC

enum OIDCOptions {
  /// Several words, in one string or in a list.
  private static var words: LuaParameter.Kind { .either([.string, .list(.string)]) }

  static var authorization: LuaParameter {
    LuaParameter(
      "options",
      .options([
        LuaParameter("scopes", .list(.string), optional: true, "the client's own when not given"),
        LuaParameter("loginHint", .string, optional: true, "who is likely to sign in"),
        LuaParameter("prompt", .string, optional: true, "none, login, consent or select_account"),
        LuaParameter(
          "maxAge", .integer, optional: true, "seconds ago the person may have signed in"),
        LuaParameter("uiLocales", words, optional: true, "languages of the pages"),
        LuaParameter("acrValues", words, optional: true, "how strongly to prove who it is"),
        LuaParameter("responseType", .string, optional: true, "code, id_token or code id_token"),
        LuaParameter("responseMode", .string, optional: true, "query, fragment or form_post"),
        LuaParameter("redirectURI", .string, optional: true, "the client's own when not given"),
        LuaParameter("parameters", .map(.string), optional: true, "of the provider's own"),
        LuaParameter(
          "hashNonce", .boolean, optional: true,
          "false sends the raw nonce; Firebase wants it hashed"),
      ]), optional: true)
  }

  static var logout: LuaParameter {
    LuaParameter(
      "options",
      .options([
        LuaParameter("idToken", .secret, optional: true, "of the session to end"),
        LuaParameter("redirectURI", .string, optional: true, "where the browser comes back to"),
        LuaParameter("logoutHint", .string, optional: true, "who signs out"),
        LuaParameter("uiLocales", words, optional: true, "languages of the pages"),
      ]), optional: true)
  }

  static func authorization(
    _ call: LuaCall, _ index: Int, _ function: String
  ) throws(LuaError) -> AuthorizationOptions {
    var options = AuthorizationOptions()
    guard call.isTable(index) else { return options }
    func text(_ name: String) -> String? { call.field(index, name) { $0.string($1) } }
    options.scopes = call.field(index, "scopes") { $0.isNil($1) ? nil : $0.strings($1) }
    options.loginHint = text("loginHint")
    options.prompt = text("prompt")
    options.maxAge = call.field(index, "maxAge") { $0.integer($1) }
    options.uiLocales = words(call, index, "uiLocales")
    options.acrValues = words(call, index, "acrValues")
    // Scripts do not count the object as an argument.
    if let name = text("responseType") {
      options.responseType = try OIDCModule.named(
        name, "responseType", function, at: index - 1)
    }
    if let name = text("responseMode") {
      options.responseMode = try OIDCModule.named(
        name, "responseMode", function, at: index - 1)
    }
    options.redirectURI = text("redirectURI")
    options.parameters = call.field(index, "parameters") { $0.stringPairs($1) }
      .map { (name: $0.0, value: $0.1) }
    options.hashesNonce = call.field(index, "hashNonce") { $0.isNil($1) || $0.boolean($1) }
    return options
  }

  static func words(_ call: LuaCall, _ index: Int, _ name: String) -> [String] {
    call.field(index, name) { call, at in
      if let text = call.string(at) { return text.split(separator: " ").map(String.init) }
      return call.isTable(at) ? call.strings(at) : []
    }
  }
}
