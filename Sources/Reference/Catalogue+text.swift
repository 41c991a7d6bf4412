import Host
import IdentityToolkit
import System

extension Catalogue {
  /// The help for a function, method, property or field in a terminal.
  ///
  /// For an older spelling it is the help of the current one, which lists the older ones.
  func text(of entry: ReferenceEntry, _ style: HelpStyle = HelpStyle()) -> String {
    if entry.current != nil {
      let today = current(of: entry)
      if today.current == nil { return text(of: today, style) }
    }
    var text = style.bold(entry.signature) + "\n"
    text += "  \(Self.kind(of: entry))\n"
    func part(_ title: String, _ body: String) {
      if !body.isEmpty { text += "\n\(style.bold(title))\n\(body)" }
    }
    text += "\n" + style.wrapped(entry.summary.withoutMarks, indent: 2) + "\n"
    if !entry.text.isEmpty {
      text += "\n" + style.wrapped(entry.text.withoutMarks, indent: 2) + "\n"
    }
    part("Arguments", style.list(entry.parameters.flatMap { Self.lines($0) }, indent: 2))
    if entry.kind == .function || entry.kind == .method {
      part("Results", style.list(entry.results.map(Self.result), indent: 2))
    }
    part("Errors", style.list(entry.errors.map { ($0.name, $0.summary) }, indent: 2))
    let older = pages.flatMap(\.entries).filter {
      $0.current == entry.name && $0.owner == entry.owner
    }
    let names = older.map(\.name) + Spellings.shared.functionNames(of: entry.owner, entry.name)
    if !names.isEmpty {
      part("Other spellings", style.wrapped(names.joined(separator: ", "), indent: 2) + "\n")
    }
    let labels = Spellings.shared.labelNames(ofUsage: entry.signature)
    if !labels.isEmpty {
      let words = "keys of one table as the only argument: \(labels.joined(separator: ", "))"
      part("Argument labels", style.wrapped(words, indent: 2) + "\n")
    }
    if !entry.example.isEmpty {
      let lines = entry.example.split(separator: "\n", omittingEmptySubsequences: false)
      part("Example", lines.map { $0.isEmpty ? "\n" : "  \($0)\n" }.joined())
    }
    return text
  }

  /// The help for a module or class, with its members.
  func text(of page: ReferencePage, _ style: HelpStyle = HelpStyle()) -> String {
    var text = style.bold(page.name) + "\n  \(page.subject.rawValue)\n"
    text += "\n" + style.wrapped(page.summary.withoutMarks, indent: 2) + "\n"
    if !page.text.isEmpty {
      text += "\n" + style.wrapped(page.text.withoutMarks, indent: 2) + "\n"
    }
    return text + members(page.entries, style)
  }

  /// The lists of properties, fields, functions and methods, without older spellings.
  func members(_ all: [ReferenceEntry], _ style: HelpStyle) -> String {
    var text = ""
    for (title, kinds) in [
      ("Properties", [ReferenceEntry.Kind.property]), ("Fields", [.field]),
      ("Functions", [.function]), ("Methods", [.method]),
    ] {
      let entries = all.filter { kinds.contains($0.kind) && $0.current == nil }
      guard !entries.isEmpty else { continue }
      let lines = style.list(entries.map { ($0.signature, $0.summary) }, indent: 2)
      text += "\n\(style.bold(title))\n\(lines)"
    }
    return text
  }

  /// The help for a name: an explanation, or otherwise the entries that mention it.
  ///
  /// - Returns: Nil when nothing mentions it.
  public func text(of name: String, _ style: HelpStyle = HelpStyle()) -> String? {
    explanation(of: name, style) ?? apropos(name, style)
  }

  /// The help for a name: its page, entry, error code or table, or a link to Lua's manual.
  ///
  /// - Returns: Nil when the name is unknown.
  public func explanation(of name: String, _ style: HelpStyle = HelpStyle()) -> String? {
    if let page = page(meantBy: name) { return text(of: page, style) }
    var entries = entries(meantBy: name)
    let error = Self.errorCode(named: name).map { self.text(of: $0, style) }
    let manual = Self.luaAddress(of: name)
    guard !entries.isEmpty else {
      return error ?? table(named: name).map { self.text(ofTable: $0, style) }
        ?? manual.map { "\(style.bold(name))\n  of Lua itself\n\n  \($0)\n" }
        ?? Spellings.shared.advice(forName: name).map {
          "\(style.bold(name))\n  a name of Firebase's SDKs, which luath does not have\n\n  \($0)\n"
        }
    }
    var text = text(of: entries.removeFirst(), style)
    // Older spellings are part of the current one's help.
    entries = entries.filter { $0.current == nil }
    if !entries.isEmpty {
      let list = style.list(entries.map { ($0.fullName, $0.summary) }, indent: 2)
      text += "\n\(style.bold("Others of that name"))\n\(list)"
    }
    if let error { text += "\n\(error)" }
    if let manual { text += "\nLua itself has \(name) too: \(manual)\n" }
    return text
  }

