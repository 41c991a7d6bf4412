/// An incremental search through the history.
struct HistorySearch: Equatable {
  /// The edited text before the search.
  let own: TextBuffer
  var direction: HistoryWalk.Direction
  var words = ""
  /// The index of the shown entry; `entries.count` for the text before the search.
  var at: Int
  var isFound = true
  /// The position of the words in the shown entry.
  var match: Range<TextBuffer.Position>?

  /// Finds words in a text, in bytes; lower-case words also match upper case.
  static func place(of words: String, in text: String) -> Range<Int>? {
    let isExact = words.contains(where: \.isUppercase)
    func bytes(_ text: String) -> [UInt8] {
      text.utf8.map { !isExact && (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
    let (wanted, all) = (bytes(words), bytes(text))
    guard let first = wanted.first, wanted.count <= all.count else { return nil }
    // Search backwards: in a block, the latest occurrence is the most relevant.
    for start in stride(from: all.count - wanted.count, through: 0, by: -1)
    where all[start] == first && all[start..<(start + wanted.count)].elementsEqual(wanted) {
      return start..<(start + wanted.count)
    }
    return nil
  }
}

extension Editor {
  mutating func search(_ direction: HistoryWalk.Direction) -> Outcome {
    mode = .searching(
      HistorySearch(own: buffer, direction: direction, at: past.entries.count))
    return .goOn
  }

  mutating func searchOn(_ key: Key, _ search: HistorySearch) -> Outcome {
    var search = search
    switch key {
    case .character(let character):
      search.words.append(character)
      return find(search, includesShown: true)
    case .paste(let text):
      search.words += text
      return find(search, includesShown: true)
    case .backspace:
      guard !search.words.isEmpty else { return .bell }
      search.words.removeLast()
      search.at = past.entries.count
      buffer = search.own
      return find(search, includesShown: false)
    case .control("r"), .control("s"):
      search.direction = key == .control("r") ? .older : .newer
      return find(search, includesShown: false)
    case .control("g"), .control("c"):
      buffer = search.own
      mode = .editing
      return .goOn
    case .control("l"), .control("z"): return edit(key)
    case .escape:
      mode = .editing
      return .goOn
    default:
      mode = .editing
      return edit(key)
    }
  }

  /// Shows the next entry that contains the words; keeps the shown one when there is none.
  private mutating func find(_ search: HistorySearch, includesShown: Bool) -> Outcome {
    var search = search
    defer { mode = .searching(search) }
    guard !search.words.isEmpty else {
      (search.isFound, search.match) = (true, nil)
      return .goOn
    }
    let step = search.direction == .older ? -1 : 1
    var at = search.at
    if !includesShown || at == past.entries.count { at += step }
    let shown = buffer.text
    while past.entries.indices.contains(at) {
      let entry = past.entries[at]
      if let place = HistorySearch.place(of: search.words, in: entry),
        includesShown || entry != shown || search.match == nil
      {
        buffer = TextBuffer(entry)
        let start = buffer.position(atByte: place.lowerBound)
        search.match = start..<max(start, buffer.position(atByte: place.upperBound))
        buffer.cursor = start
        (search.at, search.isFound) = (at, true)
        return .goOn
      }
      at += step
    }
    search.isFound = false
    return .bell
  }
}

/// A position in the history, for stepping to older and newer entries.
struct HistoryWalk {
  enum Direction: Equatable {
    case older, newer
  }

  let entries: [String]
  /// The index of the shown entry; `entries.count` for the unfinished one.
  private var at: Int
  /// The prefix of the entries to show.
  private var start = ""
  private var own = TextBuffer()

  /// Whether the unfinished entry is shown.
  var isAtOwn: Bool { at == entries.count }

  init(_ entries: [String]) {
    self.entries = entries
    at = entries.count
  }

  /// The entry to show next; nil when there is none in this direction.
  ///
  /// - Parameter isNew: whether a new walk begins, which then only visits entries that begin with the
  ///   text before the cursor.
  mutating func step(_ direction: Direction, from buffer: TextBuffer, isNew: Bool) -> TextBuffer? {
    if isNew {
      start = buffer.text(buffer.start..<buffer.cursor)
      if at == entries.count { own = buffer }
      // If the walk begins at an unchanged entry from the history, visit all entries.
      if at < entries.count, buffer.text == entries[at] { start = "" }
    }
    let shown = buffer.text
    var next = at
    while true {
      next += direction == .older ? -1 : 1
      if next == entries.count, at < entries.count {
        at = next
        return own
      }
      guard entries.indices.contains(next) else { return nil }
      guard entries[next].hasPrefix(start), entries[next] != shown else { continue }
      at = next
      return TextBuffer(entries[next])
    }
  }
}

extension Editor {
  mutating func walk(_ direction: HistoryWalk.Direction) -> Outcome {
    let text = past.step(direction, from: buffer, isNew: previous != .history)
    // In the unfinished entry, Up and Down move through its lines again.
    command = past.isAtOwn ? .other : .history
    guard let text else { return .bell }
    buffer = text
    return .goOn
  }
}
