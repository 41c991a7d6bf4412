public import Emulator
import HTTP
public import IdentityToolkit
import Lua
import System

/// The content of the project file: the emulated project and the real targets.
public struct ProjectFile: Sendable {
  /// The name of the built-in emulator as a target.
  public static let emulator = "emulator"

  /// The configuration that scripts see.
  public var configuration = ProjectConfiguration.demo
  /// The targets, by name.
  public var targets: [String: Target] = [:]
  /// The test accounts for journeys, by target.
  var accounts: [String: [JSON]] = [:]
  /// Targets that cannot be used, with what each one lacks.
  var unusableTargets: [String: TargetReader.Need] = [:]
  /// The ids of protected projects, which must not be changed, even under another target name.
  private(set) var protectedProjects: Set<String> = []
  /// The folder for relative paths in the file and for an app's configuration file.
  private(set) var folder: ProjectFolder
  /// The path of the project file; nil if there is none.
  public private(set) var path: String?

  /// Reads the named file, or else the nearest `luath.lua` from the script upwards; empty if there is none.
  public static func find(
    _ named: String?, near script: String?, _ console: Console
  ) throws(CommandFailure) -> ProjectFile {
    if let named {
      switch console.read(named) {
      case .success(let text): return try ProjectFile(text, name: named, path: named, console)
      case .failure(let problem):
        throw CommandFailure(
          .notLoaded, "cannot read the project file \(named.printable): \(problem.words)",
          hint: "check --project; the path starts from \(console.folder)")
      }
    }
    for path in candidates(script, console.folder) {
      if case .success(let text) = console.read(path) {
        try requireTrust(path, script, console)
        let folder = "\(console.folder)/"
        let name = path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
        return try ProjectFile(text, name: name, path: path, console)
      }
    }
    return ProjectFile(
      folder: script.map { ProjectFolder(of: $0, console) }
        ?? ProjectFolder(console.folder, console))
  }

  private init(folder: ProjectFolder) { self.folder = folder }

  /// The project for a script that its author tries: without a project file, the providers know everybody.
  public var forTrying: ProjectFile {
    guard path == nil else { return self }
    var project = self
    project.configuration.admitsAnyone = true
    return project
  }

  /// Throws if the found project file may come from another user.
  private static func requireTrust(
    _ path: String, _ script: String?, _ console: Console
  ) throws(CommandFailure) {
    guard let doubt = FoundFile(path, console).doubt else { return }
    let beside = ProjectFolder(of: script ?? "luath.lua", console).whole("luath.lua")
    let own = path == beside ? "" : "; to run without it, write return {} into \(beside.printable)"
    throw CommandFailure(
      .notLoaded, "the project file \(path.printable) was found and is not used: \(doubt)",
      hint: "to use it, name it: --project \(ShellWord.quoted(path))\(own)")
  }

  /// The paths to try: `luath.lua` next to the script (or in the working folder if there is no script), in each folder
  /// above, and in the working folder.
  private static func candidates(_ script: String?, _ folder: String) -> [String] {
    let script = script ?? ""
    var parts = (script.hasPrefix("/") ? script : "\(folder)/\(script)").split(separator: "/")
    if !script.isEmpty {
      if parts.last == "luath.lua" { return [] }
      parts.removeLast()
    }
    var paths: [String] = []
    while !parts.isEmpty {
      paths.append("/" + parts.joined(separator: "/") + "/luath.lua")
      parts.removeLast()
    }
    return paths + ["\(folder)/luath.lua"]
  }

  private init(
    _ text: [UInt8], name: String, path: String, _ console: Console
  ) throws(CommandFailure) {
    folder = ProjectFolder(of: path, console)
    self.path = path
    let environment = console.environment
    do throws(ScriptFailure) {
      let json = try ProjectScript.evaluate(text, name: name)
      do throws(ConfigurationError) { try read(json, environment) } catch {
        throw ScriptFailure(message: error.message, hint: error.hint, keys: error.path)
      }
    } catch {
      throw Self.failure(error, text, name)
    }
  }

