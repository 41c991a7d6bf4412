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
}
