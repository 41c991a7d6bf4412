internal import Encoding
internal import IdentityToolkit

/// The types of request messages, read once from `MessageTable`.
struct Schema: Sendable {
  /// The type of one field.
  indirect enum Kind: Sendable {
    case text, int64, bool, integer, number, object
    case message(String)
    case choice([String])
    case list(Kind)
    case map(Kind)
  }

  /// A request message: its fields in the order in which faults are reported.
  struct Message: Sendable {
    let fields: [(name: String, kind: Kind)]
    fileprivate let positions: [ExactString: Int]

    init(fields: [(name: String, kind: Kind)]) {
      self.fields = fields
      positions = Dictionary(
        fields.enumerated().map { (ExactString(string: $1.name), $0) }, uniquingKeysWith: { $1 })
    }

    func kind(of name: String) -> Kind? {
      positions[ExactString(string: name)].map { fields[$0].kind }
    }
  }

  /// All emulators share one reading of the table.
  static let shared = Schema(MessageTable.text)

  /// The messages by name.
  let messages: [String: Message]

  private init(_ text: String) {
    var choices: [String: [String]] = [:]
    var fields: [String: [Substring]] = [:]
    var current = ""
    for line in text.split(separator: "\n") {
      var words = line.split(separator: " ")
      if line.utf8.first != UInt8(ascii: " ") {
        if words.count > 1, words[1] == "=" {
          current = String(words[0])
          choices[current] = []
          words.removeFirst(2)
        } else {
          current = String(words[0].dropLast())
          fields[current] = []
          words.removeFirst()
        }
      }
      if choices[current] != nil {
        choices[current]?.append(contentsOf: words.map(String.init))
      } else {
        fields[current]?.append(contentsOf: words)
      }
    }
    func kind(_ name: Substring) -> Kind {
      switch name {
      case "": return .text
      case "int64": return .int64
      case "bool": return .bool
      case "int": return .integer
      case "number": return .number
      case "object": return .object
      default: break
      }
      let inner = name.dropFirst().dropLast()
      if name.utf8.first == UInt8(ascii: "[") { return .list(kind(inner)) }
      if name.utf8.first == UInt8(ascii: "{") { return .map(kind(inner)) }
      return choices[String(name)].map { .choice($0) } ?? .message(String(name))
    }
    messages = fields.mapValues { words in
      Message(
        fields: words.map { word in
          let name = word.prefix { $0 != ":" }
          return (String(name), kind(word[name.endIndex...].dropFirst()))
        })
    }
  }

  func message(_ name: String) -> Message? { messages[name] }
}
