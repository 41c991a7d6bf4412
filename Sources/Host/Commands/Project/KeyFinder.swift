import System
import Glibc

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
    byte.isLetterOrDigit || byte == UInt8(ascii: "_") || byte >= 0x80
  }
}

/// Decides whether to trust a file that luath found itself, next to a script, in the working folder, or above them.
///
/// Such a file decides where a script runs and with which keys. A file that another user put there, as is possible in
/// /tmp, must not be used. A file that an option names is always trusted.
struct FoundFile {
  /// Why the file is not trusted; nil if it is.
  let doubt: String?

  /// Checks a file by its path, relative to the working folder.
  ///
  /// In the working folder and below, the file must belong to the user, root, or the owner of the working folder.
  /// Elsewhere, the file and all folders above it must belong to the user or root, and nobody else may have write
  /// permission, except for folders with the sticky bit (`S_ISVTX`) such as /tmp.
  init(_ path: String, _ console: Console) {
    var users: Set<UInt32> = [0, geteuid()]
    // As git does for safe.directory: a user who became root with sudo is still the same user.
    if geteuid() == 0, let caller = console.environment["SUDO_UID"].flatMap(UInt32.init) {
      users.insert(caller)
    }
    let working = FileAccess.realPath(of: console.folder) ?? console.folder
    let folder = FileAccess.realPath(of: path.folder) ?? path.folder
    if folder == working || folder.hasPrefix(working == "/" ? "/" : "\(working)/") {
      if let owner = FileAccess(path: working)?.owner { users.insert(owner) }
      doubt = Self.stranger(path, users)
    } else {
      doubt = Self.stranger(path, users) ?? Self.writable(path, users)
    }
  }

  /// The doubt about the owner of the file, or of the link that leads to it; nil if it is one of these users.
  private static func stranger(_ path: String, _ users: Set<UInt32>) -> String? {
    for access in [FileAccess(entry: path), FileAccess(path: path)].compactMap({ $0 })
    where !users.contains(access.owner) {
      return "it belongs to another user (\(access.owner))"
    }
    return nil
  }

  /// The doubt about write permissions of the file and its folders; nil if there is none.
  private static func writable(_ path: String, _ users: Set<UInt32>) -> String? {
    let file = FileAccess.realPath(of: path) ?? path
    if FileAccess(path: file)?.othersMay(.write) == true { return "others can write it" }
    // Check both the folders of a link and those of its target.
    for start in Set([file.folder, FileAccess.realPath(of: path.folder) ?? path.folder]).sorted() {
      var folder = start
      while true {
        guard let access = FileAccess(path: folder) else { break }
        let shown = folder.printable
        if !users.contains(access.owner) {
          return "its folder \(shown) belongs to another user (\(access.owner))"
        }
        if access.othersMay(.write), !access.isSticky {
          return "others can write its folder \(shown)"
        }
        let outer = folder.folder
        if outer == folder { break }
        folder = outer
      }
    }
    return nil
  }
}
