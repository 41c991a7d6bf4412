internal import System

/// A key, with modifiers: `Enter`, `Control+a`.
public struct Keystroke: Sendable, Equatable {
  /// The keys as written by the script.
  let name: String
  private let keys: [String]

  /// Parses `Shift+Tab` and the like; nil when a key is unknown.
  public init?(_ name: String) {
    self.name = name
    if name == "+" {
      keys = ["+"]
      return
    }
    var keys: [String] = []
    for part in name.split(separator: "+", omittingEmptySubsequences: false) {
      if let known = Self.named[part.lowercased()] {
        keys.append(known)
      } else if part.count == 1 {
        keys.append(String(part))
      } else {
        return nil
      }
    }
    self.keys = keys
  }

  /// The keys that are not characters (WebDriver Level 2 section 15.4.2).
  private static let named: [String: String] = [
    "backspace": "\u{E003}", "tab": "\u{E004}", "enter": "\u{E007}", "return": "\u{E007}",
    "shift": "\u{E008}", "control": "\u{E009}", "ctrl": "\u{E009}", "alt": "\u{E00A}",
    "escape": "\u{E00C}", "esc": "\u{E00C}", "space": " ", "pageup": "\u{E00E}",
    "pagedown": "\u{E00F}", "end": "\u{E010}", "home": "\u{E011}", "arrowleft": "\u{E012}",
    "arrowup": "\u{E013}", "arrowright": "\u{E014}", "arrowdown": "\u{E015}",
    "insert": "\u{E016}", "delete": "\u{E017}", "meta": "\u{E03D}",
  ]

  /// The key names that scripts may use besides single characters.
  public static var names: [String] { named.keys.sorted() }

  /// The WebDriver actions: press the keys in order and release them in reverse.
  var actions: JSON {
    let down = keys.map { key -> JSON in ["type": "keyDown", "value": .string(key)] }
    let up = keys.reversed().map { key -> JSON in ["type": "keyUp", "value": .string(key)] }
    return [["type": "key", "id": "keyboard", "actions": .array(down + up)]]
  }
}
