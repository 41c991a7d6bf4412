internal import System
internal import HTTP

extension DashboardPage {
  /// The projects with their counts, and the latest requests.
  func overview(projects: [Project], latest: [VisibleExchange]) -> ServerResponse {
    let rows = projects.flatMap { project in
      [row(project, project.backend, tenant: nil)]
        + tenants(of: project).map { row(project, $0.backend, tenant: $0.id) }
    }
    return response(
      .overview, title: "Overview",
      content: """
        <h1>Overview</h1>
        <p class="lead">\(amount(projects.count, "project")) · \(rulesInWords) · \
        ask it at <code>\(context.origin)</code></p>
        <section aria-labelledby="projects-title" id="projects" data-live>
        <h2 id="projects-title">Projects</h2>
        <div class="card flush"><table>
        <thead><tr><th scope="col">Project</th><th scope="col" class="num">Users</th>\
        <th scope="col" class="num">Mails</th><th scope="col" class="num">SMS</th>\
        <th scope="col" class="wide">Pages</th></tr></thead>
        <tbody>
        \(rows)</tbody></table></div>
        </section>
        <section aria-labelledby="latest-title" id="latest" data-live>
        <h2 id="latest-title">What happened last</h2>
        \(feed(latest))
        </section>
        """)
  }

  private func tenants(of project: Project) -> [(id: String, backend: Backend)] {
    project.tenants.keys.map(\.string).sorted().compactMap { id in
      (try? project.backend(tenant: id)).map { (id, $0) }
    }
  }

  private func row(_ project: Project, _ backend: Backend, tenant: String?) -> Markup {
    let scope = DashboardPath.Scope(project: project.id, tenant: tenant)
    let title: Markup =
      tenant.map {
        "<span class=\"branch\" aria-hidden=\"true\">└</span> <bdi>\($0)</bdi> <small>tenant</small>"
      } ?? "<bdi>\(project.id)</bdi>"
    let settings: Markup =
      tenant == nil ? " <a href=\"\(scope.address("settings"))\">Settings</a>" : .nothing
    return """
      <tr><th scope="row"><a href="\(scope.address("users"))">\(title)</a></th>\
      <td class="num">\(number(backend.accounts.count))</td>\
      <td class="num">\(number(backend.codes.count))</td>\
      <td class="num">\(number(backend.verifications.count))</td>\
      <td class="wide links"><a href="\(scope.address("users"))">Users</a> \
      <a href="\(scope.address("codes"))">Codes</a>\(settings)</td></tr>

      """
  }

  private func feed(_ latest: [VisibleExchange]) -> Markup {
    guard !latest.isEmpty else {
      return """
        <div class="card empty"><p><b>Nothing yet.</b> Point an app here and its requests show up \
        as they come.</p>
        <pre tabindex="0"><code>export FIREBASE_AUTH_EMULATOR_HOST=\(host)</code></pre></div>
        """
    }
    let items = latest.map { event -> Markup in
      """
      <li>\(clock(event.time)) \(pill(status: event.status)) \
      <a href="/emulator/ui/log/\(String(event.number))"><bdi>\(event.summary)</bdi></a> \
      <small class="wide">\(event.method) \(event.names.operation)</small></li>

      """
    }
    return """
      <ol class="card feed" reversed>
      \(items)</ol>
      <p><a href="/emulator/ui/log">All requests</a></p>
      """
  }

  private var host: String { WebURL(context.origin)?.authority ?? "" }

