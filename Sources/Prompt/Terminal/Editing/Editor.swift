/// The state of an edited entry: handles keys and produces screens.
///
/// It does not access the terminal, so that tests can check every editing rule.
struct Editor {
  /// What the caller has to do after a key.
  enum Outcome: Equatable {
    case goOn
    /// The key has no effect.
    case bell
    /// Ctrl-L.
    case clear
    /// Ctrl-Z.
    case suspend
    case finished(TypedText)
  }

  enum Mode: Equatable {
    case editing
    /// The next key is inserted literally.
    case quoting
    case prefix
    case choosing(CompletionMenu)
    case searching(HistorySearch)
  }

  /// The kind of the last command, which some commands continue.
  enum Command: Equatable {
    case other, typing, kill, history, vertical
    /// Inserted this range from the kill ring.
    case yank(Range<TextBuffer.Position>)
  }

  let language: any EditorLanguage
  let usesColours: Bool
  let prompt: [Cell]
  let continuation: [Cell]
  var buffer = TextBuffer()
  var mode = Mode.editing
  var previous = Command.other
  var command = Command.other
  var changes = Changes()
  var kills: KillRing
  var past: HistoryWalk
  /// The column that Up and Down try to keep.
  var goalColumn = 0
  /// Escape was pressed, so the next key counts as pressed with Alt.
  var isMeta = false
  /// The first visible row; an entry may be higher than the terminal.
  var top = RowPlace(line: 0, row: 0)

  init(
    prompt: String, continuation: String, language: any EditorLanguage, entries: [String] = [],
    kills: KillRing = KillRing(), usesColours: Bool = true
  ) {
    self.prompt = LineLayout.cells(prompt, .prompt)
    self.continuation = LineLayout.cells(continuation, .prompt)
    self.language = language
    self.usesColours = usesColours
    self.kills = kills
    past = HistoryWalk(entries)
  }

  /// Handles a key and records its change for undo.
  mutating func handle(_ key: Key) -> Outcome {
    let before = buffer
    (previous, command) = (command, .other)
    let outcome = apply(withMeta(key))
    if changes.isStepping {
      changes.isStepping = false
    } else if buffer.lines != before.lines {
      changes.record(before, goesOn: command == .typing && previous == .typing)
    }
    return outcome
  }

  /// Turns a key after Escape into the key with Alt.
  private mutating func withMeta(_ key: Key) -> Key {
    guard isMeta else { return key }
    isMeta = false
    return switch key {
    case .character(let character): .meta(character)
    case .control(let letter): .controlMeta(letter)
    case .enter: .metaEnter
    case .backspace: .metaBackspace
    case .delete: .metaDelete
    case .left: .wordLeft
    case .right: .wordRight
    default: key
    }
  }

  private mutating func apply(_ key: Key) -> Outcome {
    switch mode {
    case .editing: return edit(key)
    case .quoting: return quote(key)
    case .prefix: return applyPrefixed(key)
    case .choosing(let menu): return choose(key, from: menu)
    case .searching(let search): return searchOn(key, search)
    }
  }

  /// Handles a key in editing mode.
  mutating func edit(_ key: Key) -> Outcome {
    switch key {
    case .character(let character):
      let outcome = type(String(character))
      indentAgain()
      return outcome
    case .paste(let text): return paste(text)
    case .enter: return accept()
    case .metaEnter: return type("\n")
    case .tab: return complete()
    case .escape: isMeta = true
    case .backTab: return .bell
    // For example a focus report of the window.
    case .unknown: break
    case .control(let letter): return editControl(letter)
    case .meta(let character): return editMeta(character)
    case .controlMeta(let letter): return letter == "_" ? redo() : .bell
    case .left: return go(to: buffer.before(buffer.cursor))
    case .right: return go(to: buffer.after(buffer.cursor))
    case .home: return go(to: buffer.lineStart)
    case .end: return go(to: buffer.lineEnd)
    case .wordLeft: return go(to: wordStart())
    case .wordRight: return go(to: wordEnd())
    case .textStart: return go(to: buffer.start)
    case .textEnd: return go(to: buffer.end)
    case .up: return up()
    case .down: return down()
    case .pageUp: return page(-1)
    case .pageDown: return page(1)
    case .backspace: return delete(back: true)
    case .delete: return delete(back: false)
    case .metaBackspace: return kill(wordStart()..<buffer.cursor, isBefore: true)
    case .metaDelete: return kill(buffer.cursor..<wordEnd(), isBefore: false)
    }
    return .goOn
  }

