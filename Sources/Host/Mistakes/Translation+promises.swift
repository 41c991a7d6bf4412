import IdentityToolkit
import System

/// Promises of JavaScript, its names of errors, and its requests.
extension Translation {
  /// The methods of promises, in JavaScript and as they are written in Lua.
  static let promises: Set = ["then", "catch", "finally", "next", "andThen"]

  // MARK: Promises

  /// `promise.then((result) => …)`, or another link of a chain.
  mutating func promise(_ owner: Value, _ name: String) throws(Unclear) -> Value {
    mark("luath has no promises: the call waits and returns its result", -1)
    guard take("(") else { throw Unclear() }
    var value = owner
    // What follows `catch` runs in both cases.
    if name != "finally", owner.caught?.isEmpty == false { throw Unclear() }
    let callback = isClosureStart ? try body(.function) : nil
    var reference: String?
    if callback == nil { reference = Self.function(try expression().text) }
    switch name {
    case "then":
      if take(","), isClosureStart {
        guard owner.result == nil else { throw Unclear() }
        let handler = try body(.function)
        value.caught = handler.parameters.first ?? "err"
        value.handler = handler.body
      }
      follow(&value, callback, reference)
    case "catch":
      value.caught = callback?.parameters.first ?? "err"
      value.handler = callback?.body ?? reference.map { "\($0)(err)" } ?? ""
    default:
      value.last = callback?.body ?? reference.map { "\($0)()" } ?? ""
    }
    _ = take(",")
    try expect(")")
    return value
  }

  /// The name of a function that is passed on.
  private static func function(_ name: String) -> String? {
    name.hasPrefix("console.") ? "print" : name.hasPrefix("\"") ? nil : name
  }

  /// Adds a callback to what is done with the result of a call.
  private mutating func follow(_ value: inout Value, _ callback: Closure?, _ reference: String?) {
    let parameter = callback == nil ? "result" : callback?.parameters.first
    var (body, returned) = ("", String?.none)
    if let callback {
      (body, returned) = Self.split(callback)
    } else {
      returned = reference.map { "\($0)(result)" }
    }
    guard value.result != nil else {
      value.result = parameter ?? ""
      (value.after, value.returned) = (body, returned)
      return
    }
    var parts = [value.after]
    if value.after.contains(/\breturn\b/) {
      // The function returns to the next link.
      let function = Self.lines([value.after, value.returned.map { "return \($0)" } ?? ""])
      parts = []
      value.returned = "(function()\n\(function)\nend)()"
    }
    if let parameter {
      parts.append("local \(parameter)" + (value.returned.map { " = \($0)" } ?? ""))
    } else {
      parts.append(Self.statement(value.returned))
    }
    parts.append(body)
    let separator = isWhole ? "\n" : "; "
    value.after = parts.filter { !$0.isEmpty }.joined(separator: separator)
    value.returned = returned
    value.isChain = true
  }

  /// The body of a callback without the last `return`, and what that returns.
  private static func split(_ callback: Closure) -> (body: String, returned: String?) {
    if callback.isExpression { return ("", callback.body) }
    let start = callback.body.lastIndex(of: "\n").map { callback.body.index(after: $0) }
    let last = callback.body[(start ?? callback.body.startIndex)...]
    guard last.hasPrefix("return ") else { return (callback.body, nil) }
    let body = start.map { String(callback.body[..<$0].dropLast()) } ?? ""
    return (body, String(last.dropFirst("return ".count)))
  }

  /// A value as a statement; "" for one that does nothing.
  private static func statement(_ value: String?) -> String {
    guard let value, value.contains("(") || value.contains("{") else { return "" }
    let isCall = value.first?.isLetter == true && (value.hasSuffix(")") || value.hasSuffix("}"))
    let isOperation = value.contains(/\s(and|or|\.\.|[=~<>]=?|\+|-)\s/) || value.hasPrefix("not ")
    return isCall && !isOperation ? value : "local _ = \(value)"
  }

