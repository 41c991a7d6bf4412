import Lua
import System
import Glibc
import IdentityToolkit
import Reference
import Host
import Synchronization

/// Completes from the current session, the reference and the file system.
final class Completer: CompletionSource, Sendable {
  /// Calls a function of the module `luath.prompt.complete` in the session; nil when the session is busy.
  private let answer: @Sendable (_ function: String, _ arguments: [JSON]) -> JSON?
  private let folder: String
  private let isPause: Bool
  /// The session's first names and those of Lua's library.
  private let known = Mutex<Set<String>>([])
  private let learnt = Mutex<Catalogue?>(nil)
  private let targets = Mutex<[String]>([])

  /// - Parameter isPause: whether it completes the commands of a pause.
  init(_ door: SessionProxy, folder: String, isPause: Bool = false) {
    self.folder = folder
    self.isPause = isPause
    answer = { function, arguments in
      door.ask { session in Self.answer(session, function, arguments) } ?? nil
    }
  }

  /// Creates a completer for a session of the calling thread.
  init(_ session: PromptSession, folder: String) {
    self.folder = folder
    isPause = false
    // Safe, because the completer is only used on the session's thread.
    nonisolated(unsafe) let session = session
    answer = { function, arguments in Self.answer(session, function, arguments) }
  }

  private static func answer(
    _ session: PromptSession, _ function: String, _ arguments: [JSON]
  ) -> JSON? {
    try? session.interpreter.ask("luath.prompt.complete", function, arguments)
  }

  var builtins: Set<String> { known.withLock(\.self) }

  /// Sets the first names of a session and the names of the targets.
  func learn(names: Set<String>, targets: [String]) {
    known.withLock { $0 = names }
    self.targets.withLock { $0 = targets }
  }

  func learn(_ catalogue: Catalogue) { learnt.withLock { $0 = catalogue } }

  /// The reference; nil before it is set.
  var catalogue: Catalogue? { learnt.withLock(\.self) }

  private static let providers = [
    "microsoft.com", "yahoo.com", "google.com", "apple.com", "facebook.com", "github.com",
    "twitter.com", "oidc.", "saml.", "password", "phone", "anonymous", "emailLink",
  ]
  /// Functions whose first string is a provider ID.
  private static let takeProviders: Set<String> = [
    "provider", "OAuthProvider", "credential", "signIn", "link", "unlink", "reauthenticate",
    "contains", "unlinkFromProvider",
  ]
  private static let takeCodes: Set<String> = ["raises", "createError"]
  private static let ofProviders: Set<String> = ["providerID", "provider", "signInMethod"]

  func items(_ context: CompletionContext) -> [Completions.Item] {
    switch context.place {
    case .nothing: []
    case .command:
      PromptCommand.available(isPause: isPause).map {
        Completions.Item(".\($0.name)", note: $0.summary)
      }
    case .argument(let command): arguments(of: command, context)
    case .name: names(context)
    case .member(let path, false) where path.last == "customParameters":
      members(path, false, context) + ProviderValues.parameters(of: provider(path.dropLast()))
    case .member(let path, let isMethod): members(path, isMethod, context)
    case .parameter(let path):
      ProviderValues.parameters(of: provider(path)).map {
        Completions.Item("\($0.text) = ", note: $0.note)
      }
    case .parameterText(let path): ProviderValues.parameters(of: provider(path))
    case .scopeText(let path): ProviderValues.scopes(of: provider(path))
    case .result(let chain, let isMethod): results(of: chain, isMethod: isMethod, context)
    case .value(let compared): values(compared) + names(context)
    case .option(let path, _): options(path) + names(context)
    case .text(let call, let compared): texts(call, compared, context)
    }
  }

  // MARK: Names and members

  private func names(_ context: CompletionContext) -> [Completions.Item] {
    let prefix = context.prefix
    var names = ask("names", [.string(prefix)])?.items ?? []
    // Without the session, the names of its beginning and of the entry are still available.
    names += builtins.filter { $0.hasPrefix(prefix) }.sorted().map { Completions.Item($0) }
    let words = Set(context.names).filter { $0.hasPrefix(prefix) && $0 != prefix }.sorted()
    let keywords = prefix.isEmpty ? [] : LuaToken.keywords.sorted()
    return names + (words + keywords).map { Completions.Item($0) }
  }

  func members(
    _ path: [String], _ isMethod: Bool, _ context: CompletionContext
  ) -> [Completions.Item] {
    let arguments: [JSON] = [
      .array(path.map(JSON.string)), .bool(isMethod), .string(context.prefix),
    ]
    guard let found = ask("members", arguments) else {
      return Set(context.names).sorted().map { Completions.Item($0) }
    }
    if found.owner == nil, found.items.isEmpty, let first = path.first, path.count > 1 {
      let chain = ValueChain(.name(first), path.dropFirst().map(ValueChain.Link.field))
      return results(of: chain, isMethod: isMethod, context)
    }
    let notes = notes(of: found.owner, isMethod)
    return found.items.map { Completions.Item($0.text, note: notes[$0.text] ?? $0.note) }
  }