  private mutating func editControl(_ letter: Character) -> Outcome {
    switch letter {
    case "a": return go(to: buffer.lineStart)
    case "b": return go(to: buffer.before(buffer.cursor))
    case "c": return .finished(buffer.isEmpty ? .interrupted : .dropped)
    case "d": return buffer.isEmpty ? .finished(.ended) : delete(back: false)
    case "e": return go(to: buffer.lineEnd)
    case "f": return go(to: buffer.after(buffer.cursor))
    case "g": return .bell
    case "k": return killLine()
    case "l": return .clear
    case "n": return down()
    case "p": return up()
    case "q", "v": mode = .quoting
    case "r": return search(.older)
    case "s": return search(.newer)
    case "t": return transposeCharacters()
    case "u": return kill(buffer.lineStart..<buffer.cursor, isBefore: true)
    case "w": return kill(blankWordStart()..<buffer.cursor, isBefore: true)
    case "x": mode = .prefix
    case "y": return yank()
    case "z": return .suspend
    case "_": return undo()
    default: return .bell
    }
    return .goOn
  }

  private mutating func editMeta(_ character: Character) -> Outcome {
    switch character {
    case "b", "B": return go(to: wordStart())
    case "f", "F": return go(to: wordEnd())
    case "d", "D": return kill(buffer.cursor..<wordEnd(), isBefore: false)
    case "y", "Y": return yankOlder()
    case "t", "T": return transposeWords()
    case "u", "U": return changeWord { $0.uppercased() }
    case "l", "L": return changeWord { $0.lowercased() }
    case "c", "C": return changeWord { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
    case "<": return go(to: buffer.start)
    case ">": return go(to: buffer.end)
    case "p", "P": return walk(.older)
    case "n", "N": return walk(.newer)
    case "_", "/": return redo()
    default: return .bell
    }
  }

  /// Handles the key after Ctrl-X: as in Emacs, Ctrl-U is undo.
  private mutating func applyPrefixed(_ key: Key) -> Outcome {
    mode = .editing
    switch key {
    case .control("u"), .character("u"): return undo()
    case .control("r"), .character("r"): return redo()
    default: return .bell
    }
  }

  private mutating func quote(_ key: Key) -> Outcome {
    mode = .editing
    switch key {
    case .character(let character): return type(String(character))
    case .tab: return type("\t")
    case .enter, .metaEnter: return type("\n")
    case .escape: return type("\u{1B}")
    case .control(let letter):
      guard let value = letter.asciiValue else { return .bell }
      return type(String(Unicode.Scalar(value & 0x1F)))
    default: return edit(key)
    }
  }

  mutating func type(_ text: String) -> Outcome {
    buffer.insert(text)
    command = .typing
    return .goOn
  }

  private mutating func paste(_ text: String) -> Outcome {
    guard !text.isEmpty else { return .bell }
    buffer.insert(text)
    return .goOn
  }

  /// Finishes the entry when it is complete; otherwise begins another line.
  mutating func accept() -> Outcome {
    let text = buffer.text
    if language.isComplete(text) {
      // Pasted text usually ends with a line break.
      let lines = text.utf8.reversed().prefix { $0 == 0x0A }.count
      return .finished(.text(String(text.dropLast(lines))))
    }
    let above = buffer.text(buffer.start..<buffer.cursor)
    buffer.insert("\n" + String(repeating: " ", count: blanks(after: above)))
    return .goOn
  }
}