  /// The statements for a call with callbacks that return something, or with more than one.
  ///
  /// - Parameter name: The variable for what the last one returns; nil for none.
  mutating func chain(_ value: Value, name: String?) -> String {
    var inner = value
    let returned = value.returned
    (inner.returned, inner.isChain, inner.last) = (nil, false, "")
    let isInside = value.caught != nil && (value.isChain || name != nil && returned != nil)
    var end = Self.statement(returned)
    if let name, let returned { end = "\(isInside ? "" : "local ")\(name) = \(returned)" }
    // The variable of the result is the one of the chain if nothing is done with it.
    let own = returned == nil && name != nil ? name : nil
    if isInside { (inner.caught, inner.handler) = (nil, nil) }
    inner.after = [inner.after, end].filter { !$0.isEmpty }.joined(separator: isWhole ? "\n" : "; ")
    var text = statement(of: inner, name: own)
    if isInside, let caught = value.caught {
      let error = caught.isEmpty ? "err" : caught
      let handler = value.handler ?? ""
      let declared = returned != nil && name != nil ? "local \(name ?? "")" : ""
      text = [
        declared, "local ok, \(error) = pcall(function()", text, "end)",
        handler.isEmpty ? "" : Self.laidOut("if not ok then", handler, "end"),
      ].filter { !$0.isEmpty }.joined(separator: isWhole ? "\n" : " ")
    }
    return [text, value.last].filter { !$0.isEmpty }.joined(separator: isWhole ? "\n" : "; ")
  }

  /// The statements for `return` and a call with callbacks.
  mutating func returning(_ value: Value) -> String {
    var inner = value
    guard value.caught == nil, value.last.isEmpty, let returned = value.returned else {
      return statement(of: inner)
    }
    (inner.returned, inner.isChain) = (nil, false)
    return statement(of: inner) + (isWhole ? "\n" : "; ") + "return \(returned)"
  }

  /// The value in `await (…)`, if nothing is done with it.
  mutating func awaited() throws(Unclear) -> Value {
    var copy = self
    copy.at += 1
    let value = try copy.expression()
    guard copy.take(")"), copy.isAtLineEnd || copy.isAt(";") || copy.isAt("}") else {
      throw Unclear()
    }
    self = copy
    return value
  }

  // MARK: Errors

  /// Gives the error of a block another name, if the block raises errors and its own would hide the function.
  ///
  /// - Parameter start: A token before the error and its block.
  mutating func renameError(from start: Int) {
    guard
      let open = tokens[start...].firstIndex(where: {
        $0.is("{") || $0.startsLine && $0.is("throw")
      }),
      tokens[open].is("{"), tokens[start..<open].contains(where: { $0.is("error") })
    else { return }
    var (end, depth) = (open, 0)
    while end < tokens.count {
      let token = tokens[end]
      if token.kind == .symbol, ["{", "@{", "${"].contains(token.text) { depth += 1 }
      if token.is("}") { depth -= 1 }
      end += 1
      if depth == 0 { break }
    }
    guard tokens[open..<end].contains(where: { $0.is("throw") }) else { return }
    let other = tokens[open..<end].contains { $0.is("err") } ? "failure" : "err"
    for index in start..<end where tokens[index].is("error") {
      let isMember = index > 0 && (tokens[index - 1].is(".") || tokens[index - 1].is("?."))
      let next = index + 1 < end ? tokens[index + 1] : tokens[index]
      if isMember || next.is("(") || next.is(":") { continue }
      let old = tokens[index]
      tokens[index] = ForeignToken(
        kind: .name, text: other, range: old.range, startsLine: old.startsLine,
        touches: old.touches)
    }
  }

