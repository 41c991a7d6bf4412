/// The role of a cell on the screen, which decides its appearance.
enum Style: Equatable {
  case plain, prompt, note, chosen, bracket, found, spelledOut
  case part(ColouredPart.Kind)

  /// The attributes as parameters of Select Graphic Rendition (ECMA-48 8.3.117).
  ///
  /// Only the sixteen colors that terminals let users configure, which are readable on light and dark
  /// backgrounds.
  var attributes: String {
    switch self {
    case .plain, .part(.name): ""
    case .prompt: "1"
    case .note, .part(.comment): "2"
    case .chosen, .spelledOut: "7"
    case .bracket: "1;4"
    case .found: "4"
    case .part(.keyword): "35"
    case .part(.builtin): "36"
    case .part(.number): "33"
    case .part(.string): "32"
    case .part(.symbol): ""
    case .part(.error): "31"
    }
  }
}

/// A character on the screen, which may be several columns wide.
struct Cell: Equatable {
  let text: String
  let width: Int
  let style: Style
  /// Whether terminals disagree about the width.
  var isUncertain = false
}

struct Screen: Equatable {
  var rows: [[Cell]]
  var cursorRow: Int
  var cursorColumn: Int
}