  /// The names and the owner that the session returns; nil when it is busy.
  func ask(
    _ function: String, _ arguments: [JSON]
  ) -> (items: [Completions.Item], owner: String?)? {
    guard let answer = answer(function, arguments) else { return nil }
    let names = answer["names"]?.array?.compactMap(\.string) ?? []
    return (names.sorted().map { Completions.Item($0) }, answer["owner"]?.string)
  }

  /// The ID of the provider at a path of names; nil when the session has none there.
  private func provider(_ path: [String]) -> String? {
    path.isEmpty ? nil : ask("provider", [.array(path.map(JSON.string))])?.owner
  }

  // MARK: The reference

  private func notes(of owner: String?, _ isMethod: Bool) -> [String: String] {
    guard let owner, let page = catalogue?.pages.first(where: { $0.name == owner })
    else { return [:] }
    return page.entries.reduce(into: [:]) { $0[$1.name] = $1.signature }
  }

  /// The options of the function at a path of names; none when the function is ambiguous.
  private func options(_ path: [String]) -> [Completions.Item] {
    guard let catalogue else { return [] }
    var entries: [ReferenceEntry]
    if let name = ask("called", [.array(path.map(JSON.string))])?.owner {
      entries = catalogue.called(name).map { [$0] } ?? []
    } else {
      // The session does not have the function or is busy: search the reference by the name as written.
      entries = catalogue.entries(named: path.joined(separator: "."))
      if Set(entries.map(\.owner)).count > 1 { entries = [] }
    }
    return entries.flatMap(\.parameters).flatMap(\.fields).map {
      Completions.Item("\($0.name) = ", note: $0.type)
    }
  }

  // MARK: Texts

  private func values(_ compared: String) -> [Completions.Item] {
    if compared == "code" { return Self.codes { "\"\($0)\"" } }
    guard Self.ofProviders.contains(compared) else { return [] }
    return Self.providers.filter { !$0.hasSuffix(".") }.map { Completions.Item("\"\($0)\"") }
  }

  private static func codes(_ written: (String) -> String) -> [Completions.Item] {
    ErrorCode.allCases.map { Completions.Item(written($0.rawValue), note: $0.summary) }
  }

  private func texts(
    _ call: [String], _ compared: String?, _ context: CompletionContext
  ) -> [Completions.Item] {
    let function = call.last ?? ""
    if function == "require" { return modules.map { Completions.Item($0) } }
    if compared == "code" || Self.takeCodes.contains(function) {
      return Self.codes { $0 + context.closing }
    }
    if let compared, Self.ofProviders.contains(compared) || Self.takeProviders.contains(compared) {
      return Self.providers.map { Completions.Item($0) }
    }
    if Self.takeProviders.contains(function) {
      return Self.providers.map { Completions.Item($0) }
    }
    if compared == "prompt" { return ProviderValues.prompts.map { Completions.Item($0) } }
    if function == "help" || function == "apropos" {
      return catalogue?.names.sorted().map { Completions.Item($0) } ?? []
    }
    return files(context.prefix)
  }

  private var modules: [String] {
    let own = catalogue?.pages.filter { $0.subject == .module }.map(\.name) ?? []
    let files = names(in: folder).filter { $0.hasSuffix(".lua") }.map { String($0.dropLast(4)) }
    return own + files.sorted()
  }

  private func arguments(of command: String, _ context: CompletionContext) -> [Completions.Item] {
    switch command {
    case "help": catalogue?.names.sorted().map { Completions.Item($0) } ?? []
    case "trace", "time": ["on", "off"].map { Completions.Item($0) }
    case "target": (targets.withLock(\.self) + ["emulator"]).map { Completions.Item($0) }
    case "load", "save", "journey", "project": files(context.prefix)
    default: []
    }
  }

  private func files(_ prefix: String) -> [Completions.Item] {
    let slash = prefix.lastIndex(of: "/")
    let start = slash.map { String(prefix[...$0]) } ?? ""
    let place = start.hasPrefix("/") ? start : "\(folder)/\(start)"
    let begun = prefix.dropFirst(start.count)
    return names(in: place).filter {
      $0.hasPrefix(begun) && ($0.first != "." || begun.first == ".")
    }
    .sorted().map { Completions.Item(start + $0) }
  }

  /// The names in a folder; names of folders end with a slash.
  private func names(in folder: String) -> [String] {
    guard let handle = opendir(folder) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while names.count < 10_000, let entry = readdir(handle) {
      let isFolder = entry.pointee.d_type == UInt8(DT_DIR)
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(isFolder ? "\(name)/" : name) }
    }
    return names
  }
}
