import Host
import System
import HTTP

/// The request of a step, with all variables replaced.
struct Message {
  let method: String
  let path: String
  let query: [(String, String)]
  var headers = HTTPHeaders()
  var body: [UInt8] = []
  /// The values that may name accounts it creates.
  var noted: [JSON] = []

  init(_ step: Step, _ expansion: Expansion) async throws {
    method = step.method
    path = expansion.plain(try expansion.expand(text: step.path))
    var query: [(String, String)] = []
    for entry in step.query.entries {
      query.append((entry.key, expansion.plain(try await expansion.expand(entry.value))))
    }
    self.query = query
    for entry in step.headers.entries {
      headers.set(entry.key, expansion.plain(try await expansion.expand(entry.value)))
    }
    if let raw = step.raw {
      let text = expansion.plain(try expansion.expand(text: raw))
      body = Array(text.utf8)
      noted = [.string(text)]
    } else if let form = step.form {
      let fields = try await expansion.expand(form)
      let pairs = fields.object?.entries.map { ($0.key, expansion.plain($0.value)) } ?? []
      body = Array(FormFields(pairs).encoded.utf8)
      noted = [fields]
      if headers["Content-Type"] == nil {
        headers.set("Content-Type", "application/x-www-form-urlencoded")
      }
    } else if let content = step.body {
      let value = try await expansion.expand(content)
      body = value.encodedBytes()
      noted = [value, .array(expansion.texts(in: content))]
      if headers["Content-Type"] == nil { headers.set("Content-Type", "application/json") }
    }
  }
}