  /// Describes an error with its file, line and key.
  private static func failure(
    _ problem: ScriptFailure, _ text: [UInt8], _ name: String
  ) -> CommandFailure {
    let line =
      problem.place.flatMap { $0.split(separator: ":").last.flatMap { Int($0) } }
      ?? KeyFinder(text).line(of: problem.keys)
    let key = problem.keys.isEmpty ? "" : "\(problem.keys.joined(separator: ".").printable): "
    let mark = problem.name ?? problem.keys.last
    let source = ShownSource(text)
    return CommandFailure(
      .notLoaded,
      "\(name.printable)\(line.map { ":\($0)" } ?? ""): \(key)\(source.clean(problem.message))",
      excerpt: line.flatMap { SourceExcerpt($0, of: source)?.text(marking: mark) } ?? "",
      hint: problem.hint)
  }

  private mutating func read(
    _ json: JSON, _ environment: [String: String]
  ) throws(ConfigurationError) {
    for (key, value) in json.object?.entries ?? [] {
      switch key {
      case "project": configuration = try project(value)
      case "targets":
        guard value.object != nil || value == [] else {
          throw ConfigurationError(
            path: [key], message: "must be a table of targets by name",
            hint: "such as: staging = { projectId = …, apiKey = … }")
        }
        for (name, target) in value.object?.entries ?? [] {
          guard name != Self.emulator else {
            throw ConfigurationError(
              path: [key, name], message: "is what the emulator inside luath is called",
              hint: "choose another name")
          }
          var fields = target
          if var object = target.object, let pool = object["accounts"] {
            accounts[name] = try AccountPool([key, name, "accounts"], environment).read(pool)
            object["accounts"] = nil
            fields = .object(object)
          }
          let reader = TargetReader([key, name], environment, folder)
          let outcome = try reader.read(fields)
          switch outcome {
          case .target(let target): targets[name] = target
          case .needs(let need): unusableTargets[name] = need
          }
          if let id = reader.protectedProject(fields, outcome) { protectedProjects.insert(id) }
        }
      default:
        throw ConfigurationError(
          path: [key], message: "the project file has no key '\(key.printable)'",
          hint: Self.place(of: key)
            ?? nearestName(to: key, among: ["project", "targets"]).map { "did you mean '\($0)'?" }
            ?? "its keys are project and targets")
      }
    }
  }

  /// Where a key that is in the wrong place belongs; nil for a key that the file does not have anywhere.
  private static func place(of key: String) -> String? {
    if key == "project" || key == "targets" {
      return "\(key) belongs outside of project: return { project = { … }, targets = { … } }"
    }
    if ProjectConfiguration.keys.contains(key) {
      return "\(key) belongs in project: return { project = { \(key) = … } }"
    }
    if TargetReader.known.contains(key) || key == "accounts" {
      return "\(key) belongs in a target: return { targets = { staging = { \(key) = … } } }"
    }
    guard ProviderConfiguration.isConfigurable(key) else { return nil }
    return "it belongs in providers: return { project = { providers = { [\"\(key)\"] = {} } } }"
  }

  private func project(_ json: JSON) throws(ConfigurationError) -> ProjectConfiguration {
    do throws(ConfigurationError) {
      return try ProjectConfiguration(json: json)
    } catch {
      let isUnknown = error.path.count == 1 && !ProjectConfiguration.keys.contains(error.path[0])
      throw ConfigurationError(
        path: ["project"] + error.path, message: error.message,
        hint: (isUnknown ? Self.place(of: error.path[0]) : nil) ?? error.hint)
    }
  }
}

/// The target `firebase`: a real project, configured by the file of one of its apps.
extension ProjectFile {
  /// The name of the target that is the Firebase project itself.
  public static let firebase = "firebase"

  /// Files to look for next to the project file, or next to the script if there is no project file.
  private static let appFiles = [
    "GoogleService-Info.plist", "google-services.json", "firebase-config.json",
    "firebase-config.js",
  ]
  private static let keyVariable = "LUATH_FIREBASE_API_KEY"
  private static let projectVariable = "LUATH_FIREBASE_PROJECT_ID"
  private static let domainVariable = "LUATH_FIREBASE_AUTH_DOMAIN"

