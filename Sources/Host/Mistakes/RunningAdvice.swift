import Lua
import System

/// What to write in place of a line of Lua that failed, by the message about it.
struct RunningAdvice {
  private let lines: LuaLines
  private let names: ForeignNames

  init(_ source: [UInt8], _ names: ForeignNames) {
    lines = LuaLines(source)
    self.names = names
  }

  /// The advice for a message of Lua or luath about a line, from 1; nil if no other line is certain.
  func hint(_ message: String, line: Int) -> String? {
    let tokens = lines.tokens(inLine: line)
    guard !tokens.isEmpty else { return nil }
    if let match = message.firstMatch(of: /attempt to call an? (.+) value \(\w+ '(\w+)'\)/) {
      return called(String(match.output.2), isNil: match.output.1 == "nil", tokens)
    }
    if message.contains("(for iterator ") { return loop(tokens) }
    if let match = message.firstMatch(of: /attempt to index a nil value(?: \(\w+ '(\w+)'\))?/) {
      return promise(tokens) ?? absentUser(match.output.1.map(String.init) ?? "", tokens)
    }
    if let match = message.firstMatch(of: /attempt to add a '(\w+)' with a '(\w+)'/) {
      return joined(String(match.output.1), String(match.output.2), tokens)
    }
    if let match = message.firstMatch(of: /attempt to concatenate an? .+ value \(\w+ '(\w+)'\)/) {
      return concatenated(String(match.output.1), tokens)
    }
    if let match = message.firstMatch(of: /^(?:(\w+)|.*?) has no field '(\w+)'/) {
      let owner = match.output.1.map(String.init) ?? ""
      return member(String(match.output.2), of: owner, message, tokens)
    }
    if let match = message.firstMatch(of: /has no '(\w+)'/) {
      return provider(String(match.output.1), tokens)
    }
    if let match = message.firstMatch(of: /(?:to|calling) '(?:\w+\.)?(\w+)'/) {
      return argument(String(match.output.1), message, tokens)
    }
    return nil
  }

  // MARK: Places

  /// The last place of a member, as calls nest to the left.
  private func place(_ name: String, _ tokens: Range<Int>) -> Int? {
    tokens.last {
      $0 > 1 && lines.isName($0) && lines.tokens[$0].word == name && lines.isAt($0 - 1, ".", ":")
    }
  }

  private func receiver(_ name: Int) -> Range<Int> {
    lines.start(ofValueEndingAt: name - 2)..<name - 1
  }

  private func write(_ range: Range<Int>, _ text: String) -> String {
    "write \(lines.line(replacing: range, with: text))"
  }

  // MARK: Calls

  private func called(_ name: String, isNil: Bool, _ tokens: Range<Int>) -> String? {
    if let hint = provider(name, tokens) ?? promise(tokens) { return hint }
    guard let place = place(name, tokens), let call = lines.call(of: place) else { return nil }
    let receiver = lines.text(call.receiver)
    if !isNil || names.properties.contains(name) {
      return "\(name) is a property, which is not called; "
        + write(place - 1..<call.range.upperBound, ".\(name)")
    }
    let arguments = lines.arguments(of: call)
    let texts = arguments.map(lines.text).joined(separator: ", ")
    if let line = Self.list[name] ?? Self.strings[name] {
      let text = line.replacing("LIST", with: receiver).replacing("ARGUMENTS", with: texts)
      return write(call.range, text)
    }
    guard let function = arguments.first, arguments.count == 1, name == "forEach" || name == "map"
    else { return nil }
    return forEach(call, function, isMap: name == "map")
  }

  /// What lists and strings have in place of other languages' methods.
  private static let list = [
    "append": "table.insert(LIST, ARGUMENTS)", "push": "table.insert(LIST, ARGUMENTS)",
    "addObject": "table.insert(LIST, ARGUMENTS)", "pop": "table.remove(LIST)",
    "removeLast": "table.remove(LIST)", "shift": "table.remove(LIST, 1)",
    "removeFirst": "table.remove(LIST, 1)", "join": "table.concat(LIST, ARGUMENTS)",
    "joined": "table.concat(LIST, ARGUMENTS)", "length": "#LIST", "count": "#LIST",
    "toString": "tostring(LIST)",
  ]
  private static let strings = [
    "toLowerCase": "LIST:lower()", "lowercased": "LIST:lower()", "toUpperCase": "LIST:upper()",
    "uppercased": "LIST:upper()", "trim": "LIST:match(\"^%s*(.-)%s*$\")",
    "startsWith": "LIST:find(ARGUMENTS, 1, true) == 1",
    "hasPrefix": "LIST:find(ARGUMENTS, 1, true) == 1",
  ]

