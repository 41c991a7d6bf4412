internal import System
internal import HTTP

/// The layout of the dashboard's pages, and their common parts.
struct DashboardPage {
  let context: EmulatorContext
  let visit: FormSeal.Visit
  let path: String
  let notice: DashboardNotice?

  /// The sections, in the order of the navigation.
  enum Section: CaseIterable {
    case overview, users, codes, log, settings, rules, faults
  }

  /// One page; the navigation links to the sections of the project in `scope`.
  func response(
    status: Int = 200, _ section: Section?, title: String, scope: DashboardPath.Scope? = nil,
    problem: String? = nil, content: Markup
  ) -> ServerResponse {
    let scope = scope ?? DashboardPath.Scope(project: context.configuration.id)
    let text = WebPage(
      title: "\(title) – luath emulator",
      head: """
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <link rel="icon" href="\(Self.icon)">
        <link rel="stylesheet" href="/emulator/ui/style.css">
        <script src="/emulator/ui/script.js" defer></script>

        """
    ).text(
      """
      <a class="skip" href="#main">Skip to the content</a>
      <header class="top">
      <a class="brand" href="/"><span class="mark" aria-hidden="true">\(Self.mark)</span>luath \
      <small>Auth emulator</small></a>
      <nav aria-label="Sections"><ul>
      \(navigation(section, scope))</ul></nav>
      <div id="clock" data-live>\(movedClock)</div>
      <div class="live"><span id="live" role="status"></span>\
      <button id="pause" class="small" type="button" hidden>Pause</button></div>
      </header>
      <main id="main" tabindex="-1">
      \(banner(problem))\(content)
      </main>
      <footer><p>\(rulesInWords) · \(context.origin) · an emulator: no account here is real</p></footer>
      """)
    var response = ServerResponse(
      status: status, text: text, type: "text/html; charset=utf-8")
    protect(&response)
    if let cookie = visit.cookie { response.headers.append("Set-Cookie", cookie) }
    return response
  }

  /// A style sheet or a script.
  ///
  /// The script fetches the page again on each change and replaces the elements marked as live. Forms are not among
  /// them, so that no entry is lost.
  func asset(_ name: String, type: String) -> ServerResponse {
    var response = ServerResponse(text: EmbeddedAssets.text(name), type: type)
    protect(&response)
    return response
  }

  private func protect(_ response: inout ServerResponse) {
    let headers = [
      "Content-Security-Policy":
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
        + "img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff",
      // With no-referrer, browsers send the origin `null` for our own forms too.
      "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
    ]
    for (name, value) in headers { response.headers.set(name, value) }
    // The same address returns JSON to programs.
    response.headers.set("Vary", "Accept, Cookie")
  }

  // MARK: Layout

  private func navigation(_ section: Section?, _ scope: DashboardPath.Scope) -> [Markup] {
    let project = DashboardPath.Scope(project: scope.project)
    return Section.allCases.map { each in
      let (name, address) =
        switch each {
        case .overview: ("Overview", "/")
        case .users: ("Users", scope.address("users"))
        case .codes: ("Messages", scope.address("codes"))
        case .log: ("Requests", "/emulator/ui/log")
        case .settings: ("Settings", project.address("settings"))
        case .rules: ("Rules", "/emulator/ui/rules")
        case .faults: ("Faults", "/emulator/ui/faults")
        }
      let current: Markup = each == section ? " aria-current=\"page\"" : .nothing
      return "<li><a href=\"\(address)\"\(current)>\(name)</a></li>\n"
    }
  }

  private func banner(_ problem: String?) -> Markup {
    if let problem { return "<p class=\"banner bad\" role=\"alert\">\(problem)</p>\n" }
    guard let notice else { return .nothing }
    return "<p class=\"banner good\" role=\"status\">\(notice.text)</p>\n"
  }

