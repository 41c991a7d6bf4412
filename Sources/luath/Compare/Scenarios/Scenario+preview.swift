import Host
import System

extension Scenario {
  /// The lines of a dry run for the scenario: requests with bodies, and changes of settings.
  var preview: [String] {
    let undoing = finally.flatMap(\.preview).map { $0.hasPrefix(" ") ? $0 : "\($0)  (to clean up)" }
    guard !settings.isEmpty else { return steps.flatMap(\.preview) + undoing }
    let config = "identitytoolkit.googleapis.com/v2/projects/PROJECT/config"
    let change = "PATCH \(config)?updateMask=\(settings.keys.joined(separator: ","))"
    return ["GET \(config)", change, "  \(JSON.object(settings).encoded())"]
      + steps.flatMap(\.preview) + undoing + ["\(change)  (as it was)"]
  }
}

extension Step {
  /// The request with placeholders: `luath-compare-…` for the run, `<name>` for a variable.
  fileprivate var preview: [String] {
    var lines: [String] = []
    if advance > 0 {
      lines = ["PATCH emulator/v1/clock", "  {\"advanceSeconds\":\(advance)}"]
    }
    let address = path.dropFirst().replacing("{{project}}", with: "PROJECT")
    let fields = query.entries.filter { $0.key != "key" }.map { field in
      "\(field.key)=\(field.value.string ?? field.value.encoded())"
    }
    let request =
      "\(method) \(address)" + (fields.isEmpty ? "" : "?\(fields.joined(separator: "&"))")
    lines.append(Self.shown(request))
    for field in headers.entries where field.key != "Authorization" {
      lines.append(Self.shown("  \(field.key): \(field.value.string ?? field.value.encoded())"))
    }
    if let content = (body ?? form)?.encoded() ?? raw { lines.append(Self.shown("  \(content)")) }
    return lines
  }

  private static func shown(_ text: String) -> String {
    text.replacing("{{prefix}}", with: "luath-compare-…")
      .replacing(/\{\{([A-Za-z0-9]+)\}\}/) { "<\($0.output.1)>" }
  }
}
