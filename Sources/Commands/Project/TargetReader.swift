import Emulator
import Encoding
import HTTP
import IdentityToolkit
import Lua
import Scripting

/// Reads one target of the project file.
struct TargetReader {
  private static let known = [
    "projectId", "apiKey", "apiKeyVariable", "authDomain", "emulatorHost", "headers",
  ]
  private let path: [String]
  private let environment: [String: String]

  init(_ path: [String], _ environment: [String: String]) {
    self.path = path
    self.environment = environment
  }

  /// The environment variable that this target needs and that is not set.
  ///
  /// That is no mistake of the file: who does not use the target needs no key for it.
  func missingVariable(of json: JSON) -> String? {
    guard let fields = json.object, fields["apiKey"] == nil,
      let variable = fields["apiKeyVariable"]?.string, environment[variable]?.isEmpty ?? true
    else { return nil }
    return variable
  }

  func target(_ json: JSON) throws(ConfigurationError) -> Target {
    guard let fields = json.object else { throw problem([], "a target is a table", "") }
    for (key, value) in fields.entries {
      guard Self.known.contains(key) else {
        let near = nearestName(to: key, among: Self.known)
        throw problem(
          [key], "a target has no key '\(key.printable)'",
          near.map { "did you mean '\($0)'?" } ?? "it knows \(Self.known.joined(separator: ", "))")
      }
      guard key == "headers" ? value.object != nil : value.string != nil else {
        throw problem(
          [key], "must be a \(key == "headers" ? "table of strings" : "string")",
          "correct the value")
      }
    }
    guard let id = fields["projectId"]?.string, !id.isEmpty else {
      throw problem([], "a target needs its projectId", "copy it from the project's settings")
    }
    var headers = HTTPHeaders()
    for (name, value) in fields["headers"]?.object?.entries ?? [] {
      guard let text = value.string else {
        throw problem(["headers", name], "must be a string", "correct the value")
      }
      headers.set(name, text)
    }
    return Target(
      projectID: id, apiKey: try apiKey(fields), backend: try backend(fields),
      authDomain: fields["authDomain"]?.string, headers: headers)
  }

  private func apiKey(_ fields: JSONObject) throws(ConfigurationError) -> Secret {
    if let key = fields["apiKey"]?.string { return Secret(key) }
    if let variable = fields["apiKeyVariable"]?.string {
      return Secret(environment[variable] ?? "")
    }
    if fields["emulatorHost"] != nil { return Secret("emulated") }
    throw problem(
      [], "a target needs its web API key", "set apiKey, or apiKeyVariable to a variable's name")
  }

  private func backend(_ fields: JSONObject) throws(ConfigurationError) -> Target.Backend {
    guard let host = fields["emulatorHost"]?.string else { return .production }
    guard let url = WebURL("http://\(host)"), url.path == "/" || url.path.isEmpty else {
      throw problem(["emulatorHost"], "must be HOST:PORT", "such as 127.0.0.1:9099")
    }
    return .emulator(url)
  }

  private func problem(
    _ keys: [String], _ message: String, _ hint: String
  ) -> ConfigurationError {
    ConfigurationError(path: path + keys, message: message, hint: hint)
  }
}
