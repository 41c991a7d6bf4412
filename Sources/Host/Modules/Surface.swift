import System
import Lua
import Glibc

/// Everything a script can reach: the modules, `require`, and the changed standard functions.
public final class Surface {
  private unowned let interpreter: Interpreter
  private var opened: [String: Module] = [:]

  /// The functions that create the modules, called on first `require`, so that the start stays fast.
  private static let makers: [(name: String, make: @Sendable (Interpreter) -> Module)] = [
    ("luath.admin", AdminModule.make),
    ("luath.auth", AuthModule.make),
    ("luath.crypto", CryptoModule.make),
    ("luath.emulator", EmulatorModule.make),
    ("luath.host", HostModule.make),
    ("luath.http", HTTPModule.make),
    ("luath.json", JSONModule.make),
    ("luath.oidc", OIDCModule.make),
    ("luath.planner", PlannerModule.make),
    ("luath.process", ProcessModule.make),
    ("luath.runner", RunnerModule.make),
    ("luath.server", ServerModule.make),
    ("luath.task", TaskModule.make),
    ("luath.totp", TOTPModule.make),
    ("luath.ui", UIModule.make),
    ("luath.webdriver", WebDriverModule.make),
  ]

  init(_ interpreter: Interpreter) { self.interpreter = interpreter }

  /// The names of all modules of the host.
  static var moduleNames: [String] { makers.map(\.name) }

  /// The modules for scripts: the others are for luath's own library, so the reference leaves them out.
  public static var documentedModules: [String] {
    moduleNames.filter { !["luath.planner", "luath.runner"].contains($0) }
  }

  /// The modules of the Lua library for scripts.
  public static let libraryModules = [
    "luath", "luath.actor", "luath.batch", "luath.expect", "luath.journey", "luath.merge",
  ]

  /// The module for scripts that a name most likely means: `luath.auth` for `auth`; nil when none is similar.
  static func module(meantBy name: String) -> String? {
    // Modules of the SDKs: `firebase/auth`, `FirebaseAuth`, `firebase-admin/auth`.
    let lowercased = name.lowercased()
    if lowercased.hasPrefix("firebase") || lowercased.hasPrefix("@firebase") {
      return lowercased.contains("admin") ? "luath.admin" : "luath.auth"
    }
    let names = documentedModules + libraryModules
    return names.first { $0 == "luath.\(name)" } ?? nearestName(to: name, among: names)
  }

  /// The module of this name; nil when there is none.
  public func module(_ name: String) -> Module? {
    if let module = opened[name] { return module }
    guard let maker = Self.makers.first(where: { $0.name == name }) else { return nil }
    let module = maker.make(interpreter)
    opened[name] = module
    return module
  }

  /// Replaces `require` and `os.exit` by versions that support waiting and stopping.
  func install() {
    let lua = interpreter.lua
    var native = Declarations(interpreter, owner: "native")
    native.add("module", "A module of the host.", [LuaParameter("name", .string)]) {
      [unowned self] call in
      guard let module = self.module(call.string(1) ?? "") else { return .results(0) }
      call.push(module.value)
      return .results(1)
    }
    native.add("source", "A module of the library.", [LuaParameter("name", .string)]) {
      [unowned interpreter] call throws(LuaError) in
      let name = call.string(1) ?? ""
      guard let (text, chunk) = Stdlib.source(of: name, interpreter.context.environment) else {
        return .results(0)
      }
      call.push(.reference(try interpreter.lua.load(text, name: chunk)))
      call.push(chunk)
      return .results(2)
    }
    native.add(
      "mistake", "What is wrong in a file that the script requires.",
      [LuaParameter("path", .string)]
    ) { [unowned interpreter] call in
      let path = call.string(1) ?? ""
      let mistake = interpreter.mistakes.first(inRequired: path)
      if interpreter.context.pauses != nil {
        interpreter.loadedSources[path] = try? WholeFile.read(path)
      }
      call.push(.string(ifAny: mistake?.line))
      return .results(1)
    }
    native.add(
      "advice", "What to write in place of code that made a required file fail to compile.",
      [LuaParameter("message", .string)]
    ) { [unowned interpreter] call in
      call.push(.string(ifAny: interpreter.mistakes.advice(forModule: call.string(1) ?? "")))
      return .results(1)
    }
    native.add(
      "nearest", "The module for scripts that a name most likely means.",
      [LuaParameter("name", .string)]
    ) { call in
      call.push(.string(ifAny: Self.module(meantBy: call.string(1) ?? "")))
      return .results(1)
    }
    native.wait("pause", "Lets other tasks go on.") { [unowned interpreter] _ -> Wait in
      TaskModule.sleep(.milliseconds(1), interpreter)
    }
    var system = Declarations(interpreter, owner: "os")
    system.add(
      "exit", "Ends the script.",
      [
        LuaParameter("status", .any, optional: true),
        // Without effect, as the state is always closed.
        LuaParameter("close", .any, optional: true),
      ]
    ) { [unowned interpreter] call throws(LuaError) in
      interpreter.exitStatus = try Self.status(call)
      interpreter.lua.stop(.exit)
      return .results(0)
    }
    let members = native.members + system.members
    guard let (text, chunk) = Stdlib.source(of: "luath.loader", [:]) else {
      preconditionFailure("the binary was built without stdlib/luath/loader.lua")
    }
    do throws(LuaError) {
      let loader = try lua.load(text, name: chunk)
      let entry = ("entry", LuaValue.pushed { $0.pushEntryMaker() })
      _ = try lua.run(
        loader, [.record(members.map { ($0.name, .function($0.function)) } + [entry])])
    } catch {
      preconditionFailure("loader.lua: \(interpreter.describe(error, traceback: "").message)")
    }
  }

