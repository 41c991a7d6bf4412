import SignIn
import System
import HTTP
import Lua

extension SignInAnswers {
  static var parameters: [LuaParameter] {
    [
      LuaParameter("username", .string, "what the login form is given"),
      LuaParameter("password", .secret, optional: true),
      LuaParameter("consent", .boolean, optional: true, "false denies; true when not given"),
      LuaParameter("fields", .map(.secret), optional: true, "other fields, by name or label"),
      LuaParameter(
        "trustedOrigins", .list(.string), optional: true, "other sites that may have the password"),
      LuaParameter(
        "language", .string, optional: true,
        "as in Accept-Language; otherwise the languageCode of the Auth"),
    ]
  }

  init(_ call: LuaCall, _ index: Int, of function: String) throws(LuaError) {
    func wrong(_ words: String) -> LuaError {
      .message("bad argument #\(index) to '\(function)' (option \(words))")
    }
    guard let username = call.field(index, "username", { $0.string($1) }), !username.isEmpty else {
      throw wrong("'username' is missing")
    }
    self.init(
      username: username,
      password: call.field(index, "password") { $0.string($1) }.map { Secret($0) })
    consent = call.field(index, "consent") { $0.isNil($1) || $0.boolean($1) }
    fields = call.field(index, "fields") {
      Dictionary($0.stringPairs($1).map { ($0.0, Secret($0.1)) }) { $1 }
    }
    for text in call.field(index, "trustedOrigins", { $0.strings($1) }) {
      guard let url = WebURL(text), url.path == "/", url.query == nil, url.fragment == nil else {
        throw wrong("'trustedOrigins': an origin such as https://login.example.com expected")
      }
      trustedOrigins.append(url.origin)
    }
    languages = call.field(index, "language") { $0.string($1) }
    if let languages, !languages.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
      throw wrong("'language': tags of languages expected, such as fr or de-AT,de")
    }
  }
}

extension FormLimits {
  static var timeoutParameter: LuaParameter {
    LuaParameter("timeout", .number, optional: true, "seconds for the whole sign-in; 60")
  }

  init(_ call: LuaCall, _ index: Int, of function: String) throws(LuaError) {
    self.init()
    guard let seconds = call.field(index, "timeout", { $0.number($1) }) else { return }
    guard seconds > 0, seconds <= 86_400 else {
      throw .message(
        "bad argument #\(index) to '\(function)' (option 'timeout': more than 0 and at most 86400 "
          + "seconds)")
    }
    duration = .microseconds(Int64(seconds * 1e6))
  }
}