  /// The emulator's time and how far it is from this machine's; nothing while they are the same.
  private var movedClock: Markup {
    let advance = context.clock.advance
    guard advance != 0 else { return .nothing }
    let now = Timestamp.text(milliseconds: context.clock.milliseconds)
    let distance = "\(advance > 0 ? "+" : "−")\(Self.span(advance.magnitude))"
    return """
      <span class="pill warn" title="The clock of the emulator was moved. It now shows \(now).">\
      Clock \(distance)</span>
      """
  }

  /// A time span in its two largest units, such as `1 h 5 min`.
  static func span(_ seconds: UInt64) -> String {
    var rest = seconds
    var parts: [String] = []
    for (unit, size) in [("d", UInt64(86_400)), ("h", 3600), ("min", 60), ("s", 1)] {
      let count = rest / size
      rest %= size
      if count > 0 { parts.append("\(count) \(unit)") } else if !parts.isEmpty { break }
    }
    return parts.prefix(2).joined(separator: " ")
  }

  var rulesInWords: String {
    if context.rules == .compatible { return "compatible rules" }
    if context.rules == .production { return "production rules" }
    let count = Rule.allCases.count { context.rules[$0] }
    return "\(count) of \(Rule.allCases.count) production rules"
  }

  private static let mark: Markup = """
    <svg viewBox="0 0 24 24" width="26" height="26" focusable="false"><rect width="24" height="24" \
    rx="7" fill="#4338ca"/><path d="M4 15c4-1 5-6 8-7 2-.6 3 .2 4 1l4 1-3.4 1.6C16 14 14 17 9 17H5" \
    fill="#ffd166"/><circle cx="15.2" cy="9.8" r="1" fill="#312e81"/></svg>
    """

  private static let icon =
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Crect "
    + "width='24' height='24' rx='7' fill='%234338ca'/%3E%3Cpath d='M4 15c4-1 5-6 8-7 2-.6 3 .2 4 "
    + "1l4 1-3.4 1.6C16 14 14 17 9 17H5' fill='%23ffd166'/%3E%3C/svg%3E"

  // MARK: Pages without content

  func problem(_ status: Int, _ text: String) -> ServerResponse {
    response(
      status: status, nil, title: "Error",
      content: """
        <h1>The page cannot be shown</h1>
        <p class="lead">\(text)</p>
        <p><a class="button" href="/">Back to the overview</a></p>
        """)
  }

  func unknownProject(_ id: String) -> ServerResponse {
    problem(
      404,
      "There is no such project or tenant. The project \(id) is created when an app first uses it.")
  }
}

extension DashboardPage {
  /// The start of every form, with the CSRF code.
  func form(_ address: String, class name: String = "card") -> Markup {
    """
    <form method="post" action="\(address)" class="\(name)">
    <input type="hidden" name="csrf" value="\(visit.code)">
    """
  }

  /// A labeled single-line field.
  func field(
    _ name: String, _ label: String, value: String = "", type: String = "text", hint: String? = nil,
    isRequired: Bool = false
  ) -> Markup {
    let id = "f-\(name)"
    let described: Markup = hint == nil ? .nothing : " aria-describedby=\"\(id)-hint\""
    let note: Markup = hint.map { "<small id=\"\(id)-hint\">\($0)</small>" } ?? .nothing
    let required: Markup = isRequired ? " required" : .nothing
    // The entries are test data: browsers should neither fill them in nor save them.
    let completion = type == "password" ? "new-password" : "off"
    return """
      <div class="field"><label for="\(id)">\(label)</label>\
      <input id="\(id)" name="\(name)" type="\(type)" value="\(value)" dir="auto" \
      autocomplete="\(completion)" spellcheck="false"\(required)\(described)>\(note)</div>

      """
  }

  func checkbox(_ name: String, _ label: String, isOn: Bool, value: String = "on") -> Markup {
    let checked: Markup = isOn ? " checked" : .nothing
    return """
      <label class="check"><input type="checkbox" name="\(name)" value="\(value)"\(checked)> \
      \(label)</label>

      """
  }