  /// The status for `os.exit`, by the rules of Lua's original.
  private static func status(_ call: LuaCall) throws(LuaError) -> Int32 {
    if call.isNil(1) { return 0 }
    if call.typeName(1) == "boolean" { return call.boolean(1) ? 0 : 1 }
    if let status = call.integer(1) { return Int32(exactly: status) ?? -1 }
    let problem =
      call.number(1) == nil
      ? "number expected, got \(call.typeName(1))" : "number has no integer representation"
    throw .message("bad argument #1 to 'exit' (\(problem))")
  }

  func arguments(_ script: Script) {
    let lua = interpreter.lua
    let values = script.arguments
    lua.setGlobal(
      "arg",
      .pushed { call in
        call.push(.list(values.map(LuaValue.string)))
        call.push(script.name)
        call.popIntoItem(0)
      })
    guard let folder = script.folder else { return }
    lua.withGlobal("package") { call, at in
      for (name, ours) in [
        ("path", ["\(folder)/?.lua", "\(folder)/?/init.lua"]), ("cpath", ["\(folder)/?.so"]),
      ] {
        let theirs = call.field(at, name) { $0.string($1) ?? "" }.split(separator: ";")
          .map(String.init)
        let path = ours + theirs.filter { !ours.contains($0) }
        call.setField(name, .string(path.joined(separator: ";")))
      }
    }
  }
}

/// The Lua library: embedded in the binary, or read from the folder `LUATH_STDLIB`.
public enum Stdlib {
  /// The source of an embedded module; nil when there is none.
  public static func text(of module: String) -> String? {
    source(of: module, [:]).map { String(decoding: $0.0, as: UTF8.self) }
  }

  /// The source of a module and the chunk name for its errors.
  static func source(of module: String, _ environment: [String: String]) -> ([UInt8], String)? {
    // Without slashes and `..`, a name cannot leave the folder.
    guard module.utf8.allSatisfy({ $0 != UInt8(ascii: "/") }), !module.contains("..") else {
      return nil
    }
    let path = String(module.map { $0 == "." ? "/" : $0 })
    for file in ["\(path).lua", "\(path)/init.lua"] {
      if let folder = environment["LUATH_STDLIB"],
        let text = try? WholeFile.read("\(folder)/\(file)")
      {
        return (text, "@\(folder)/\(file)")
      }
      if let text = embedded(file) {
        let bytes = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return (Array(bytes), "=luath/\(file)")
      }
    }
    return nil
  }

  /// A file that the binary carries: luath's own, or one of Debian's luassert and say.
  private static func embedded(_ file: String) -> StaticString? {
    let debian = [
      "luath/debian/luassert/": EmbeddedLuassert.files, "luath/debian/say/": EmbeddedSay.files,
    ]
    for (folder, files) in debian where file.hasPrefix(folder) {
      return files[String(file.dropFirst(folder.count))]
    }
    return EmbeddedStdlib.files[file]
  }

  /// The functions of the Lua library that have a parameter marked by `---@secret NAME`.
  static var secretParameters: [(String, SecretParameters.Function)] {
    EmbeddedStdlib.files.values.flatMap { text in
      let bytes = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
      return secretParameters(in: String(decoding: bytes, as: UTF8.self))
    }
  }

  private static func secretParameters(
    in text: String
  ) -> [(String, SecretParameters.Function)] {
    var found: [(String, SecretParameters.Function)] = []
    var secrets: Set<String> = []
    // By bytes and without regular expressions, which took most of the start's processor time.
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      if line.starts(with: secretTag.utf8) {
        secrets.insert(String(Substring(line.dropFirst(secretTag.utf8.count))))
      } else if !line.starts(with: "--".utf8) {
        if !secrets.isEmpty, let function = secretFunction(String(Substring(line)), secrets) {
          found.append(function)
        }
        secrets = []
      }
    }
    return found
  }

  private static let secretTag = "---@secret "

  /// Reads `function owner.name(a, b)`, `function owner:name(a, b)` or `function name(a, b)`.
  private static func secretFunction(
    _ line: String, _ secrets: Set<String>
  ) -> (String, SecretParameters.Function)? {
    guard line.hasPrefix("function "), let open = line.firstIndex(of: "("),
      let close = line[open...].firstIndex(of: ")")
    else { return nil }
    let path = line[..<open].dropFirst("function ".count)
    let mark = path.lastIndex { $0 == "." || $0 == ":" }
    let owner = mark.map { String(path[..<$0]) } ?? ""
    let name = mark.map { String(path[$0...].dropFirst()) } ?? String(path)
    let parameters = line[open..<close].dropFirst().split { $0 == "," || $0 == " " }
    return (
      name,
      SecretParameters.Function(
        // The prompt's `own.reveal` is a global for its users.
        owner: owner == "own" ? "" : owner, isMethod: mark.map { path[$0] == ":" } ?? false,
        places: parameters.map(String.init).map {
          SecretPlace(isSecret: secrets.contains($0)).named($0)
        })
    )
  }
}
