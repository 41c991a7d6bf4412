import HTTP
import IdentityToolkit
import Lua
import System
import Synchronization

/// The functions that scripts can call, with the arguments that are secrets.
///
/// Built from the declarations of the host's modules and the `---@secret NAME` comments of the Lua library, so
/// that a new function needs no other entry.
struct SecretParameters: Sendable {
  struct Function: Sendable {
    /// `auth` of `auth:signIn`, `EmailAuthProvider` of `EmailAuthProvider.credential`.
    let owner: String
    let isMethod: Bool
    /// The parameters, without the object of a method.
    let places: [SecretPlace]

    var takesSecrets: Bool { places.contains(where: \.holdsSecrets) }
  }

  /// All functions by name, without their owners.
  let functions: [String: [Function]]
  /// The names to compare a mistyped name with; without short words, which are similar to too many others.
  let longNames: [String]

  /// The table; nil when no thread could be started for opening the modules.
  static let shared: SecretParameters? = made()

  /// Whether a name is specific to luath: long, or of several words.
  static func isTelling(_ name: String) -> Bool {
    name.utf8.count >= 8 || name.contains(where: \.isUppercase)
  }

  private init(_ list: [(name: String, function: Function)]) {
    functions = Dictionary(grouping: list, by: \.name).mapValues { $0.map(\.function) }
    longNames = functions.keys.filter(Self.isTelling).sorted()
  }

  private static func made() -> SecretParameters? {
    guard let loop = try? EventLoop(name: "declarations"), (try? loop.start()) != nil else {
      return nil
    }
    // Modules are opened in an interpreter, which needs the thread of an event loop.
    let result = Opened()
    loop.perform { result.table.withLock { $0 = opened(on: loop) } }
    loop.stop()
    loop.join()
    return result.table.withLock(\.self)
  }

  private static func opened(on loop: EventLoop) -> SecretParameters {
    let target = Target(projectID: "demo", apiKey: Secret("none"), backend: .production)
    let interpreter = Interpreter(context: ScriptContext(target: target), actor: LoopActor(loop))
    defer { interpreter.close() }
    var list: [(String, Function)] = []
    for name in Surface.moduleNames {
      guard let module = interpreter.surface.module(name) else { continue }
      for declaration in module.declarations + module.classes.flatMap(\.methods) {
        list.append(
          described(declaration.usage, as: declaration.name, declaration.parameters[...]))
      }
    }
    for function in interpreter.constructors {
      list.append(described(function.usage, as: nil, function.parameters[...]))
    }
    return SecretParameters(list + Stdlib.secretParameters)
  }

  /// The function for a usage: `auth:signIn(credential [, delegate])`.
  private static func described(
    _ usage: String, as name: String?, _ parameters: ArraySlice<LuaParameter>
  ) -> (String, Function) {
    let called = usage.prefix { $0 != "(" }
    let words = called.split { $0 == "." || $0 == ":" }.map(String.init)
    let own = name.flatMap { $0.split(separator: ".").last.map(String.init) }
    return (
      own ?? words.last ?? "",
      Function(
        owner: words.dropLast().last ?? "", isMethod: called.contains(":"),
        places: parameters.map { SecretPlace($0.kind).named($0.name) })
    )
  }
}

/// Passes the table from the loop's thread.
private final class Opened: Sendable {
  let table = Mutex<SecretParameters?>(nil)
}

/// Which values of a parameter or option are secrets.
struct SecretPlace: Sendable {
  private(set) var isSecret = false
  /// The kind of its secrets, by the name of the parameter.
  private(set) var kind = SecretKind.secret
  /// Whether a string there may be shown.
  private(set) var isText = false
  /// Whether it accepts tables with any fields.
  private var isOpen = false
  private var fields: [String: SecretPlace] = [:]
  /// The places for the items of a list or the values of a table with any keys.
  private var items: [SecretPlace] = []

  /// A place for a string, or for a table with any fields.
  init(isSecret: Bool) {
    self.isSecret = isSecret
    isText = !isSecret
    isOpen = !isSecret
  }

  init(_ kind: LuaParameter.Kind) {
    switch kind {
    case .secret: isSecret = true
    case .any:
      isText = true
      isOpen = true
    case .string, .bytes: isText = true
    case .table: isOpen = true
    case .options(let options):
      fields = Dictionary(options.map { ($0.name, SecretPlace($0.kind)) }) { one, _ in one }
    case .list(let item), .map(let item): items = [SecretPlace(item)]
    case .either(let kinds): for kind in kinds { add(SecretPlace(kind)) }
    case .boolean, .integer, .number, .function, .object: break
    }
  }

