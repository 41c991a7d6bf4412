/// Finds the line of a key in the text of a Lua table, for error messages.
///
/// It parses strings, comments and braces, but does not run code. In a table that code builds, it finds only the
/// keys that the text shows.
struct KeyFinder {
  private enum Token: Equatable {
    case name(String)
    case string(String)
    case symbol(UInt8)
  }

  private let text: [UInt8]
  private var position = 0
  private var line = 1
  private var places: [[String]: Int] = [:]

  init(_ text: [UInt8]) {
    self.text = text
    read()
  }

  /// The line of the longest prefix of the path that is in the text.
  func line(of path: [String]) -> Int? {
    for count in stride(from: path.count, to: 0, by: -1) {
      if let line = places[Array(path.prefix(count))] { return line }
    }
    return nil
  }

  // MARK: Parsing

  /// Parses the tables; a value without a key gets the next number.
  private mutating func read() {
    var path: [String] = []
    var counts: [Int] = []
    var key: String?
    var isAtStart = true
    var last: Token?
    while let (token, line) = next() {
      defer { last = token }
      switch token {
      case .symbol(UInt8(ascii: "{")):
        if !counts.isEmpty {
          path.append(place(&key, isAtStart, &counts, path, line))
        }
        counts.append(0)
        isAtStart = true
        key = nil
        continue
      case .symbol(UInt8(ascii: "}")):
        if counts.popLast() != nil, !path.isEmpty { path.removeLast() }
        isAtStart = false
        key = nil
      case .symbol(UInt8(ascii: ",")), .symbol(UInt8(ascii: ";")):
        isAtStart = true
        key = nil
      case .symbol(UInt8(ascii: "=")): break
      case .name(let word), .string(let word):
        guard !counts.isEmpty, isAtStart else { continue }
        let bracketed = last == .symbol(UInt8(ascii: "["))
        if isKey(bracketed: bracketed) {
          key = word
          places[path + [word]] = places[path + [word]] ?? line
        } else if !bracketed {
          _ = place(&key, true, &counts, path, line)
        }
        isAtStart = false
      case .symbol: break
      }
    }
  }

  /// The key of the value that starts here.
  private mutating func place(
    _ key: inout String?, _ isAtStart: Bool, _ counts: inout [Int], _ path: [String], _ line: Int
  ) -> String {
    if let key { return key }
    guard isAtStart else { return "?" }
    counts[counts.count - 1] += 1
    let number = "\(counts[counts.count - 1])"
    places[path + [number]] = line
    return number
  }

  /// Whether `=` follows; for a key in brackets, after the `]`.
  private func isKey(bracketed: Bool) -> Bool {
    var ahead = self
    if bracketed { _ = ahead.next() }
    guard case .symbol(UInt8(ascii: "="))? = ahead.next()?.token else { return false }
    return ahead.next()?.token != .symbol(UInt8(ascii: "="))
  }

  // MARK: Tokens

  private func peek(_ offset: Int = 0) -> UInt8 {
    position + offset < text.count ? text[position + offset] : 0
  }

  private mutating func advance() {
    if text[position] == UInt8(ascii: "\n") { line += 1 }
    position += 1
  }

  private mutating func next() -> (token: Token, line: Int)? {
    while position < text.count {
      let byte = peek()
      let start = line
      if byte == UInt8(ascii: "-"), peek(1) == byte {
        skipComment()
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        return (.string(quoted(byte)), start)
      } else if Self.isWord(byte) {
        let from = position
        while position < text.count, Self.isWord(peek()) { advance() }
        return (.name(String(decoding: text[from..<position], as: UTF8.self)), start)
      } else {
        advance()
        if byte > UInt8(ascii: " ") { return (.symbol(byte), start) }
      }
    }
    return nil
  }

  private mutating func skipComment() {
    if peek(2) == UInt8(ascii: "["), peek(3) == UInt8(ascii: "[") {
      while position < text.count, !(peek() == UInt8(ascii: "]") && peek(1) == peek()) { advance() }
    } else {
      while position < text.count, peek() != UInt8(ascii: "\n") { advance() }
    }
  }

  private mutating func quoted(_ quote: UInt8) -> String {
    advance()
    let from = position
    while position < text.count, peek() != quote, peek() != UInt8(ascii: "\n") {
      if peek() == UInt8(ascii: "\\"), position + 1 < text.count { advance() }
      advance()
    }
    defer { if position < text.count { advance() } }
    return String(decoding: text[from..<position], as: UTF8.self)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }
}