  /// The loop in place of `list:forEach(f)` or `local names = list:map(f)`.
  private func forEach(_ call: LuaLines.Call, _ function: Range<Int>, isMap: Bool) -> String? {
    let list = lines.text(call.receiver)
    let open = function.lowerBound + 1
    if !isMap, lines.isAt(function.lowerBound, "function"), lines.isAt(open, "("),
      lines.isName(open + 1), lines.isAt(open + 2, ")")
    {
      let body = lines.text(open + 3..<function.upperBound)
      return "Lua has no forEach; "
        + write(call.range, "for _, \(lines.tokens[open + 1].word) in ipairs(\(list)) do \(body)")
    }
    let isLiteral = lines.isAt(function.lowerBound, "function")
    let value = isLiteral ? "(\(lines.text(function)))(item)" : "\(lines.text(function))(item)"
    guard isMap else {
      return "Lua has no forEach; "
        + write(call.range, "for _, item in ipairs(\(list)) do \(value) end")
    }
    let target = call.range.lowerBound - 2
    guard lines.isAt(target + 1, "="), lines.isName(target), lines.isAt(target - 1, "local") else {
      return nil
    }
    let name = lines.tokens[target].word
    return "Lua has no map; "
      + write(
        target..<call.range.upperBound,
        "\(name) = {} for index, item in ipairs(\(list)) do \(name)[index] = \(value) end")
  }

  fileprivate static let noPromises =
    "luath has no promises: the call waits and returns its result"
  private static let promises: Set = ["next", "andThen", "catch", "finally", "done"]

  /// The advice for `auth:signIn(credential):next(f)`.
  private func promise(_ tokens: Range<Int>) -> String? {
    guard
      let place = tokens.last(where: {
        lines.isName($0) && Self.promises.contains(lines.tokens[$0].word)
          && lines.isAt($0 - 1, ".", ":") && lines.isAt($0 - 2, ")", "}")
      }), let call = lines.call(of: place)
    else { return nil }
    var range = call.receiver
    var isCaught = ["catch", "finally"].contains(lines.tokens[place].word)
    while let last = lastCall(in: range), Self.promises.contains(lines.tokens[last.name].word) {
      isCaught = isCaught || lines.tokens[last.name].word == "catch"
      range = last.receiver
    }
    let why = "\(Self.noPromises); "
    let isUsed = lines.isAt(call.range.lowerBound - 1, "=", "return")
    guard isCaught, let last = lastCall(in: range) else {
      return why + write(call.range, (isUsed ? "" : "local result = ") + lines.text(range))
    }
    let caught = "pcall(\(lines.caught(last).joined(separator: ", ")))"
    return why + write(call.range, (isUsed ? "" : "local ok, result = ") + caught)
  }

  /// The call that ends some tokens.
  private func lastCall(in range: Range<Int>) -> LuaLines.Call? {
    range.compactMap { lines.call(of: $0) }.last { $0.range == range }
  }

  /// A loop over a table, which Lua takes for a function.
  private func loop(_ tokens: Range<Int>) -> String? {
    guard let start = tokens.first(where: { lines.isAt($0, "for") }),
      let word = tokens.first(where: { $0 > start && lines.isAt($0, "in") }),
      let end = tokens.first(where: { $0 > word && lines.isAt($0, "do") }), word > start + 1
    else { return nil }
    let variables = lines.text(start + 1..<word)
    let list = lines.text(word + 1..<end)
    let isPlain = !variables.contains(",")
    let isList = isPlain || ["_", "i", "index"].contains(lines.tokens[start + 1].word)
    return "Lua walks a list with ipairs and a table with pairs; "
      + write(
        start + 1..<end,
        "\(isPlain ? "_, " : "")\(variables) in \(isList ? "ipairs" : "pairs")(\(list))")
  }

