import Emulator
import System
import HTTP
import IdentityToolkit
import Lua

/// Reads one target of the project file.
struct TargetReader {
  enum Outcome {
    case target(Target)
    /// The file is valid, but the target needs something that is missing; this matters only when it is used.
    case needs(Need)
  }

  /// Something that a target lacks.
  struct Need: Sendable {
    /// The end of a sentence, such as `the environment variable X, which is not set`.
    let words: String
    let hint: String
  }

  private static let texts = [
    "projectId", "apiKey", "apiKeyVariable", "authDomain", "emulatorHost", "config",
    "androidPackage", "caFile",
  ]
  private static let tables = ["headers", "resolve"]
  /// The keys of a target.
  static let known = texts + tables + ["protected"]

  private let path: [String]
  private let environment: [String: String]
  private let folder: ProjectFolder

  init(_ path: [String], _ environment: [String: String], _ folder: ProjectFolder) {
    self.path = path
    self.environment = environment
    self.folder = folder
  }

  func read(_ json: JSON) throws(ConfigurationError) -> Outcome {
    guard let fields = json.object else { throw problem([], "a target is a table", "") }
    try checkKeys(fields)
    var app: AppFile?
    if let name = fields["config"]?.string {
      switch folder.read(name) {
      case .success(let bytes): app = try self.app(bytes, name, fields)
      case .failure(let reason):
        return .needs(
          Need(
            words: "the file \(name.printable), which cannot be read: \(reason.words)",
            hint: "download it from the project's settings in the console, or correct config"))
      }
    } else if fields["androidPackage"] != nil {
      throw problem(
        ["androidPackage"], "chooses an app of a file, and there is no config",
        "set config = \"google-services.json\"")
    }
    if fields["apiKey"] == nil, let variable = fields["apiKeyVariable"]?.string,
      environment[variable]?.isEmpty ?? true
    {
      return .needs(
        Need(
          words: "the environment variable \(variable.printable), which is not set",
          hint: "set it before the run: \(variable.printable)=… luath run …"))
    }
    if let name = fields["caFile"]?.string, case .failure(let reason) = folder.read(name) {
      return .needs(
        Need(
          words: "the file \(name.printable), which cannot be read: \(reason.words)",
          hint: "put the authority's certificate there, or correct caFile"))
    }
    return .target(try target(fields, app))
  }

  /// The id of the project if the target is protected; else nil.
  func protectedProject(_ json: JSON, _ outcome: Outcome) -> String? {
    guard json["protected"]?.bool == true else { return nil }
    switch outcome {
    case .target(let target): return target.projectID
    case .needs: return json["projectId"]?.string
    }
  }

  private func target(
    _ fields: JSONObject, _ app: AppFile?
  ) throws(ConfigurationError) -> Target {
    guard let id = fields["projectId"]?.string ?? app?.projectID, !id.isEmpty else {
      throw problem(
        [], "a target needs its projectId",
        "copy it from the project's settings, or name an app's file with config")
    }
    var headers = app?.headers ?? HTTPHeaders()
    for (name, text) in try strings("headers", fields) { headers.set(name, text) }
    let backend = try backend(fields)
    return Target(
      projectID: id, apiKey: try apiKey(fields, app), backend: backend,
      authDomain: fields["authDomain"]?.string ?? app?.authDomain, headers: headers,
      hostOverrides: try hostOverrides(fields, backend))
  }

  private func checkKeys(_ fields: JSONObject) throws(ConfigurationError) {
    for (key, value) in fields.entries {
      guard Self.known.contains(key) else {
        let near = nearestName(to: key, among: Self.known)
        throw problem(
          [key], "a target has no key '\(key.printable)'",
          near.map { "did you mean '\($0)'?" }
            ?? "its keys are \(Self.known.joined(separator: ", "))")
      }
      if key == "protected" {
        guard value.bool != nil else {
          throw problem([key], "must be true or false", "correct the value")
        }
        continue
      }
      let isTable = Self.tables.contains(key)
      guard isTable ? value.object != nil : value.string != nil else {
        throw problem(
          [key], "must be a \(isTable ? "table of strings" : "string")", "correct the value")
      }
    }
  }

  private func app(
    _ bytes: [UInt8], _ name: String, _ fields: JSONObject
  ) throws(ConfigurationError) -> AppFile {
    do throws(Problem) {
      return try AppFile(bytes, androidPackage: fields["androidPackage"]?.string)
    } catch {
      throw problem(["config"], "\(name.printable) cannot be used: \(error.message)", error.hint)
    }
  }

  private func apiKey(
    _ fields: JSONObject, _ app: AppFile?
  ) throws(ConfigurationError) -> Secret {
    if let key = fields["apiKey"]?.string { return Secret(key) }
    if let variable = fields["apiKeyVariable"]?.string {
      return Secret(environment[variable] ?? "")
    }
    if let app { return app.apiKey }
    if fields["emulatorHost"] != nil { return Target.anyKey }
    throw problem(
      [], "a target needs its web API key",
      "set apiKey, apiKeyVariable to a variable's name, or config to an app's file")
  }

  private func backend(_ fields: JSONObject) throws(ConfigurationError) -> Target.Backend {
    guard let host = fields["emulatorHost"]?.string else { return .production }
    switch EmulatorAddress(host) {
    case .address(let url): return .emulator(url)
    case .wrong(let message, let hint): throw problem(["emulatorHost"], message, hint)
    }
  }

  private func hostOverrides(
    _ fields: JSONObject, _ backend: Target.Backend
  ) throws(ConfigurationError) -> Target.HostOverrides {
    for key in ["resolve", "caFile", "protected"] where fields[key] != nil && backend != .production
    {
      throw problem([key], "is for a real project, and emulatorHost is set", "leave one out")
    }
    var places: [String: String] = [:]
    for (host, place) in try strings("resolve", fields) {
      guard let name = WebURL("https://\(host)"), name.authority == name.host,
        name.pathAndQuery == "/", name.host == host.lowercased()
      else { throw problem(["resolve", host], "is no host name", "such as \(Self.exampleHost)") }
      let port = place.lastIndex(of: ":").map { place[place.index(after: $0)...] } ?? ""
      guard UInt16(port) != nil, let url = WebURL("https://\(place)"), url.pathAndQuery == "/"
      else {
        throw problem(["resolve", host], "must be HOST:PORT", "such as 10.0.0.5:443")
      }
      places[name.host] = place
    }
    return Target.HostOverrides(
      places: places, certificateFile: fields["caFile"]?.string.map(folder.whole))
  }

  private static let exampleHost = Endpoint.Service.identityToolkit.host

  private func strings(
    _ key: String, _ fields: JSONObject
  ) throws(ConfigurationError) -> [(String, String)] {
    var pairs: [(String, String)] = []
    for (name, value) in fields[key]?.object?.entries ?? [] {
      guard let text = value.string else {
        throw problem([key, name], "must be a string", "correct the value")
      }
      pairs.append((name, text))
    }
    return pairs
  }

  private func problem(
    _ keys: [String], _ message: String, _ hint: String
  ) -> ConfigurationError {
    ConfigurationError(path: path + keys, message: message, hint: hint)
  }
}
