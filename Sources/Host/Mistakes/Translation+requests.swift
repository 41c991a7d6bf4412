import System

/// Requests and queues of Apple's platforms.
///
/// A request becomes a table with the fields `url`, `bearer` and `headers`, which luath.http then sends.
extension Translation {
  // MARK: Queues

  /// The body of `DispatchQueue.main.async { … }`; nil for something else.
  mutating func queued() throws(Unclear) -> String? {
    var offset = 0
    if isAt("DispatchQueue") {
      while let token = token(offset), !token.is("{") {
        if token.startsLine, offset > 0 { return nil }
        offset += 1
      }
      guard isAt("async", offset - 1) || isAt("sync", offset - 1) else { return nil }
    } else if isAt("dispatch_async") || isAt("dispatch_sync") {
      while let token = token(offset), !token.is("^") {
        if token.startsLine, offset > 0 { return nil }
        offset += 1
      }
      offset += 1
      guard isAt("{", offset) else { return nil }
    } else {
      return nil
    }
    let isCall = isAt("^", offset - 1)
    mark("luath has no queues: what follows runs at once", isEarly: true)
    guard isWhole else { throw Unclear() }
    at += offset + 1
    let body = try statements(until: ["}"])
    at += 1
    if isCall { try expect(")") }
    return body
  }

  // MARK: Requests

  private static let sending: Set = [
    "dataTask", "dataTaskWithRequest", "dataTaskWithURL", "data", "sendAsynchronousRequest",
  ]

  /// Whether a function sends a request and calls a closure with the response.
  static func sends(_ call: Call) -> Bool {
    sending.contains(call.function) && call.receiver?.lowercased().contains("session") == true
  }

  private static let http = "require(\"luath.http\")"

  /// The call of luath.http for one of URLSession.
  func sent(_ call: Call) -> Call {
    var address = call.arguments.first ?? ""
    for label in ["with = ", "for = ", "from = "] where address.hasPrefix(label) {
      address = String(address.dropFirst(label.count))
    }
    let isRequest =
      address.wholeMatch(of: /\w+/) != nil && !call.function.hasSuffix("URL")
      && !(call.arguments.first ?? "").hasPrefix("from") && !address.lowercased().hasSuffix("url")
    guard isRequest else { return Call(function: "\(Self.http).get", arguments: [address]) }
    let words = Set(tokens.lazy.filter { $0.kind == .name }.map(\.text))
    // A field that the request does not have is nil, and so no option.
    var options: [String] = []
    for option in ["bearer", "headers"]
    where words.contains(option) || words.contains("forHTTPHeaderField") {
      options.append("\(option) = \(address).\(option)")
    }
    for body in ["httpBody", "HTTPBody"] where words.contains(body) {
      options.append("body = \(address).\(body)")
    }
    let fields = options.isEmpty ? [] : ["{ \(options.joined(separator: ", ")) }"]
    let method = ["httpMethod", "HTTPMethod"].first(where: words.contains)
    guard let method else {
      return Call(function: "\(Self.http).get", arguments: ["\(address).url"] + fields)
    }
    return Call(
      function: "\(Self.http).request",
      arguments: ["\(address).\(method)", "\(address).url"] + fields)
  }

  /// A call of URLSession with what its closure does, as a call of luath.http.
  mutating func sending(_ call: Call, _ callback: Closure?) -> Value {
    isChanged = true
    let made = sent(call)
    var value = Value(made.text)
    value.call = made
    guard let callback else { return value }
    finish(&value, callback)
    let names = callback.parameters
    if names.count == 3, names[0] != "_" {
      // The text of the response has the first name.
      let own = names[1] == "_" ? "response" : names[1]
      let isChecked = callback.check != nil
      let uses = callback.body.contains(names[0])
      value.result = own
      value.check?.result = own
      let line = "local \(names[0]) = \(isChecked ? "ok and " : "")\(own).body"
      value.after = Self.lines((uses ? [line] : []) + [callback.body].filter { !$0.isEmpty })
    }
    return value
  }

  /// Whether `task.resume()` or `[task resume]` follows, of a task that URLSession made.
  var isStart: Bool {
    let offset = isAt("[") ? 1 : 0
    guard let name = token(offset), name.kind == .name,
      isAt("resume", offset + (offset == 0 ? 2 : 1))
    else { return false }
    return tokens.indices.dropLast(9).contains { index in
      tokens[index].is(name.text) && tokens[index + 1].is("=")
        && tokens[(index + 2)...(index + 9)].contains { $0.text.hasPrefix("dataTask") }
    }
  }

  /// What stands for functions of a request or a response; nil for other functions.
  func request(_ call: Call) -> Value? {
    let arguments = call.arguments
    func after(_ label: String) -> String? {
      guard let first = arguments.first, first.hasPrefix("\(label) = ") else { return nil }
      return String(first.dropFirst(label.count + 3))
    }
    switch (call.receiver, call.function) {
    case (nil, "URL"): return after("string").map { Value($0) }
    case (nil, "URLRequest"): return after("url").map { Value("{ url = \($0) }") }
    case (nil, "String"):
      if let text = after("data") ?? after("decoding") { return Value(text) }
      if let text = after("describing") ?? (arguments.count == 1 ? arguments[0] : nil) {
        return Value("tostring(\(text))")
      }
      if arguments.count > 1, !call.isTable, arguments[0].hasPrefix("\"") {
        return Self.format(arguments)
      }
      return nil
    case ("NSURL", "URLWithString"): return Value(arguments[0])
    case ("NSMutableURLRequest", "requestWithURL"), ("NSURLRequest", "requestWithURL"):
      return Value("{ url = \(arguments[0]) }")
    case (nil, "JSONSerialization.jsonObject"), ("NSJSONSerialization", "JSONObjectWithData"):
      guard let first = arguments.first else { return nil }
      return Value("require(\"luath.json\").decode(\(after("with") ?? first))")
    case ("NSString", "initWithData"): return Value(arguments[0])
    case (let owner?, "setValue"), (let owner?, "addValue"):
      guard arguments.count == 2, arguments[1].hasPrefix("\""), owner.first?.isLowercase == true
      else { return nil }
      return header(owner, arguments[0], arguments[1])
    default: return nil
    }
  }

  private func header(_ owner: String, _ value: String, _ name: String) -> Value {
    if name == "\"Authorization\"",
      let match = value.wholeMatch(of: /\("Bearer %s"\):format\((.*)\)|"Bearer " \.\. (.*)/)
    {
      let token = match.output.1 ?? match.output.2 ?? ""
      return Value("\(owner).bearer = \(token)")
    }
    let end = isWhole ? "\n" : " "
    return Value(
      "\(owner).headers = \(owner).headers or {}\(end)\(owner).headers[\(name)] = \(value)")
  }
}