  /// A date and time, to the second.
  func time(_ milliseconds: Int64?) -> Markup {
    guard let milliseconds else { return "<span class=\"soft\">never</span>" }
    let full = Timestamp.text(milliseconds: milliseconds)
    let day = String(full.prefix(10))
    let clock = String(full.dropFirst(11).prefix(8))
    return "<time datetime=\"\(full)\">\(day) <b>\(clock)</b></time>"
  }

  /// A time of day with milliseconds, for lists of recent requests.
  func clock(_ milliseconds: Int64) -> Markup {
    let full = Timestamp.text(milliseconds: milliseconds)
    let seconds = String(full.dropFirst(11).prefix(8))
    let rest = String(full.dropFirst(19).prefix(4))
    return "<time datetime=\"\(full)\">\(seconds)<span class=\"wide\">\(rest)</span></time>"
  }

  func number(_ count: Int) -> String {
    var text = String(count)
    var place = text.count - 3
    while place > 0 {
      text.insert(",", at: text.index(text.startIndex, offsetBy: place))
      place -= 3
    }
    return text
  }

  func amount(_ count: Int, _ noun: String) -> String {
    "\(number(count)) \(noun)\(count == 1 ? "" : "s")"
  }

  func pill(status: Int) -> Markup {
    let name = status >= 500 ? "bad" : status >= 400 ? "warn" : status >= 300 ? "info" : "good"
    return "<span class=\"pill \(name)\">\(String(status))</span>"
  }

  func pill(_ text: String, _ name: String) -> Markup {
    "<span class=\"pill \(name)\">\(text)</span>"
  }

  func avatar(_ account: Account) -> Markup {
    let text = account.displayName ?? account.email ?? account.phoneNumber ?? "?"
    let letter = text.first { $0.isLetter || $0.isNumber }.map { String($0).uppercased() } ?? "?"
    let tint = account.uid.utf8.reduce(0) { ($0 &+ Int($1)) % 6 }
    return "<span class=\"avatar c\(String(tint))\" aria-hidden=\"true\">\(letter)</span>"
  }

  /// The name of an account in lists.
  func name(of account: Account) -> String {
    for text in [account.displayName, account.email, account.phoneNumber] {
      if let text, !text.isEmpty { return text }
    }
    return account.isAnonymous ? "Anonymous" : account.uid
  }

  // MARK: JSON

  /// Formatted JSON with syntax colors.
  func code(_ value: JSON) -> Markup {
    var text = Markup.Interpolation(literalCapacity: 256, interpolationCount: 8)
    write(value, indent: "", to: &text)
    return
      "<pre tabindex=\"0\"><code>\(Markup(stringInterpolation: text))</code></pre>"
  }

  private func write(_ value: JSON, indent: String, to text: inout Markup.Interpolation) {
    let inner = indent + "  "
    switch value {
    case .object(let object):
      guard !object.isEmpty else { return text.appendLiteral("{}") }
      text.appendLiteral("{\n")
      for (place, (name, member)) in object.entries.enumerated() {
        text.appendLiteral(inner)
        text.appendInterpolation(
          "<span class=\"k\">\(JSON.string(name).encoded())</span>: " as Markup)
        write(member, indent: inner, to: &text)
        text.appendLiteral(place == object.count - 1 ? "\n" : ",\n")
      }
      text.appendLiteral(indent + "}")
    case .array(let items):
      guard !items.isEmpty else { return text.appendLiteral("[]") }
      text.appendLiteral("[\n")
      for (place, item) in items.enumerated() {
        text.appendLiteral(inner)
        write(item, indent: inner, to: &text)
        text.appendLiteral(place == items.count - 1 ? "\n" : ",\n")
      }
      text.appendLiteral(indent + "]")
    case .string(Mask.dots):
      text.appendInterpolation(
        "<span class=\"m\" title=\"not shown\">\(Mask.dots)</span>" as Markup)
    case .string:
      text.appendInterpolation("<span class=\"s\">\(value.encoded())</span>" as Markup)
    case .null, .bool, .integer, .number:
      text.appendInterpolation("<span class=\"n\">\(value.encoded())</span>" as Markup)
    }
  }
}
