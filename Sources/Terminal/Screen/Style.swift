/// What a place on the screen is, which decides how it looks.
enum Style: Equatable {
  case plain, prompt, note, chosen, bracket, found, spelledOut
  case part(ColouredPart.Kind)

  /// The attributes to switch on, as parameters of Select Graphic Rendition (ECMA-48 8.3.117).
  ///
  /// Only the sixteen colours that people choose for their terminal themselves, so that they can be
  /// read on light and dark ones.
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

/// What stands in one place of the screen, which may be several columns wide.
struct Cell: Equatable {
  let text: String
  let width: Int
  let style: Style
  /// Whether terminals differ over the width.
  var isUncertain = false
}

/// Rows of cells, and where the cursor is among them.
struct Screen: Equatable {
  var rows: [[Cell]]
  var cursorRow: Int
  var cursorColumn: Int
}
