import Emulator
import Glibc
import System

/// What `firebase.json` and `.firebaserc` configure for the Auth emulator: Firebase's tools read the same keys.
public struct FirebaseFiles: Sendable {
  /// `emulators.auth.host`.
  public private(set) var host: String?
  /// `emulators.auth.port`.
  public private(set) var port: UInt16?
  /// The id of the project that Firebase's tools use: the only one, or the one with the alias `default`.
  public private(set) var project: String?

  private static let settings = "firebase.json"
  private static let projects = ".firebaserc"

  /// Reads both files in the nearest folder that has one of them, from the working folder up.
  ///
  /// - Throws: For a `firebase.json` that cannot be used. A `.firebaserc` that cannot be used is a warning, as it is
  ///   for Firebase's tools.
  public static func find(_ console: Console) throws(CommandFailure) -> FirebaseFiles {
    var files = FirebaseFiles()
    var folder = console.folder
    while true {
      let settings = console.read("\(folder)/\(settings)")
      let projects = console.read("\(folder)/\(projects)")
      if settings.exists || projects.exists {
        let shown = folder == console.folder ? "" : "\(folder)/"
        if settings.exists {
          try files.read(
            settings, at: "\(folder)/\(Self.settings)", "\(shown)\(Self.settings)", console)
        }
        if projects.exists {
          files.readProjects(
            projects, at: "\(folder)/\(Self.projects)", "\(shown)\(Self.projects)", console)
        }
        return files
      }
      let outer = folder.folder
      if outer == folder || folder == "/" { return files }
      folder = outer
    }
  }

  /// The project with the id of `.firebaserc`, unless its file names another one.
  public func naming(_ project: ProjectFile) -> ProjectFile { project.named(self.project) }

  private mutating func read(
    _ content: Result<[UInt8], SystemError>, at path: String, _ name: String, _ console: Console
  ) throws(CommandFailure) {
    let json: JSON
    do throws(Problem) {
      json = try Self.json(content, at: path, console)
      let emulators = try Self.table(json["emulators"], "emulators")
      let auth = try Self.table(emulators?["auth"], "emulators.auth")
      host = try Self.host(auth?["host"])
      port = try Self.port(auth?["port"])
    } catch {
      throw CommandFailure(.notLoaded, "\(name.printable): \(error.message)", hint: error.hint)
    }
  }

  private mutating func readProjects(
    _ content: Result<[UInt8], SystemError>, at path: String, _ name: String, _ console: Console
  ) {
    do throws(Problem) {
      let json = try Self.json(content, at: path, console)
      let projects = try Self.table(json["projects"], "projects")?.object?.entries ?? []
      let chosen = projects.count == 1 ? projects.first : projects.first { $0.key == "default" }
      guard let chosen else { return }
      guard let id = chosen.value.string, ProjectConfiguration.isProjectID(id) else {
        throw Problem(
          "projects.\(chosen.key.printable) is not the id of a project",
          hint: "such as { \"projects\": { \"default\": \"demo-shop\" } }")
      }
      project = id
    } catch {
      console.warn(
        "\(name.printable) is not used: \(error.message)", hint: error.hint)
    }
  }

  /// Parses a file; throws if another user may have put it there.
  private static func json(
    _ content: Result<[UInt8], SystemError>, at path: String, _ console: Console
  ) throws(Problem) -> JSON {
    if let doubt = FoundFile(path, console).doubt {
      throw Problem(
        "it was found and is not used: \(doubt)",
        hint: "run luath in a folder that only you can change")
    }
    let bytes: [UInt8]
    switch content {
    case .success(let read): bytes = read
    case .failure(let error):
      throw Problem("cannot be read: \(error.words)", hint: "check its permissions")
    }
    do throws(JSONError) {
      let json = try JSON.parse(withoutComments(bytes))
      guard json.object == nil else { return json }
    } catch {
      throw Problem(
        "line \(error.line), column \(error.column): \(error.message)",
        hint: "it must be valid JSON; // and /* */ are comments")
    }
    throw Problem(
      "must be an object", hint: "such as { \"emulators\": { \"auth\": { \"port\": 9099 } } }")
  }

  private static func table(_ json: JSON?, _ name: String) throws(Problem) -> JSON? {
    guard let json, json.object == nil, !json.isNull else { return json }
    throw Problem("\(name) must be an object", hint: "remove it to use the defaults")
  }

  private static func host(_ json: JSON?) throws(Problem) -> String? {
    guard let json else { return nil }
    guard let host = json.string, !host.isEmpty else {
      throw Problem("emulators.auth.host must be a string", hint: "such as \"127.0.0.1\"")
    }
    return host
  }

  private static func port(_ json: JSON?) throws(Problem) -> UInt16? {
    guard let json else { return nil }
    // Firebase's tools accept a string of digits, too, and use 0 like no port.
    let number = json.integer ?? json.string.flatMap { Int64($0) }
    guard let port = number.flatMap({ UInt16(exactly: $0) }) else {
      throw Problem(
        "emulators.auth.port must be a number from 1 to 65535, not \(json.encoded().printable)",
        hint: "such as 9099; or use --port")
    }
    return port == 0 ? nil : port
  }

  /// Replaces comments by blanks, so that the places of errors stay the same.
  private static func withoutComments(_ bytes: [UInt8]) -> [UInt8] {
    var result = bytes
    var index = 0
    var isString = false
    func blank(_ end: Int) {
      for place in index..<end where result[place] != UInt8(ascii: "\n") {
        result[place] = UInt8(ascii: " ")
      }
      index = end
    }
    while index < bytes.count {
      let byte = bytes[index]
      let next = index + 1 < bytes.count ? bytes[index + 1] : 0
      switch byte {
      case UInt8(ascii: "\\") where isString: index += 1
      case UInt8(ascii: "\""): isString.toggle()
      case UInt8(ascii: "/") where !isString && next == UInt8(ascii: "/"):
        blank(bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count)
        continue
      case UInt8(ascii: "/") where !isString && next == UInt8(ascii: "*"):
        var end = index + 2
        while end < bytes.count,
          bytes[end - 1] != UInt8(ascii: "*") || bytes[end] != UInt8(ascii: "/") || end == index + 2
        {
          end += 1
        }
        blank(min(end + 1, bytes.count))
        continue
      default: break
      }
      index += 1
    }
    return result
  }
}

extension Result<[UInt8], SystemError> {
  /// Whether the file exists, readable or not.
  fileprivate var exists: Bool {
    switch self {
    case .success: true
    case .failure(let error): error.code != ENOENT && error.code != ENOTDIR
    }
  }
}
