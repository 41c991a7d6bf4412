struct CompletionMenu: Equatable {
  static let height = 8

  let completions: Completions
  var chosen = 0

  /// Moves the selection; wraps around at both ends.
  mutating func move(_ count: Int) {
    let all = completions.items.count
    chosen = ((chosen + count) % all + all) % all
  }

  /// The completions to show in so many rows, including the selected one.
  func window(rows: Int) -> Range<Int> {
    let rows = min(rows, completions.items.count)
    let first = min(max(chosen - rows / 2, 0), completions.items.count - rows)
    return first..<(first + rows)
  }

  /// The longest common prefix of all completions.
  static func commonStart(of items: [Completions.Item]) -> String {
    guard let first = items.first else { return "" }
    var common = Array(first.text)[...]
    for item in items.dropFirst() where !common.isEmpty {
      var count = 0
      for (left, right) in zip(common, item.text) {
        guard left == right else { break }
        count += 1
      }
      common = common.prefix(count)
    }
    return String(common)
  }
}

extension Editor {
  /// Inserts the common prefix of all completions; shows the menu when that adds nothing.
  mutating func complete() -> Outcome {
    let cursor = buffer.cursor
    let line = buffer.currentLine[..<cursor.column]
    if buffer.lines.count > 1, line.allSatisfy(\.isWhitespace) { return type("  ") }
    guard let found = completions() else { return .bell }
    if found.items.count == 1 {
      let before = buffer
      putIn(found.items[0].text, replacing: found.replaced)
      return buffer.lines == before.lines ? .bell : .goOn
    }
    let common = CompletionMenu.commonStart(of: found.items)
    let begun = buffer.text(
      buffer.position(atByte: found.replaced.lowerBound)..<buffer.cursor)
    if common.utf8.count > begun.utf8.count, common.hasPrefix(begun) {
      putIn(common, replacing: found.replaced)
      return .goOn
    }
    mode = .choosing(CompletionMenu(completions: found))
    return .goOn
  }

  /// Handles a key while the menu is shown.
  mutating func choose(_ key: Key, from menu: CompletionMenu) -> Outcome {
    var menu = menu
    switch key {
    case .tab, .down, .control("n"): menu.move(1)
    case .backTab, .up, .control("p"): menu.move(-1)
    case .pageDown:
      menu.move(min(CompletionMenu.height, menu.completions.items.count - 1 - menu.chosen))
    case .pageUp: menu.move(-min(CompletionMenu.height, menu.chosen))
    case .enter, .right:
      mode = .editing
      putIn(menu.completions.items[menu.chosen].text, replacing: menu.completions.replaced)
      return .goOn
    case .escape, .control("g"), .control("c"):
      mode = .editing
      return .goOn
    case .control("l"), .control("z"): return edit(key)
    case .character, .backspace:
      mode = .editing
      let outcome = edit(key)
      // The menu stays open while the cursor follows a word.
      if let before = buffer.before(buffer.cursor), isWord(before), let found = completions() {
        mode = .choosing(CompletionMenu(completions: found))
      }
      return outcome
    default:
      mode = .editing
      return edit(key)
    }
    mode = .choosing(menu)
    return .goOn
  }

  /// The completions at the cursor; nil when there are none or their range does not fit the text.
  private func completions() -> Completions? {
    let text = buffer.text
    let cursor = buffer.byteOffset(of: buffer.cursor)
    let found = language.completions(of: text, at: cursor)
    guard !found.items.isEmpty, found.replaced.lowerBound >= 0,
      found.replaced.lowerBound <= cursor, found.replaced.upperBound <= text.utf8.count
    else { return nil }
    return found
  }

  private mutating func putIn(_ text: String, replacing replaced: Range<Int>) {
    let start = buffer.position(atByte: replaced.lowerBound)
    let end = max(start, buffer.position(atByte: replaced.upperBound))
    buffer.replace(start..<end, with: text)
  }
}
