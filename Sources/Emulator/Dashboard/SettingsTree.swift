internal import System

/// The settings of a project as a list of values, each with its path.
enum SettingsTree {
  struct Leaf {
    /// The member names that lead to it, joined by slashes and escaped as in RFC 6901.
    let path: String
    let value: JSON
  }

  /// All settings in order, including lists and strings, which the page shows but cannot change.
  static func leaves(of settings: JSON) -> [Leaf] {
    var found: [Leaf] = []
    walk(settings, "") { found.append(Leaf(path: $0, value: $1)) }
    return found
  }

  /// New values for all switches, with the structure of the settings.
  static func changes(in settings: JSON, _ value: (String, Bool) -> JSON) -> JSON {
    rebuild(settings, "", value) ?? [:]
  }

  private static func rebuild(
    _ settings: JSON, _ path: String, _ value: (String, Bool) -> JSON
  ) -> JSON? {
    switch settings {
    case .bool(let flag): return value(path, flag)
    case .object(let object):
      var rebuilt = JSONObject()
      for (name, member) in object.entries {
        if let new = rebuild(member, step(path, name), value) { rebuilt[name] = new }
      }
      return rebuilt.isEmpty ? nil : .object(rebuilt)
    default: return nil
    }
  }

  private static func walk(_ settings: JSON, _ path: String, _ body: (String, JSON) -> Void) {
    guard case .object(let object) = settings else { return body(path, settings) }
    for (name, member) in object.entries { walk(member, step(path, name), body) }
  }

  private static func step(_ path: String, _ name: String) -> String {
    let escaped = name.replacing("~", with: "~0").replacing("/", with: "~1")
    return path.isEmpty ? escaped : "\(path)/\(escaped)"
  }
}