  // MARK: Operators

  private func joined(_ left: String, _ right: String, _ tokens: Range<Int>) -> String? {
    let signs = tokens.filter { lines.isAt($0, "+") }
    guard !signs.isEmpty, left == "string" || right == "string" else { return nil }
    var changes = signs.map { (range: $0..<$0 + 1, text: "..") }
    if signs.count == 1 {
      let first = lines.start(ofValueEndingAt: signs[0] - 1)..<signs[0]
      let second = lines.value(at: signs[0] + 1)
      for (range, type) in [(first, left), (second, right)]
      where type != "string" && type != "number" {
        changes.append((range: range, text: "tostring(\(lines.text(range)))"))
      }
    }
    return "Lua joins texts with ..; write \(lines.line(replacing: changes))"
  }

  private func concatenated(_ name: String, _ tokens: Range<Int>) -> String? {
    let found = tokens.last {
      lines.isName($0) && lines.tokens[$0].word == name && !lines.isAt($0 + 1, ".", ":", "(", "[")
        && (lines.isAt($0 + 1, "..") || lines.isAt(lines.start(ofValueEndingAt: $0) - 1, ".."))
    }
    guard let found else { return nil }
    let range = lines.start(ofValueEndingAt: found)..<found + 1
    return write(range, "tostring(\(lines.text(range)))")
  }

  // MARK: Members

  private func absentUser(_ name: String, _ tokens: Range<Int>) -> String? {
    guard
      let place = lines.tokens.indices.last(where: {
        $0 < tokens.upperBound && lines.isName($0) && lines.tokens[$0].word == name
          && lines.isAt($0 + 1, "=") && lines.isName($0 + 2)
      })
    else { return nil }
    let value = lines.value(at: place + 2)
    guard lines.tokens[value.upperBound - 1].word == "currentUser" else { return nil }
    let owner = lines.text(value.lowerBound..<value.upperBound - 2)
    return "nobody is signed in, so \(name) is nil: call \(owner):signIn(credential) before, "
      + "or test it with if \(name) then"
  }

  /// What to write in place of the fields of lists in other languages.
  private static let counts = [
    "length": "#LIST", "count": "#LIST", "size": "#LIST", "isEmpty": "#LIST == 0",
    "first": "LIST[1]", "last": "LIST[#LIST]",
  ]

  private func member(
    _ name: String, of owner: String, _ message: String, _ tokens: Range<Int>
  ) -> String? {
    if let hint = promise(tokens) { return hint }
    guard let place = place(name, tokens) else { return nil }
    let range = receiver(place)
    let text = lines.text(range)
    if message.hasPrefix("a list ") {
      return called(name, isNil: true, tokens)
        ?? Self.counts[name].map {
          write(range.lowerBound..<place + 1, $0.replacing("LIST", with: text))
        }
    }
    if owner == "Auth", names.members("User").contains(name) {
      return "\(name) belongs to the user; " + write(range, "\(text).currentUser")
    }
    if message.hasPrefix(AuthRecord.result.rawValue), names.members("User").contains(name) {
      return "\(name) belongs to the user; " + write(range, "\(text).user")
    }
    if owner == "User", names.members("Auth").contains(name) {
      let isKnown = lines.tokens.contains { $0.kind == .name && $0.word == "auth" }
      return "\(name) belongs to Auth; " + write(range, isKnown ? "auth" : "Auth.auth()")
    }
    return Spellings.shared.absent[name]
  }

  /// The advice for a provider of the SDKs that luath has under its id: `Auth.MicrosoftAuthProvider()`.
  private func provider(_ name: String, _ tokens: Range<Int>) -> String? {
    guard
      let match = Spellings.shared.absent[name]?.wholeMatch(
        of: /write Auth(\.OAuthProvider\(.*\))/),
      let place = place(name, tokens), !lines.isAt(place + 1, ".", ":")
    else { return nil }
    let end = lines.isCallStart(place + 1) ? lines.end(ofArguments: place + 1) : place + 1
    let owner = lines.text(receiver(place))
    return write(receiver(place).lowerBound..<end, "\(owner)\(match.output.1)")
  }