  /// The settings of a project: switches that can be changed, and the others as text.
  func settings(
    of project: Project, wire: JSON, problem: String? = nil, status: Int = 200
  ) -> ServerResponse {
    let scope = DashboardPath.Scope(project: project.id)
    let leaves = SettingsTree.leaves(of: wire)
    let switches = leaves.compactMap { leaf -> Markup? in
      guard case .bool(let isOn) = leaf.value else { return nil }
      return checkbox("on", Self.label(of: leaf.path), isOn: isOn, value: leaf.path)
    }
    // A setting may contain a key or the code of a test phone number.
    var mask = Mask()
    let others = SettingsTree.leaves(of: mask.cover(wire)).compactMap { leaf -> Markup? in
      if case .bool = leaf.value { return nil }
      return "<dt>\(Self.label(of: leaf.path))</dt><dd><code>\(leaf.value.encoded())</code></dd>\n"
    }
    let further: Markup =
      others.isEmpty
      ? .nothing
      : "<section class=\"card\"><h2>Further settings</h2>\n<dl>\n\(others)</dl></section>"
    return response(
      status: status, .settings, title: "Settings of \(project.id)", scope: scope, problem: problem,
      content: """
        <h1>Settings</h1>
        <p class="lead">Of <bdi>\(project.id)</bdi>, in force as soon as they are saved.</p>
        \(form(scope.address("settings")))
        \(switches)\
        <div class="row end"><button class="primary" type="submit">Save</button></div>
        </form>
        \(further)
        """)
  }

  private static func label(of path: String) -> String {
    switch path {
    case "signIn/allowDuplicateEmails": return "Several accounts may have the same e-mail address"
    case "emailPrivacyConfig/enableImprovedEmailPrivacy":
      return "Hide which addresses have accounts (enumeration protection)"
    case "identityPlatform": return "Upgraded to Identity Platform (OpenID Connect providers)"
    default:
      if path.hasPrefix("providers/"), path.hasSuffix("/enabled") {
        return "Sign-in by \(path.dropFirst("providers/".count).dropLast("/enabled".count))"
      }
      return path.replacing("/", with: " › ")
    }
  }

  /// The rules that are on, compared with both rule sets.
  func rules() -> ServerResponse {
    let rows = Rule.allCases.map { rule -> Markup in
      """
      <tr><th scope="row"><code>\(rule.name)</code><small>\(rule.summary)</small></th>\
      <td>\(context.rules[rule] ? pill("in force", "good") : pill("off", "plain"))</td>\
      <td class="wide">\(mark(Rules.compatible[rule]))</td>\
      <td class="wide">\(mark(Rules.production[rule]))</td></tr>

      """
    }
    return response(
      .rules, title: "Rules",
      content: """
        <h1>Rules</h1>
        <p class="lead">In force are the \(rulesInWords). The compatible ones follow Firebase's emulator \
        does, production as Google's servers do; <code>--rules</code> chooses, and adds or takes out \
        single rules.</p>
        <div class="card flush"><table>
        <thead><tr><th scope="col">Rule</th>\
        <th scope="col">Here</th><th scope="col" class="wide">Compatible</th>\
        <th scope="col" class="wide">Production</th></tr></thead>
        <tbody>
        \(rows)</tbody></table></div>
        """)
  }

  private func mark(_ isOn: Bool) -> Markup {
    isOn ? "yes" : "<span class=\"soft\">no</span>"
  }

  func faults(_ reply: AdministratorCalls.Reply) -> ServerResponse {
    let faults = reply.refusal == nil ? reply.body["faults"]?.array ?? [] : []
    let cards = faults.map { fault -> Markup in
      """
      <section class="card"><h3>\(fault["operation"]?.string ?? "every operation")</h3>
      \(code(fault))</section>

      """
    }
    let none: Markup = """
      <div class="card empty"><p><b>No faults.</b> This emulator handles every request. \
      <code>PUT /emulator/v1/faults</code> or a project file make it fail.</p></div>
      """
    let content: Markup =
      "<div id=\"faults\" data-live>\(cards.isEmpty ? none : "\(cards)")</div>"
    return response(
      .faults, title: "Faults",
      content: """
        <h1>Faults</h1>
        <p class="lead">What goes wrong on purpose: delays, refusals and broken connections.</p>
        \(content)
        """)
  }
}
