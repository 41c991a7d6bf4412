internal import System
internal import HTTP
internal import IdentityToolkit

/// The emulator's dashboard: projects, users, codes, requests and settings, updated live.
///
/// It works without scripts; a small one adds the live updates. Used on the emulator's loop only.
final class Dashboard {
  let gateway: RequestRouter
  let calls: AdministratorCalls
  let seal: FormSeal
  let streams: EventStreams

  init(gateway: RequestRouter, loop: EventLoop, port: UInt16) {
    self.gateway = gateway
    calls = AdministratorCalls(gateway: gateway)
    seal = FormSeal(port: port)
    let context = gateway.context
    streams = EventStreams(log: context.events, loop: loop) {
      VisibleExchange($0, mainProject: context.configuration.id)
    }
  }

  var context: EmulatorContext { gateway.context }

  /// The kind of response to a request for the dashboard.
  enum Turn {
    case page(ServerResponse)
    /// A form, whose action may have to wait for a blocking function.
    case form
    case stream(EventStreams.Kind, after: Int?)
  }

  /// Whether a browser sent the request, as opposed to a program's health check.
  static func wantsPage(_ request: HTTPRequest) -> Bool {
    request.headers["Accept"]?.contains("text/html") == true
  }

  /// The response to a request; nil when it is not for the dashboard.
  func turn(_ request: HTTPRequest) -> Turn? {
    let path = request.url.path
    if path == "/" {
      return Self.wantsPage(request) && Self.isRead(request) ? .page(get(request, .overview)) : nil
    }
    guard path.utf8.starts(with: "/emulator/".utf8) else { return nil }
    if path == "/emulator/v1/events" { return events(request) }
    guard path == DashboardPath.root || path.utf8.starts(with: "/emulator/ui/".utf8) else {
      return nil
    }
    guard let place = DashboardPath(path: path) else {
      return .page(page(request).problem(404, "There is no such page."))
    }
    if request.method == "POST" { return .form }
    guard Self.isRead(request) else {
      return .page(RequestRouter.wrongMethod(request, allowed: ["GET", "HEAD", "POST"]))
    }
    if case .stream = place { return .stream(.signals, after: nil) }
    return .page(get(request, place))
  }

  private static func isRead(_ request: HTTPRequest) -> Bool {
    request.method == "GET" || request.method == "HEAD"
  }

  // MARK: Events for tools

  /// `/emulator/v1/events`: a list, or with `Accept: text/event-stream` a stream.
  private func events(_ request: HTTPRequest) -> Turn {
    guard Self.isRead(request) else {
      return .page(RequestRouter.wrongMethod(request, allowed: ["GET", "HEAD"]))
    }
    let query = request.url.fields
    let after = (request.headers["Last-Event-ID"] ?? query["after"]).flatMap { Int($0) }
    if request.headers["Accept"]?.contains("text/event-stream") == true {
      return .stream(.exchanges, after: after)
    }
    let limit = min(max(query["limit"].flatMap { Int($0) } ?? 100, 1), EventLog.mostListed)
    var wanted = context.events.numbers.map { $0.lowerBound..<($0.upperBound + 1) } ?? 0..<0
    if let after, after >= wanted.lowerBound {
      wanted = min(after, wanted.upperBound - 1) + 1..<wanted.upperBound
    }
    // After a known event return the next ones, otherwise the newest.
    let shown = after == nil ? wanted.suffix(limit) : wanted.prefix(limit)
    let events = shown.compactMap { context.events[$0] }.map { visible($0).json }
    return .page(
      ServerResponse(
        json: ["events": .array(events), "newest": .integer(Int64(context.events.newest))],
        headers: ["Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"]))
  }

  func visible(_ exchange: LoggedExchange) -> VisibleExchange {
    VisibleExchange(exchange, mainProject: context.configuration.id)
  }

  // MARK: Pages

  func page(_ request: HTTPRequest) -> DashboardPage {
    DashboardPage(
      context: context, visit: seal.visit(request), path: request.url.path,
      notice: request.url.fields["done"].flatMap(DashboardNotice.init))
  }

  private func get(_ request: HTTPRequest, _ place: DashboardPath) -> ServerResponse {
    let page = page(request)
    switch place {
    case .style: return page.asset("dashboard.css", type: "text/css; charset=utf-8")
    case .script: return page.asset("dashboard.js", type: "text/javascript; charset=utf-8")
    case .overview: return page.overview(projects: gateway.projects.all, latest: latest(8))
    case .log: return page.log(LogFilter(request.url.fields), exchanges: visibleExchanges)
    case .exchange(let number):
      guard let exchange = context.events[number] else {
        return page.problem(404, "This request is no longer kept, or has not come yet.")
      }
      return page.exchange(visible(exchange))
    case .rules: return page.rules()
    case .faults: return page.faults(calls.get("/emulator/v1/faults"))
    case .settings(let id):
      guard let project = project(id) else { return page.unknownProject(id) }
      return page.settings(of: project, wire: settings(of: project))
    case .users(let scope), .newUser(let scope), .user(let scope), .codes(let scope):
      guard let backend = backend(scope) else { return page.unknownProject(scope.project) }
      return get(request, place, scope, backend)
    case .stream: return page.problem(404, "There is no such page.")
    }
  }

  private func get(
    _ request: HTTPRequest, _ place: DashboardPath, _ scope: DashboardPath.Scope, _ backend: Backend
  ) -> ServerResponse {
    let page = page(request)
    switch place {
    case .newUser: return page.newUser(scope)
    case .codes: return page.codes(scope, backend)
    case .user:
      guard let account = account(request, backend) else {
        return page.problem(404, "There is no user with this uid; it may have been deleted.")
      }
      return page.user(scope, account, providers: providers(for: backend))
    default:
      return page.users(scope, backend, UserSearch(request.url.fields))
    }
  }

  /// The exchanges, newest first, converted only as far as the caller iterates.
  var visibleExchanges: some Sequence<VisibleExchange> {
    context.events.newestFirst.lazy.map { self.visible($0) }
  }

  private func latest(_ count: Int) -> [VisibleExchange] {
    Array(visibleExchanges.prefix(count))
  }

  // MARK: Lookup

  /// An existing project: viewing a page must not create one.
  func project(_ id: String) -> Project? {
    gateway.projects.all.first { ExactString($0.id) == ExactString(id) }
  }

  func backend(_ scope: DashboardPath.Scope) -> Backend? {
    guard let project = project(scope.project) else { return nil }
    guard let tenant = scope.tenant else { return project.backend }
    guard project.tenants[ExactString(tenant)] != nil else { return nil }
    return try? project.backend(tenant: tenant)
  }

  func account(_ request: HTTPRequest, _ backend: Backend) -> Account? {
    request.url.fields["uid"].flatMap { backend.accounts[uid: $0] }
  }

  func providers(for backend: Backend) -> [String] {
    backend.configuration.providers.keys.sorted().filter { $0 != "password" && $0 != "anonymous" }
  }

  func settings(of project: Project) -> JSON {
    calls.get(Self.settingsPath(project.id)).body
  }

  static func settingsPath(_ project: String) -> String {
    "/emulator/v1/projects/\(PercentEncoding.encode(project))/config"
  }
}
