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
        <code>\(context.origin)</code></p>
        <section aria-labelledby="projects-title" id="projects" data-live>
        <h2 id="projects-title">Projects</h2>
        <div class="card flush"><table>
        <thead><tr><th scope="col">Project</th><th scope="col" class="num">Users</th>\
        <th scope="col" class="num">E-mails</th><th scope="col" class="num">SMS</th>\
        <th scope="col" class="wide">Pages</th></tr></thead>
        <tbody>
        \(rows)</tbody></table></div>
        </section>
        <section aria-labelledby="latest-title" id="latest" data-live>
        <h2 id="latest-title">Latest requests</h2>
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
      tenant.map { (id) -> Markup in
        let name = project.name(ofTenant: id)
        let shownID: Markup = sameText(name, id) ? .nothing : " <bdi>\(id)</bdi>"
        return """
          <span class="branch" aria-hidden="true">└</span> <bdi>\(name)</bdi> <small>tenant\(shownID)</small>
          """
      } ?? "<bdi>\(project.id)</bdi>"
    let settings: Markup =
      tenant == nil ? " <a href=\"\(scope.address("settings"))\">Settings</a>" : .nothing
    let sent = backend.outbox.all
    let emails = sent.count(where: \.isEmail)
    return """
      <tr><th scope="row"><a href="\(scope.address("users"))">\(title)</a></th>\
      <td class="num">\(number(backend.accounts.count))</td>\
      <td class="num">\(number(emails))</td>\
      <td class="num">\(number(sent.count - emails))</td>\
      <td class="wide links"><a href="\(scope.address("users"))">Users</a> \
      <a href="\(scope.address("codes"))">Messages</a>\(settings)</td></tr>

      """
  }

  private func feed(_ latest: [VisibleExchange]) -> Markup {
    guard !latest.isEmpty else {
      return """
        <div class="card empty"><p><b>Nothing yet.</b> Connect an app to this emulator: its requests appear \
        here.</p>
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
      return checkbox(
        "on", Self.label(of: leaf.path, project.configuration), isOn: isOn, value: leaf.path)
    }
    // A setting may contain a key or the code of a test phone number.
    var mask = Mask()
    let others = SettingsTree.leaves(of: mask.cover(wire)).compactMap { leaf -> Markup? in
      if case .bool = leaf.value { return nil }
      return """
        <dt>\(Self.label(of: leaf.path, project.configuration))</dt>\
        <dd><code>\(leaf.value.encoded())</code></dd>

        """
    }
    let further: Markup =
      others.isEmpty
      ? .nothing
      : "<section class=\"card\"><h2>Further settings</h2>\n<dl>\n\(others)</dl></section>"
    return response(
      status: status, .settings, title: "Settings of \(project.id)", scope: scope, problem: problem,
      content: """
        <h1>Settings</h1>
        <p class="lead">Settings of <bdi>\(project.id)</bdi>. Saved changes apply at once.</p>
        \(form(scope.address("settings")))
        \(switches)\
        <div class="row end"><button class="primary" type="submit">Save</button></div>
        </form>
        \(further)
        """)
  }

  private static func label(of path: String, _ configuration: ProjectConfiguration) -> String {
    switch path {
    case "signIn/allowDuplicateEmails": return "Several accounts may have the same e-mail address"
    case "emailPrivacyConfig/enableImprovedEmailPrivacy":
      return "Hide which addresses have accounts (enumeration protection)"
    case "identityPlatform": return "Upgraded to Identity Platform (OpenID Connect providers)"
    default:
      if path.hasPrefix("providers/"), path.hasSuffix("/enabled") {
        let id = String(path.dropFirst("providers/".count).dropLast("/enabled".count))
        return "Sign-in method: \(configuration.name(ofProvider: id)) (\(id))"
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
        <p class="lead">This emulator uses \(rulesInWords). Compatible rules behave like Firebase's \
        emulator, production rules like Google's servers. <code>--rules</code> selects a set and \
        switches single rules.</p>
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
}
