import Lua

/// The tokens of Lua source, to show its lines with a part of them replaced.
struct LuaLines {
  /// A call: what is called, and where its arguments begin.
  struct Call {
    /// The tokens of the whole call.
    let range: Range<Int>
    /// The name that is called.
    let name: Int
    /// The first token of the arguments: `(`, `{` or a string.
    let arguments: Int
    /// The tokens of the object before the `.` or `:`; empty for a plain function.
    let receiver: Range<Int>
    /// Whether the name comes after a colon.
    let isMethod: Bool
  }

  /// The tokens, without comments.
  let tokens: [LuaToken]
  /// The source, with blanks in place of comments.
  private let bytes: [UInt8]
  private var closes: [Int: Int] = [:]
  private var opens: [Int: Int] = [:]

  init(_ source: [UInt8]) {
    let all = LuaLexer.tokens(of: String(decoding: source, as: UTF8.self))
    var bytes = source
    for comment in all where comment.kind == .comment {
      for position in comment.range where position < bytes.count && bytes[position] != 0x0A {
        bytes[position] = 0x20
      }
    }
    self.bytes = bytes
    tokens = all.filter { $0.kind != .comment }
    var open: [Int] = []
    for (index, token) in tokens.enumerated() {
      if token.is("(") || token.is("{") || token.is("[") { open.append(index) }
      if token.is(")") || token.is("}") || token.is("]"), let start = open.popLast() {
        closes[start] = index
        opens[index] = start
      }
    }
  }

  // MARK: Tokens

  func isAt(_ index: Int, _ words: String...) -> Bool {
    tokens.indices.contains(index) && words.contains { tokens[index].is($0) }
  }

  func isName(_ index: Int) -> Bool {
    tokens.indices.contains(index) && tokens[index].kind == .name
  }

  /// The source of some tokens, on one line.
  func text(_ range: Range<Int>) -> String {
    guard let first = range.first, let last = range.last else { return "" }
    return Self.joined(bytes[tokens[first].range.lowerBound..<tokens[last].range.upperBound])
  }

  /// The tokens in a line, from 1.
  func tokens(inLine number: Int) -> Range<Int> {
    var starts = [0]
    for (position, byte) in bytes.enumerated() where byte == 0x0A { starts.append(position + 1) }
    guard starts.indices.contains(number - 1) else { return 0..<0 }
    let end = starts.indices.contains(number) ? starts[number] : bytes.count
    let first = tokens.firstIndex { $0.range.lowerBound >= starts[number - 1] } ?? tokens.count
    let last = tokens[first...].firstIndex { $0.range.lowerBound >= end } ?? tokens.count
    return first..<last
  }

  /// The lines of some ranges of tokens as one line, with each range replaced by a text, without secrets.
  func line(replacing changes: [(range: Range<Int>, text: String)]) -> String {
    let changes = changes.filter { !$0.range.isEmpty }
      .sorted { $0.range.lowerBound < $1.range.lowerBound }
    guard let first = changes.first, let last = changes.last else { return "" }
    let begin = tokens[first.range.lowerBound].range.lowerBound
    var at = (bytes[..<begin].lastIndex(of: 0x0A) ?? -1) + 1
    let stop = tokens[last.range.upperBound - 1].range.upperBound
    let end = bytes[stop...].firstIndex(of: 0x0A) ?? bytes.count
    var line: [UInt8] = []
    for (range, text) in changes {
      line += bytes[at..<tokens[range.lowerBound].range.lowerBound] + Array(text.utf8)
      at = tokens[range.upperBound - 1].range.upperBound
    }
    line += bytes[at..<end]
    return SourceSecrets(Self.joined(line[...])).masked()
  }

  /// The line of a range of tokens with a text in its place.
  func line(replacing range: Range<Int>, with text: String) -> String {
    line(replacing: [(range, text)])
  }

  private static func joined(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(\.trimmed)
      .filter { !$0.isEmpty }.joined(separator: " ")
  }

  // MARK: Expressions

  /// The first token of the value whose last token is given: `a` in `a.b("c"):d`.
  func start(ofValueEndingAt last: Int) -> Int {
    var at = last
    while at > 0 {
      let open = opens[at] ?? (tokens[at].kind == .string ? at : nil)
      if let open, open > 0, isName(open - 1) || isAt(open - 1, ")", "]") {
        at = open - 1
      } else if isName(at), at > 1, isAt(at - 1, ".", ":") {
        at -= 2
      } else {
        return opens[at] ?? at
      }
    }
    return at
  }

  /// The value that begins at a token with all fields and calls that follow it.
  func value(at start: Int) -> Range<Int> {
    var at = (closes[start] ?? start) + 1
    while at < tokens.count {
      if isAt(at, ".", ":"), isName(at + 1) {
        at += 2
      } else if isCallStart(at) || isAt(at, "[") {
        at = end(ofArguments: at)
      } else {
        break
      }
    }
    return start..<min(at, tokens.count)
  }

  func isCallStart(_ index: Int) -> Bool {
    isAt(index, "(", "{") || tokens.indices.contains(index) && tokens[index].kind == .string
  }

  /// The token after arguments that begin at a token.
  func end(ofArguments index: Int) -> Int {
    tokens[index].kind == .string ? index + 1 : (closes[index] ?? tokens.count - 1) + 1
  }

  /// The call of a name; nil if it is not called.
  func call(of name: Int) -> Call? {
    guard isName(name), isCallStart(name + 1) else { return nil }
    let isMember = name > 1 && isAt(name - 1, ".", ":")
    let start = isMember ? start(ofValueEndingAt: name - 2) : name
    return Call(
      range: start..<end(ofArguments: name + 1), name: name, arguments: name + 1,
      receiver: isMember ? start..<name - 1 : start..<start,
      isMethod: isMember && isAt(name - 1, ":"))
  }

  /// The arguments of a call, each with its tokens.
  func arguments(of call: Call) -> [Range<Int>] {
    let open = call.arguments
    guard isAt(open, "(") else { return [open..<end(ofArguments: open)] }
    let close = closes[open] ?? tokens.count
    var (list, start, at): ([Range<Int>], Int, Int) = ([], open + 1, open + 1)
    var depth = 0
    while at < close {
      let word = tokens[at].kind == .keyword ? tokens[at].word : ""
      if ["function", "do", "then", "repeat"].contains(word) { depth += 1 }
      if ["end", "elseif", "until"].contains(word) { depth -= 1 }
      if let inner = closes[at] {
        at = inner
      } else if isAt(at, ","), depth == 0 {
        list.append(start..<at)
        start = at + 1
      }
      at += 1
    }
    return start < close ? list + [start..<close] : list
  }

  /// The call as arguments of `pcall`: `auth.signIn, auth, credential`.
  func caught(_ call: Call) -> [String] {
    let name = tokens[call.name].word
    let receiver = text(call.receiver)
    let function = receiver.isEmpty ? name : "\(receiver).\(name)"
    return [function] + (call.isMethod ? [receiver] : []) + arguments(of: call).map(text)
  }
}
