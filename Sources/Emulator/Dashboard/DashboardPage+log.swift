internal import System
internal import HTTP

struct LogFilter {
  static let shown = 60

  let text: String
  let project: String
  let showsRefusalsOnly: Bool

  init(_ query: FormFields) {
    text = query["q"] ?? ""
    project = query["project"] ?? ""
    showsRefusalsOnly = query["refused"] != nil
  }

  func matches(_ event: VisibleExchange) -> Bool {
    if showsRefusalsOnly, !event.isRefusal { return false }
    if !project.isEmpty, !sameText(event.names.project, project) {
      return false
    }
    let wanted = text.lowercased()
    return wanted.isEmpty
      || [event.path, event.names.operation, event.summary, String(event.status)].contains {
        $0.lowercased().contains(wanted)
      }
  }
}

extension DashboardPage {
  /// The latest requests, newest first.
  func log(
    _ filter: LogFilter, exchanges: some Sequence<VisibleExchange>
  ) -> ServerResponse {
    let events = exchanges.lazy.filter(filter.matches).prefix(LogFilter.shown)
    let rows = events.map { event -> Markup in
      """
      <tr><td>\(clock(event.time))</td><td class="wide"><code>\(event.method)</code></td>\
      <th scope="row"><a href="/emulator/ui/log/\(String(event.number))">\(event.names.operation)</a>\
      \(event.summary == event.names.operation ? .nothing : "<small><bdi>\(event.summary)</bdi></small>")</th>\
      <td class="wide path"><code>\(Self.shortened(event.path))</code></td>\
      <td class="wide name"><bdi>\(event.names.project ?? "")</bdi></td>\
      <td>\(pill(status: event.status))</td>\
      <td class="num wide">\(Self.milliseconds(event.nanoseconds))</td></tr>

      """
    }
    let list = Array(rows)
    let table: Markup =
      list.isEmpty
      ? "<div class=\"card empty\"><p><b>No request matches.</b></p></div>"
      : """
      <div class="card flush"><table>
      <thead><tr><th scope="col">Time</th><th scope="col" class="wide">Method</th>\
      <th scope="col">Operation</th><th scope="col" class="wide">Path</th>\
      <th scope="col" class="wide">Project</th><th scope="col">Status</th>\
      <th scope="col" class="num wide">ms</th></tr></thead>
      <tbody>
      \(list)</tbody></table></div>
      """
    return response(
      .log, title: "Requests",
      content: """
        <h1>Requests</h1>
        <p class="lead">The last \(String(EventLog.limit)) requests at most. Passwords, tokens, codes and keys \
        are never shown here.</p>
        <form class="search" role="search" action="/emulator/ui/log">
        <label for="q">Search in path, operation and result</label>
        <div class="row"><input id="q" name="q" type="search" value="\(filter.text)" dir="auto" \
        autocomplete="off" spellcheck="false">\
        \(checkbox("refused", "only refused requests", isOn: filter.showsRefusalsOnly))\
        <button type="submit">Search</button></div>
        </form>
        <section id="log" aria-label="Requests" data-live>
        \(table)
        </section>
        """)
  }

  /// The path without the most common host and without its query.
  private static func shortened(_ path: String) -> String {
    let bare = String(path.prefix { $0 != "?" })
    let host = "/identitytoolkit.googleapis.com"
    return bare.hasPrefix(host) ? "…\(bare.dropFirst(host.count))" : bare
  }

  static func milliseconds(_ nanoseconds: Int64) -> String {
    let hundredths = nanoseconds / 10_000
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// One request with its response and the tokens in both.
  func exchange(_ event: VisibleExchange) -> ServerResponse {
    let scope = event.names.project.map {
      DashboardPath.Scope(project: $0, tenant: event.names.tenant)
    }
    var account = Markup.nothing
    if let scope, let uid = event.uid {
      account =
        "<dt>User</dt><dd><a href=\"\(scope.address(user: uid))\"><code>\(uid)</code></a></dd>"
    }
    let place = scope.map { [$0.project, $0.tenant].compactMap { $0 }.joined(separator: " / ") }
    let tokens = event.tokens.map { token -> Markup in
      """
      <section class="card" aria-label="\(token.field)"><h3>\(token.field) \
      \(pill(token.algorithm == "none" ? "unsigned" : token.algorithm, "plain"))</h3>
      \(code(.object(token.claims)))</section>
      """
    }
    let decoded: Markup =
      tokens.isEmpty ? .nothing : "<h2>Tokens in it, without their signatures</h2>\n\(tokens)"
    return response(
      .log, title: "Request \(event.number)",
      content: """
        <p class="crumbs"><a href="/emulator/ui/log">Requests</a></p>
        <div class="head"><h1>\(event.names.operation)</h1>\(pill(status: event.status))</div>
        <p class="lead"><bdi>\(event.summary)</bdi></p>
        <div class="card"><dl>
        <dt>Request</dt><dd><code>\(event.method) \(event.path)</code></dd>
        <dt>Time</dt><dd>\(time(event.time))</dd>
        <dt>Duration</dt><dd>\(Self.milliseconds(event.nanoseconds)) ms</dd>
        <dt>Sent by</dt><dd>\(event.caller)</dd>
        <dt>Project</dt><dd><bdi>\(place ?? "none")</bdi></dd>
        \(account)</dl></div>
        <div class="columns twin">
        <section aria-labelledby="request"><h2 id="request">Request</h2>\(body(event.request))</section>
        <section aria-labelledby="response"><h2 id="response">Response</h2>\(body(event.response))</section>
        </div>
        \(decoded)
        """)
  }

  private func body(_ body: ShownBody) -> Markup {
    guard let value = body.value else {
      return "<div class=\"card empty\"><p>\(body.note ?? "")</p></div>"
    }
    return "<div class=\"card\">\(code(value))</div>"
  }
}