  /// The place of a parameter of this name.
  func named(_ name: String) -> SecretPlace {
    var place = self
    place.kind = SecretNames.kind(of: name)
    return place
  }

  private mutating func add(_ other: SecretPlace) {
    isSecret = isSecret || other.isSecret
    isText = isText || other.isText
    isOpen = isOpen || other.isOpen
    fields.merge(other.fields) { one, _ in one }
    items += other.items
  }

  enum Verdict {
    case secret
    case open
    /// The declaration has no such value, for example for a misspelled option.
    case undeclared
  }

  /// The verdict for a path of keys, outermost first; nil is an item without a key.
  func verdict(at path: ArraySlice<String?>) -> Verdict {
    guard let key = path.first else { return isSecret ? .secret : isText ? .open : .undeclared }
    let rest = path.dropFirst()
    var verdicts = items.map { $0.verdict(at: rest) }
    if let key, let field = fields[key] {
      // The value of an option that accepts no secret may be shown.
      let verdict = field.verdict(at: rest)
      verdicts.append(verdict == .undeclared && rest.isEmpty ? .open : verdict)
    }
    if verdicts.contains(.secret) { return .secret }
    return isOpen || verdicts.contains(.open) ? .open : .undeclared
  }

  /// Whether it accepts a secret at any depth.
  var holdsSecrets: Bool {
    isSecret || fields.values.contains(where: \.holdsSecrets)
      || items.contains(where: \.holdsSecrets)
  }
}

/// Classifies strings in source; must be fast, as every string of a file is checked.
enum StringShape {
  static func isEmail(_ value: String) -> Bool {
    let parts = value.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
      && value.utf8.allSatisfy { $0 > 0x20 }
  }

  /// Whether a text is a URL, form data or JSON, whose fields have their own names.
  static func isData(_ value: String) -> Bool {
    if value.hasPrefix("{") || value.hasPrefix("[") { return true }
    let name = value.utf8.prefix(while: SourceSecrets.isWordByte)
    return !name.isEmpty && value.utf8[name.endIndex...].first == UInt8(ascii: "=")
      || value.contains("://")
  }

  /// Whether a text is a provider ID and hardly a password: `microsoft.com`, `oidc.corp`.
  static func isProviderID(_ value: String) -> Bool {
    guard let (name, rest) = id(value) else { return false }
    return rest == "com" || name == "oidc" || name == "saml"
  }

  /// Whether a text is the ID or name of a provider, or the name of a sign-in method.
  static func isProvider(_ value: String) -> Bool {
    id(value) != nil || methods.contains(value) || providers.contains(value.lowercased())
  }

  private static let methods: Set<String> = ["password", "phone", "emailLink"]
  private static let providers: Set<String> = [
    "anonymous", "microsoft", "yahoo", "google", "apple", "facebook", "github", "twitter",
    "playgames", "gamecenter",
  ]

  /// The parts of an ID such as `microsoft.com`; the part before the dot has only lower-case letters.
  private static func id(_ value: String) -> (name: Substring, rest: Substring)? {
    let name = value.utf8.prefix { (0x61...0x7A).contains($0) }
    let rest = value.utf8[name.endIndex...]
    guard !name.isEmpty, rest.first == UInt8(ascii: "."), rest.count > 1,
      rest.allSatisfy({
        SourceSecrets.isWordByte($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
      })
    else { return nil }
    return (value[..<name.endIndex], value[rest.index(after: rest.startIndex)...])
  }

  /// Whether a text is a selector for a form field, such as `#password` and `input[name=otp]`.
  static func isSelector(_ value: String) -> Bool {
    if value.hasPrefix("//input") || value.hasPrefix("//*[") { return true }
    if value.hasPrefix("#") || value.hasPrefix(".") {
      // A password may also begin with this character, so check the rest.
      let name = value.lowercased()
      return name.utf8.dropFirst().allSatisfy {
        (0x61...0x7A).contains($0) || "_-".utf8.contains($0)
      }
        && fields.contains { name.contains($0) }
    }
    let element = value.utf8.prefix { (0x61...0x7A).contains($0) }
    let rest = value.utf8[element.endIndex...]
    return rest.first == UInt8(ascii: "[") && rest.last == UInt8(ascii: "]")
      && rest.contains(UInt8(ascii: "="))
  }

  private static let fields = [
    "pass", "pwd", "pin", "code", "otp", "token", "secret", "login", "field", "input",
  ]
}