  /// The real project, from `--config`, the environment, the project file, or a configuration file in the folder, in
  /// this order.
  func firebaseTarget(
    config: String?, _ environment: [String: String], _ console: Console
  ) throws(CommandFailure) -> Target {
    if let config { return try Self.target(config, console.read(config)) }
    if let target = try Self.target(environment) { return target }
    if let target = targets[Self.firebase] { return target }
    try requireUsable(Self.firebase)
    var found: [(String, Result<[UInt8], SystemError>)] = []
    for name in Self.appFiles {
      let content = folder.read(name)
      if case .success = content { found.append((name, content)) }
    }
    guard let (name, content) = found.first else {
      throw CommandFailure(
        .notLoaded, "the target firebase needs the configuration of an app",
        hint: "give --config FILE with \(Self.appFiles[0]), \(Self.appFiles[1]) or a web app's "
          + "firebaseConfig, or set \(Self.keyVariable) and \(Self.projectVariable)")
    }
    guard found.count == 1 else {
      let names = found.map(\.0).joined(separator: ", ")
      throw CommandFailure(
        .notLoaded, "the target firebase finds the configurations of several apps: \(names)",
        hint: "choose one with --config")
    }
    if let doubt = FoundFile(folder.whole(name), console).doubt {
      throw CommandFailure(
        .notLoaded, "\(folder.whole(name).printable) was found and is not used: \(doubt)",
        hint: "to use it, name it: --config \(ShellWord.quoted(folder.whole(name)))")
    }
    return try Self.target(name, content)
  }

  /// Throws if the target lacks something.
  func requireUsable(_ name: String) throws(CommandFailure) {
    guard let need = unusableTargets[name] else { return }
    throw CommandFailure(
      .notLoaded, "the target '\(name.printable)' needs \(need.words)", hint: need.hint)
  }

  private static func target(
    _ name: String, _ content: Result<[UInt8], SystemError>
  ) throws(CommandFailure) -> Target {
    do throws(Problem) {
      switch content {
      case .failure(let problem):
        throw Problem(problem.words, hint: "check --config, and where the path starts from")
      case .success(let bytes):
        let app = try AppFile(bytes)
        return Target(
          projectID: app.projectID, apiKey: app.apiKey, backend: .production,
          authDomain: app.authDomain, headers: app.headers)
      }
    } catch {
      throw CommandFailure(
        .notLoaded, "\(name.printable) cannot be used: \(error.message)", hint: error.hint)
    }
  }

  private static func target(
    _ environment: [String: String]
  ) throws(CommandFailure) -> Target? {
    func value(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    switch (value(keyVariable), value(projectVariable)) {
    case (nil, nil): return nil
    case (let key?, let project?):
      return Target(
        projectID: project, apiKey: Secret(key), backend: .production,
        authDomain: value(domainVariable))
    case (let key, _):
      let (set, missing) =
        key == nil ? (projectVariable, keyVariable) : (keyVariable, projectVariable)
      throw CommandFailure(
        .notLoaded, "\(set) is set and \(missing) is not", hint: "set both, or neither")
    }
  }
}

/// The folder for relative paths in a project file.
struct ProjectFolder: Sendable {
  private let path: String
  private let console: Console

  /// Creates the folder that contains a file.
  init(of file: String, _ console: Console) {
    let whole = console.whole(file)
    path = whole.lastIndex(of: "/").map { String(whole[..<$0]) } ?? ""
    self.console = console
  }

  init(_ path: String, _ console: Console) {
    self.path = path
    self.console = console
  }

  /// The path of a file in the folder; an absolute path stays unchanged.
  func whole(_ name: String) -> String { name.hasPrefix("/") ? name : "\(path)/\(name)" }

  func read(_ name: String) -> Result<[UInt8], SystemError> { console.read(whole(name)) }
}
