import Host
import IdentityToolkit

/// Errors of client and admin calls, by code and by the names that SDKs and servers use.
extension Catalogue {
  /// All error codes, in the order of `ErrorCode`.
  public static var errorCodes: [String] { ErrorCode.allCases.map(\.rawValue) }

  /// The error code for a name or message; nil when there is none.
  ///
  /// Accepts `weakPassword`, `Auth.ErrorCode.weakPassword`, `ERROR_WEAK_PASSWORD`, `auth/weak-password`, the
  /// servers' `WEAK_PASSWORD`, the number `17026`, and the whole message of a server or SDK.
  static func errorCode(named name: String) -> ErrorCode? {
    if let code = ErrorCode(rawValue: name) { return code }
    // `Auth.ErrorCode.weakPassword`, `FIRAuthErrorCodeWeakPassword`, `.weakPassword`
    let rest = name.firstRange(of: "ErrorCode").map { name[$0.upperBound...] }
    if let rest = rest ?? (name.hasPrefix(".") ? name[...] : nil), !rest.isEmpty {
      let plain = rest.trimmingPrefix(".").lowercased()
      return ErrorCode.allCases.first { $0.rawValue.lowercased() == plain }
    }
    // `WEAK_PASSWORD : Password should be at least 6 characters`
    let word = name.prefix { $0.isUppercase || $0.isNumber || $0 == "_" }
    if name.dropFirst(word.count).trimmingPrefix(" ").hasPrefix(":"),
      let refusal = ServerError(rawValue: String(word))
    {
      return refusal.code
    }
    // `Firebase: Error (auth/weak-password).`
    if let web = name.firstMatch(of: /auth\/[a-z-]+/), let code = code(ofWeb: String(web.output)) {
      return code
    }
    if let code = code(ofWeb: "auth/\(name.lowercased())") { return code }
    let upper = name.uppercased()
    if let refusal = ServerError(rawValue: upper) { return refusal.code }
    return ErrorCode.allCases.first {
      $0.name == upper || String($0.number) == name || $0.rawValue.uppercased() == upper
    }
  }

  /// The error code with a code of the Web SDK, of two the one with that name: `internalError` for
  /// `auth/internal-error`, which blocking functions cause too.
  private static func code(ofWeb web: String) -> ErrorCode? {
    let codes = ErrorCode.allCases.filter { $0.webCode == web.lowercased() }
    let plain = web.lowercased().filter { $0 != "-" }
    return codes.first { "auth/\($0.rawValue.lowercased())" == plain } ?? codes.first
  }

  /// The help for an error: its meaning, what to do, its other names, and the functions that raise it.
  func text(of code: ErrorCode, _ style: HelpStyle) -> String {
    var text = style.bold(code.rawValue) + "\n  error code\n"
    text += "\n" + style.wrapped(code.summary.sentence, indent: 2) + "\n"
    text += "\n\(style.bold("What to do"))\n"
    text += style.wrapped(code.hint.sentence, indent: 2) + "\n"
    var names = [("number", String(code.number)), ("Apple SDK", code.name)]
    names.append(("Web SDK", code.webCode))
    let wire = ServerError.allCases.filter { $0.code == code }.map(\.rawValue)
    if !wire.isEmpty { names.append(("servers", wire.joined(separator: ", "))) }
    text += "\n\(style.bold("Names"))\n" + style.list(names, indent: 2)
    let raisers = entries.filter { $0.current == nil }.compactMap { entry in
      entry.errors.first { $0.name == code.rawValue }.map { (entry.fullName, $0.summary) }
    }
    if !raisers.isEmpty {
      text += "\n\(style.bold("Raised by"))\n" + style.list(raisers, indent: 2)
    }
    return text
  }

  /// The errors that mention all words of a text; those with the words in their names first.
  static func errors(mentioning text: String) -> [ErrorCode] {
    let words = text.lowercased().split(separator: " ").map(String.init)
    guard !words.isEmpty else { return [] }
    var found: [(isNamed: Bool, code: ErrorCode)] = []
    for code in ErrorCode.allCases {
      let names = "\(code.rawValue) \(code.name) \(code.webCode)".lowercased()
      let prose = "\(names) \(code.summary) \(code.hint)".lowercased()
      guard words.allSatisfy({ prose.contains($0) }) else { continue }
      found.append((words.allSatisfy { names.contains($0) }, code))
    }
    return (found.filter(\.isNamed) + found.filter { !$0.isNamed }).map(\.code)
  }
}
