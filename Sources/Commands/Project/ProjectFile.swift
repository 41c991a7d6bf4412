import Emulator
import Encoding
import HTTP
import IdentityToolkit
import Lua
import Scripting

/// What the project file says: the emulated project and the real targets.
struct ProjectFile {
  var configuration = ProjectConfiguration.demo
  var targets: [String: Target] = [:]
  /// Targets that cannot be used, and the environment variable each is missing.
  var missingVariables: [String: String] = [:]

  /// Reads the named file, or the nearest `luath.lua` from the script upwards, or nothing.
  static func find(
    _ named: String?, near script: String?, _ console: Console
  ) throws(CommandFailure) -> ProjectFile {
    if let named {
      switch console.read(named) {
      case .success(let text): return try ProjectFile(text, name: named, console.environment)
      case .failure(let problem):
        throw CommandFailure(
          .notLoaded, "cannot read the project file \(named.printable): \(problem.words)",
          hint: "check --project; the path starts from \(console.folder)")
      }
    }
    for path in candidates(script, console.folder) {
      if case .success(let text) = console.read(path) {
        return try ProjectFile(text, name: path, console.environment)
      }
    }
    return ProjectFile()
  }

  init() {}

  /// `luath.lua` beside the script, then in each folder above it, then in the working folder.
  private static func candidates(_ script: String?, _ folder: String) -> [String] {
    var paths: [String] = []
    if let script {
      let whole = script.hasPrefix("/") ? script : "\(folder)/\(script)"
      var parts = whole.split(separator: "/").dropLast()
      let isOwn = whole.split(separator: "/").last == "luath.lua"
      if isOwn { return [] }
      while !parts.isEmpty {
        paths.append("/" + parts.joined(separator: "/") + "/luath.lua")
        parts = parts.dropLast()
      }
    }
    return paths + ["\(folder)/luath.lua"]
  }

  init(_ text: [UInt8], name: String, _ environment: [String: String]) throws(CommandFailure) {
    let json: JSON
    do throws(ScriptFailure) {
      json = try ProjectScript.evaluate(text, name: name)
    } catch {
      throw CommandFailure(
        .notLoaded, "\(error.place ?? name): \(error.message)",
        hint: error.hint ?? "it is data, a table without any function; see docs/emulator.md")
    }
    do throws(ConfigurationError) {
      try read(json, environment)
    } catch {
      let line = KeyFinder(text).line(of: error.path)
      let place = line.map { "\(name):\($0)" } ?? name
      let key = error.path.isEmpty ? "" : "\(error.path.joined(separator: ".")): "
      throw CommandFailure(.notLoaded, "\(place): \(key)\(error.message)", hint: error.hint)
    }
  }

  private mutating func read(
    _ json: JSON, _ environment: [String: String]
  ) throws(ConfigurationError) {
    let known = ["project", "targets"]
    for (key, value) in json.object?.entries ?? [] {
      switch key {
      case "project": configuration = try project(value)
      case "targets":
        for (name, target) in value.object?.entries ?? [] {
          let reader = TargetReader(["targets", name], environment)
          let read = try reader.target(target)
          if let variable = reader.missingVariable(of: target) {
            missingVariables[name] = variable
          } else {
            targets[name] = read
          }
        }
      default:
        let near = nearestName(to: key, among: known)
        throw ConfigurationError(
          path: [key], message: "the project file has no key '\(key.printable)'",
          hint: near.map { "did you mean '\($0)'?" } ?? "it knows project and targets")
      }
    }
  }

  private func project(_ json: JSON) throws(ConfigurationError) -> ProjectConfiguration {
    do throws(ConfigurationError) {
      return try ProjectConfiguration(json: json)
    } catch {
      throw ConfigurationError(
        path: ["project"] + error.path, message: error.message, hint: error.hint)
    }
  }
}
