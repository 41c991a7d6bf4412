import System
import HTTP

/// Encodes requests and responses as HAR 1.2.
enum HARMessages {
  static func request(_ exchange: ExchangeEvent) -> JSON {
    var members = common(exchange.request, exchange)
    members["method"] = .string(exchange.method)
    members["url"] = .string(exchange.url)
    members["queryString"] = .array(
      (WebURL(exchange.url)?.fields.pairs ?? []).map { pair($0.name, $0.value) })
    if let body = exchange.request.body {
      members["postData"] = [
        "mimeType": .string(body.mimeType), "params": [], "text": .string(body.text ?? ""),
      ]
    }
    return .object(members)
  }

  /// Encodes the response; if there was none, one with status 0, as browsers do.
  static func response(_ exchange: ExchangeEvent) -> JSON {
    let message = exchange.response ?? ExchangeEvent.Message()
    var members = common(message, exchange)
    members["status"] = .integer(Int64(exchange.status ?? 0))
    members["statusText"] = .string("")
    members["redirectURL"] = .string(
      message.headers.first { $0.name.lowercased() == "location" }?.value ?? "")
    var content: JSONObject = [
      "size": .integer(Int64(message.body?.size ?? 0)),
      "mimeType": .string(message.body?.mimeType ?? "x-unknown"),
    ]
    if let text = message.body?.text { content["text"] = .string(text) }
    if message.body?.isTruncated == true { content["comment"] = "cut off" }
    members["content"] = .object(content)
    if let error = exchange.error { members["_error"] = .string(error) }
    return .object(members)
  }

  private static func common(
    _ message: ExchangeEvent.Message, _ exchange: ExchangeEvent
  ) -> JSONObject {
    [
      "httpVersion": .string(exchange.protocolName ?? "HTTP/1.1"),
      // Cookie values would be secrets; the names are in the headers.
      "cookies": [],
      "headers": .array(message.headers.map { pair($0.name, $0.value) }),
      // HAR 1.2: -1 means unknown.
      "headersSize": -1,
      "bodySize": .integer(Int64(message.body?.size ?? 0)),
    ]
  }

  private static func pair(_ name: String, _ value: String) -> JSON {
    ["name": .string(name), "value": .string(value)]
  }
}
