internal import System
internal import IdentityToolkit

/// The types of request messages, read once from `MessageTable`.
struct Schema: Sendable {
  indirect enum Kind: Sendable {
    case text, bytes, int64, bool, integer, number, object
    case message(String)
    case choice(Choice)
    case list(Kind)
    case map(Kind)

    /// Whether protocol buffers count the field as repeated, so that it may be a list.
    var repeats: Bool {
      switch self {
      case .list, .map: true
      default: false
      }
    }
  }

  /// An enumeration.
  struct Choice: Sendable {
    /// The name in Google's API, without `google.cloud.identitytoolkit`.
    let type: String
    /// The values; the index of each is its number.
    var names: [String] = []
  }

  struct Field: Sendable {
    let name: String
    let kind: Kind
    /// The name in Google's protocol buffers, which error messages show.
    let protoName: String
    /// The `oneof` group of the field; empty if there is none.
    let oneOf: String

    /// Reads `name`, `name:TYPE`, `name/proto_name:TYPE` or `name|group:TYPE`.
    fileprivate init(_ word: Substring, kind: (Substring) -> Kind) {
      let head = word.prefix { $0 != ":" }
      self.kind = kind(word[head.endIndex...].dropFirst())
      let name = head.prefix { $0 != "/" && $0 != "|" }
      let rest = head[name.endIndex...].dropFirst()
      self.name = String(name)
      let isOneOf = head.utf8.contains(UInt8(ascii: "|"))
      oneOf = isOneOf ? String(rest) : ""
      protoName = isOneOf || rest.isEmpty ? Schema.snakeCase(name) : String(rest)
    }
  }

  /// A request message: its fields in the order in which faults are reported.
  struct Message: Sendable {
    let fields: [Field]
    fileprivate let positions: [ExactString: Int]

    init(fields: [Field]) {
      self.fields = fields
      positions = Dictionary(
        fields.enumerated().map { (ExactString(string: $1.name), $0) }, uniquingKeysWith: { $1 })
    }

    func field(_ name: String) -> Field? {
      positions[ExactString(string: name)].map { fields[$0] }
    }

    func kind(of name: String) -> Kind? { field(name)?.kind }
  }

  /// The parsed table, which all emulators share.
  static let shared = Schema(MessageTable.text)

  let messages: [String: Message]

  private init(_ text: String) {
    var choices: [String: Choice] = [:]
    var fields: [String: [Substring]] = [:]
    var current = ""
    for line in text.split(separator: "\n") {
      var words = line.split(separator: " ")
      if line.utf8.first != UInt8(ascii: " ") {
        if words.count > 1, words[1] == "=" {
          let name = words[0].prefix { $0 != "(" }
          current = String(name)
          choices[current] = Choice(type: String(words[0][name.endIndex...].dropFirst().dropLast()))
          words.removeFirst(2)
        } else {
          current = String(words[0].dropLast())
          fields[current] = []
          words.removeFirst()
        }
      }
      if choices[current] != nil {
        choices[current]?.names.append(contentsOf: words.map(String.init))
      } else {
        fields[current]?.append(contentsOf: words)
      }
    }
    func kind(_ name: Substring) -> Kind {
      switch name {
      case "": return .text
      case "bytes": return .bytes
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
      Message(fields: words.map { Field($0, kind: kind) })
    }
  }

  func message(_ name: String) -> Message? { messages[name] }

  /// The name of a field in `.proto` files: `maxResults` becomes `max_results`.
  static func snakeCase(_ name: some StringProtocol) -> String {
    var text = ""
    for letter in name.unicodeScalars {
      if ("A"..."Z").contains(letter) {
        text += "_"
        text.unicodeScalars.append(
          letter.properties.lowercaseMapping.unicodeScalars.first ?? letter)
      } else {
        text.unicodeScalars.append(letter)
      }
    }
    return text
  }
}