  /// The entries that mention some words, and the most similar name; nil when there is neither.
  public func apropos(_ text: String, _ style: HelpStyle = HelpStyle()) -> String? {
    let near = nearest(to: text)
    let mentions = mentions(of: text, style)
    guard near != nil || mentions != nil else { return nil }
    var answer = "nothing is called \(text.printable)"
    answer += near.map { "; did you mean \($0)?\n" } ?? ".\n"
    return answer + (mentions.map { "\n\($0)" } ?? "")
  }

  /// The most similar known name; nil when none is similar enough.
  public func nearest(to name: String) -> String? {
    if let code = name.firstRange(of: "ErrorCode.") {
      return nearestName(to: String(name[code.upperBound...]), among: Self.errorCodes)
    }
    return nearestName(to: name, among: names)
  }

  /// The lists of entries and errors that mention some words; nil when there are none.
  public func mentions(of text: String, _ style: HelpStyle = HelpStyle()) -> String? {
    let found = search(text).map { ($0.fullName, $0.summary) }
    let errors = Self.errors(mentioning: text).map { ($0.rawValue, $0.summary) }
    var lists: [String] = []
    if !found.isEmpty { lists.append("What mentions it:\n" + style.list(found, indent: 2)) }
    if !errors.isEmpty { lists.append("Errors about it:\n" + style.list(errors, indent: 2)) }
    return lists.isEmpty ? nil : lists.joined(separator: "\n")
  }

  /// The one-line help for a name: the signature of an entry or the summary of a page; nil when it is unknown.
  public func headline(of name: String) -> String? {
    if let page = page(named: name) { return page.summary }
    if let entry = entries(named: name).first { return current(of: entry).signature }
    return Self.errorCode(named: name).map { _ in "error code" }
  }

  /// The current spelling's entry, or the entry itself.
  func current(of entry: ReferenceEntry) -> ReferenceEntry {
    guard let name = entry.current else { return entry }
    let all = pages.flatMap(\.entries)
    // The name of another SDK's function may stand for a method: `User:link`.
    return all.first { $0.owner == entry.owner && $0.name == name }
      ?? all.first { $0.fullName == name } ?? entry
  }

  /// The list of all modules and classes.
  public func overview(_ style: HelpStyle = HelpStyle()) -> String {
    var text = ""
    for (title, subject) in [("Modules", ReferencePage.Subject.module), ("Classes", .class)] {
      let list = pages.filter { $0.subject == subject }.map { ($0.name, $0.summary) }
      text += "\(style.bold(title))\n\(style.list(list, indent: 2))\n"
    }
    return text
  }

  // MARK: Words

  private static func kind(of entry: ReferenceEntry) -> String {
    let words =
      switch entry.kind {
      case .function: "function of \(entry.owner)"
      case .method: "method of \(entry.owner)"
      case .property: "property of \(entry.owner)"
      case .field: "field of \(entry.owner)"
      }
    return entry.waits ? words + ", waits" : words
  }

  private static func lines(
    _ value: ReferenceEntry.Value, under path: String = ""
  ) -> [(name: String, words: String)] {
    let type = value.fields.isEmpty ? value.type : value.plainType
    let optional = value.isOptional ? "optional " : ""
    let words = [optional + type, value.summary].filter { !$0.isEmpty }.joined(separator: ": ")
    return [(path + value.name, words)]
      + value.fields.flatMap { lines($0, under: path + value.name + ".") }
  }

  private static func result(_ value: ReferenceEntry.Value) -> (name: String, words: String) {
    value.name.isEmpty
      ? (value.type, value.summary)
      : (value.name, [value.type, value.summary].filter { !$0.isEmpty }.joined(separator: ": "))
  }
}