  // MARK: Arguments

  private func argument(_ name: String, _ message: String, _ tokens: Range<Int>) -> String? {
    guard let place = place(name, tokens), let call = lines.call(of: place) else { return nil }
    let usage = message.firstMatch(of: /usage: (\S*?[.:])(\w+)\(/)?.output.1 ?? ""
    if message.contains("on bad self"), call.isMethod, usage.hasSuffix(".") {
      return "\(name) is a function of \(lines.text(call.receiver)), which is called with a dot; "
        + write(place - 1..<place, ".")
    }
    if message.contains("with a colon"), !call.isMethod, !call.receiver.isEmpty {
      return write(place - 1..<place, ":")
    }
    if message.contains("(no value expected"), message.contains("\(name)())") {
      return "\(name) takes no arguments; "
        + write(call.arguments..<call.range.upperBound, "()")
    }
    if let hint = labelled(call, message) { return hint }
    guard name == "signIn", message.contains("bad argument #1 ") else { return nil }
    if let hint = tokens.lazy.compactMap({ provider(lines.tokens[$0].word, tokens) }).first {
      return hint
    }
    let arguments = lines.arguments(of: call)
    let open = call.arguments..<call.range.upperBound
    guard message.contains("got string"), let first = arguments.first else { return nil }
    if arguments.count == 2 {
      let texts = arguments.map(lines.text)
      return write(open, "{ email = \(texts[0]), password = \(texts[1]) }")
    }
    guard first.count > 2, lines.isAt(first.upperBound - 2, "."),
      lines.tokens[first.upperBound - 1].word == "providerID"
    else { return nil }
    return write(open, "(\(lines.text(first.lowerBound..<first.upperBound - 2)))")
  }

  /// The advice for values that belong into one table: `setScopes("a", "b")`, `f("a", { label = b })`.
  private func labelled(_ call: LuaLines.Call, _ message: String) -> String? {
    let arguments = lines.arguments(of: call)
    let texts = arguments.map(lines.text)
    let open = call.arguments..<call.range.upperBound
    if message.contains("(list of strings expected, got string") {
      return write(open, "{ \(texts.joined(separator: ", ")) }")
    }
    guard let match = message.firstMatch(of: /usage: ([\w.:]+)\(([^)]*)\)/),
      message.contains(", got table"), arguments.count > 1, let last = arguments.last,
      lines.isAt(last.lowerBound, "{")
    else { return nil }
    let parameters = match.output.2.split(whereSeparator: { " ,[]".contains($0) })
    let labels = Spellings.shared.labels(ofUsage: String(match.output.1))
    var fields: [String] = []
    for (index, text) in texts.dropLast().enumerated() where parameters.indices.contains(index) {
      let label =
        labels.first { $0.option != nil && $0.name == parameters[index] }
        ?? labels.first { $0.option == nil && $0.argument == index + 1 }
      guard let label else { return nil }
      fields.append("\(label.name) = \(text)")
    }
    let inner = texts.last?.dropFirst().dropLast().trimmed ?? ""
    let keys = inner.matches(of: /(\w+)\s*=[^=]/).map { String($0.output.1) }
    guard !keys.isEmpty, keys.allSatisfy({ key in labels.contains { $0.name == key } }) else {
      return nil
    }
    return write(open, "{ \((fields + [inner]).joined(separator: ", ")) }")
  }
}

extension ScriptFailure {
  /// The failure with the line to write, if its message and the line are enough to know it.
  func explained(in source: [UInt8], _ surface: Surface) -> ScriptFailure {
    guard code == nil, let place = place.flatMap(SourceLine.init),
      let advice = RunningAdvice(source, ForeignNames(surface)).hint(message, line: place.line)
        ?? ForgottenCall(source, surface).advice(for: message, line: place.line)
    else { return self }
    var failure = self
    failure.hint = advice
    // Callbacks go on in further lines.
    if advice.hasPrefix(RunningAdvice.noPromises),
      let whole = ForeignCode(source, ForeignNames(surface), hasAuth: true)
        .advice(forCallIn: place.line), whole.hint.contains("\n")
    {
      failure.hint = whole.hint
    }
    return failure
  }
}
