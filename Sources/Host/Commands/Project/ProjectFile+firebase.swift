import System
import IdentityToolkit
import Lua

/// The target `firebase`: a real project, configured by the file of one of its apps.
extension ProjectFile {
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
    var found: [(String, Result<[UInt8], FileProblem>)] = []
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
    _ name: String, _ content: Result<[UInt8], FileProblem>
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