extension ReferenceEntry.Value {
  /// The type with `table` in place of an options table, whose fields are listed separately.
  var plainType: String {
    var type = type
    while let open = type.firstIndex(of: "{") {
      var depth = 0
      var end = open
      for at in type[open...].indices {
        if type[at] == "{" { depth += 1 }
        if type[at] == "}" { depth -= 1 }
        end = at
        if depth == 0 { break }
      }
      type.replaceSubrange(open...end, with: "table")
    }
    return type
  }
}

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
    if let table = name.firstRange(of: "ErrorCode.") {
      return ErrorCode(rawValue: String(name[table.upperBound...]))
    }
    // `WEAK_PASSWORD : Password should be at least 6 characters`
    let word = name.prefix { $0.isUppercase || $0.isNumber || $0 == "_" }
    if name.dropFirst(word.count).trimmingPrefix(" ").hasPrefix(":"),
      let refusal = ServerError(rawValue: String(word))
    {
      return refusal.code
    }
    // `Firebase: Error (auth/weak-password).`
    if let web = name.firstMatch(of: /auth\/[a-z-]+/), web.output.count < name.count {
      return ErrorCode.allCases.first { $0.webCode == web.output }
    }
    let upper = name.uppercased()
    if let refusal = ServerError(rawValue: upper) { return refusal.code }
    return ErrorCode.allCases.first {
      $0.name == upper || $0.webCode == name.lowercased() || String($0.number) == name
        || $0.rawValue.uppercased() == upper
    }
  }

  /// The help for an error: its meaning, what to do, its other names, and the functions that raise it.
  func text(of code: ErrorCode, _ style: HelpStyle) -> String {
    var text = style.bold(code.rawValue) + "\n  error code\n"
    text += "\n" + style.wrapped(Self.sentence(code.summary), indent: 2) + "\n"
    text += "\n\(style.bold("What to do"))\n"
    text += style.wrapped(Self.sentence(code.hint), indent: 2) + "\n"
    var names = [("number", String(code.number)), ("Apple SDK", code.name)]
    names.append(("Web SDK", code.webCode))
    let wire = ServerError.allCases.filter { $0.code == code }.map(\.rawValue)
    if !wire.isEmpty { names.append(("servers", wire.joined(separator: ", "))) }
    text += "\n\(style.bold("Names"))\n" + style.list(names, indent: 2)
    let raisers = pages.flatMap(\.entries).filter { $0.current == nil }.compactMap { entry in
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

  private static func sentence(_ words: String) -> String {
    words.prefix(1).uppercased() + words.dropFirst() + "."
  }
}

/// The names of Lua's standard library, with links to Lua's manual.
extension Catalogue {
  /// The address in Lua's manual for a name; nil when the name is not Lua's.
  static func luaAddress(of name: String) -> String? {
    let manual = "https://www.lua.org/manual/5.4/manual.html#"
    if let section = luaLibraries[name] { return manual + section }
    let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
    let members = luaFunctions[parts.count > 1 ? parts[0] : ""] ?? []
    guard let member = parts.last, members.contains(member) else { return nil }
    return "\(manual)pdf-\(name)"
  }

  private static let luaLibraries = [
    "coroutine": "6.2", "package": "6.3", "string": "6.4", "utf8": "6.5", "table": "6.6",
    "math": "6.7", "io": "6.8", "os": "6.9", "debug": "6.10",
  ]

  /// The members of each library, from the index of the manual.
  private static let luaFunctions: [String: Set<String>] = [
    "": [
      "_G", "_VERSION", "assert", "collectgarbage", "dofile", "error", "getmetatable", "ipairs",
      "load", "loadfile", "next", "pairs", "pcall", "print", "rawequal", "rawget", "rawlen",
      "rawset", "require", "select", "setmetatable", "tonumber", "tostring", "type", "warn",
      "xpcall",
    ],
    "coroutine": [
      "close", "create", "isyieldable", "resume", "running", "status", "wrap", "yield",
    ],
    "debug": [
      "debug", "gethook", "getinfo", "getlocal", "getmetatable", "getregistry", "getupvalue",
      "getuservalue", "sethook", "setlocal", "setmetatable", "setupvalue", "setuservalue",
      "traceback", "upvalueid", "upvaluejoin",
    ],
    "io": [
      "close", "flush", "input", "lines", "open", "output", "popen", "read", "stderr", "stdin",
      "stdout", "tmpfile", "type", "write",
    ],
    "math": [
      "abs", "acos", "asin", "atan", "ceil", "cos", "deg", "exp", "floor", "fmod", "huge", "log",
      "max", "maxinteger", "min", "mininteger", "modf", "pi", "rad", "random", "randomseed", "sin",
      "sqrt", "tan", "tointeger", "type", "ult",
    ],
    "os": [
      "clock", "date", "difftime", "execute", "exit", "getenv", "remove", "rename", "setlocale",
      "time", "tmpname",
    ],
    "package": [
      "config", "cpath", "loaded", "loadlib", "path", "preload", "searchers", "searchpath",
    ],
    "string": [
      "byte", "char", "dump", "find", "format", "gmatch", "gsub", "len", "lower", "match", "pack",
      "packsize", "rep", "reverse", "sub", "unpack", "upper",
    ],
    "table": ["concat", "insert", "move", "pack", "remove", "sort", "unpack"],
    "utf8": ["char", "charpattern", "codepoint", "codes", "len", "offset"],
  ]
}