  /// The names in `AuthErrorCodes` of the JavaScript SDK that differ from the codes (its `core/errors.ts`).
  private static let codes = [
    "ADMIN_ONLY_OPERATION": "admin-restricted-operation",
    "CREDENTIAL_MISMATCH": "custom-token-mismatch",
    "CREDENTIAL_TOO_OLD_LOGIN_AGAIN": "requires-recent-login",
    "EMAIL_EXISTS": "email-already-in-use",
    "EXPIRED_OOB_CODE": "expired-action-code",
    "EXPIRED_POPUP_REQUEST": "cancelled-popup-request",
    "INVALID_AUTH": "invalid-user-token",
    "INVALID_CODE": "invalid-verification-code",
    "INVALID_IDP_RESPONSE": "invalid-credential",
    "INVALID_LOGIN_CREDENTIALS": "invalid-credential",
    "INVALID_MFA_SESSION": "invalid-multi-factor-session",
    "INVALID_OOB_CODE": "invalid-action-code",
    "INVALID_ORIGIN": "unauthorized-domain",
    "INVALID_PASSWORD": "wrong-password",
    "INVALID_SESSION_INFO": "invalid-verification-id",
    "MFA_INFO_NOT_FOUND": "multi-factor-info-not-found",
    "MFA_REQUIRED": "multi-factor-auth-required",
    "MISSING_ANDROID_PACKAGE_NAME": "missing-android-pkg-name",
    "MISSING_AUTH_DOMAIN": "auth-domain-config-required",
    "MISSING_CODE": "missing-verification-code",
    "MISSING_MFA_INFO": "missing-multi-factor-info",
    "MISSING_MFA_SESSION": "missing-multi-factor-session",
    "MISSING_SESSION_INFO": "missing-verification-id",
    "MODULE_DESTROYED": "app-deleted",
    "NEED_CONFIRMATION": "account-exists-with-different-credential",
    "OPERATION_NOT_SUPPORTED": "operation-not-supported-in-this-environment",
    "SECOND_FACTOR_ALREADY_ENROLLED": "second-factor-already-in-use",
    "SECOND_FACTOR_LIMIT_EXCEEDED": "maximum-second-factor-count-exceeded",
    "TOKEN_EXPIRED": "user-token-expired",
    "TOO_MANY_ATTEMPTS_TRY_LATER": "too-many-requests",
    "UNAUTHORIZED_DOMAIN": "unauthorized-continue-uri",
    "USER_DELETED": "user-not-found",
  ]

  /// The code that a member of the JavaScript SDK's `AuthErrorCodes` stands for; nil if luath has none.
  static func webCode(named name: String) -> String? {
    let code = "auth/" + (codes[name] ?? name.lowercased().replacing("_", with: "-"))
    return ErrorCode.allCases.contains { $0.webCode == code } ? code : nil
  }

  // MARK: Requests and tokens

  /// The payload of a token, decoded by hand.
  static var payload: Regex<(Substring, Substring)> {
    /(?:\w+[.:])?atob\((.+):split\(["']\.["']\)\[[12]\](?::replace\(.*\))*\)/
  }

  /// The fields of `provider.credential(idToken, accessToken)`; nil for another call.
  static func tokens(of call: Call) -> [String]? {
    guard call.receiver != nil, call.function == "credential", !call.isTable,
      call.arguments.count == 2, call.arguments.allSatisfy({ !$0.hasPrefix("{") })
    else { return nil }
    return zip(["idToken", "accessToken"], call.arguments).filter { $1 != "nil" }
      .map { "\($0) = \($1)" }
  }

  /// The request of `fetch`; nil if its options are not clear.
  func fetched(_ call: Call) -> Value? {
    guard let url = call.arguments.first, call.arguments.count < 3, !call.isTable else {
      return nil
    }
    var options = call.arguments.count == 2 ? call.arguments[1] : "{}"
    guard options.hasPrefix("{"), options.hasSuffix("}") else { return nil }
    options = String(options.dropFirst().dropLast().trimmed)
    var method = "get"
    if let found = options.firstMatch(of: /method = ["'](\w+)["'](?:, )?/) {
      method = found.output.1.lowercased()
      options.removeSubrange(found.range)
    }
    let bearer =
      #/
      (?: Authorization | authorization | \["Authorization"\] ) \s = \s
      (?: \("Bearer\s%s"\):format\( ([^()]+) \) | ["']Bearer\s["'] \s \.\. \s ([\w.:()]+?) )
      (?: ,\s | \s?(?=\}) )
      /#
    if let found = options.firstMatch(of: bearer) {
      let token = found.output.1 ?? found.output.2 ?? ""
      options.replaceSubrange(found.range, with: "")
      options = "bearer = \(token), \(options)"
    }
    if let found = options.wholeMatch(of: /(.*)body = json\.encode\((.*)\)(?:, ?)?/) {
      options = "\(found.output.1)json = \(found.output.2)"
    }
    options = options.replacing(/headers = \{\s*\}(?:, )?/, with: "")
    while options.hasSuffix(",") || options.hasSuffix(" ") { options.removeLast() }
    var request = Call(function: "require(\"luath.http\").\(method)")
    if !["get", "post", "put", "patch", "delete", "head"].contains(method) { return nil }
    request.arguments = [url] + (options.isEmpty ? [] : ["{ \(options) }"])
    var value = Value(request.text)
    value.call = request
    return value
  }
}
