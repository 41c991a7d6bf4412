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
      VisibleExchange($0, in: context.configuration)
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
    VisibleExchange(exchange, in: context.configuration)
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
        return page.problem(404, "This request is not in the log, or no longer.")
      }
      return page.exchange(visible(exchange))
    case .rules: return page.rules()
    case .faults: return page.faults(faults)
    case .settings(let id):
      guard let project = project(id) else { return page.unknownProject(id) }
      return page.settings(of: project, wire: settings(of: project))
    case .users(let scope), .newUser(let scope), .user(let scope), .codes(let scope),
      .message(let scope):
      guard let backend = backend(scope) else { return page.unknownProject(scope.project) }
      return get(request, place, scope, backend)
    case .stream: return page.problem(404, "There is no such page.")
    }
  }

  private func get(
    _ request: HTTPRequest, _ place: DashboardPath, _ scope: DashboardPath.Scope, _ backend: Backend
  ) -> ServerResponse {
    let page = page(request)
    let scope = scope.named(by: backend)
    switch place {
    case .newUser: return page.newUser(scope)
    case .codes: return page.codes(scope, backend)
    case .message:
      let number = request.url.fields["number"].flatMap { Int($0) }
      guard let message = number.flatMap({ backend.outbox[$0] }) else {
        return page.problem(404, "This message is no longer kept.")
      }
      return page.message(scope, message, backend)
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
    gateway.projects.all.first { sameText($0.id, id) }
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

  /// The faults with their counters and their seed.
  var faults: JSON { calls.get(Self.faultsPath).body }

  static let faultsPath = "/emulator/v1/faults"

  func settings(of project: Project) -> JSON {
    calls.get(Self.settingsPath(project.id)).body
  }

  static func settingsPath(_ project: String) -> String {
    "/emulator/v1/projects/\(PercentEncoding.encode(project))/config"
  }
}

/// A page or resource of the dashboard.
enum DashboardPath {
  case overview
  case style, script, stream
  case log
  case exchange(Int)
  case rules
  case faults
  case users(Scope), newUser(Scope), user(Scope)
  case codes(Scope)
  /// One e-mail, whose number is in the query.
  case message(Scope)
  case settings(project: String)

  /// The accounts a page shows: a project's, or those of one of its tenants.
  struct Scope {
    let project: String
    var tenant: String?
    /// The tenant's name on pages; nil when it is not known.
    var tenantName: String?

    /// The name of the project or tenant on pages.
    var title: String { tenantName ?? tenant ?? project }

    /// The scope with the tenant's name.
    func named(by backend: Backend) -> Scope {
      var named = self
      named.tenantName = tenant.map(backend.project.name(ofTenant:))
      return named
    }

    /// The dashboard URL of a section, such as `users`.
    func address(_ section: String) -> String {
      var path = "/emulator/ui/projects/\(PercentEncoding.encode(project))"
      if let tenant { path += "/tenants/\(PercentEncoding.encode(tenant))" }
      return "\(path)/\(section)"
    }

    /// The URL of one account; the uid is in the query, since it may be `..`.
    func address(user uid: String) -> String {
      "\(address("user"))?uid=\(PercentEncoding.encode(uid))"
    }

    /// The administrator's API path of an operation, such as `accounts:update`.
    func operation(_ name: String) -> String {
      var path = "/identitytoolkit.googleapis.com/v1/projects/\(PercentEncoding.encode(project))"
      if let tenant { path += "/tenants/\(PercentEncoding.encode(tenant))" }
      return "\(path)/\(name)"
    }
  }

  static let root = "/emulator/ui"

  /// Returns nil for a path that no page has.
  init?(path: String) {
    var parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3)
      .map { PercentEncoding.decode(String($0)) ?? "" }
    if parts.last == "" { parts.removeLast() }
    switch (parts.first, parts.count) {
    case (nil, _): self = .overview
    case ("style.css", 1): self = .style
    case ("script.js", 1): self = .script
    case ("stream", 1): self = .stream
    case ("log", 1): self = .log
    case ("log", 2):
      guard let number = Int(parts[1]) else { return nil }
      self = .exchange(number)
    case ("rules", 1): self = .rules
    case ("faults", 1): self = .faults
    case ("projects", 3): self.init(Scope(project: parts[1]), section: parts[2])
    case ("projects", 5) where parts[2] == "tenants":
      self.init(Scope(project: parts[1], tenant: parts[3]), section: parts[4])
    default: return nil
    }
  }

  private init?(_ scope: Scope, section: String) {
    switch section {
    case "users": self = .users(scope)
    case "new-user": self = .newUser(scope)
    case "user": self = .user(scope)
    case "codes": self = .codes(scope)
    case "message": self = .message(scope)
    case "settings" where scope.tenant == nil: self = .settings(project: scope.project)
    default: return nil
    }
  }
}

/// Calls the emulator's API as an administrator, for the user of the dashboard.
///
/// The request is routed like any other, so that changes from the dashboard follow the same rules.
struct AdministratorCalls {
  let gateway: RequestRouter

  struct Reply {
    let status: Int
    let body: JSON

    /// The error message; nil after a success.
    var refusal: String? {
      guard status >= 400 else { return nil }
      return body["error"]?["message"]?.string ?? "the emulator returned \(status)"
    }
  }

  func post(_ path: String, _ body: JSONObject) async -> Reply {
    await send("POST", path, body)
  }

  func send(_ method: String, _ path: String, _ body: JSONObject) async -> Reply {
    guard let request = Self.request(method, path, body, gateway.context.origin) else {
      return Reply(status: 404, body: [:])
    }
    let began = ContinuousClock.now
    let response: ServerResponse
    switch gateway.turn(request) {
    case .done(let done): response = done
    case .waits(let call, let backend): response = await gateway.finish(call, backend)
    case .struck(let call, let backend, let strike):
      response = await gateway.finish(call, backend, struckBy: strike)
    }
    gateway.context.events.note(
      request, response, nanoseconds: (ContinuousClock.now - began).wholeNanoseconds, caller: .page)
    return Reply(response)
  }

  /// Sends a request that changes nothing and is not logged.
  func get(_ path: String) -> Reply {
    guard let request = Self.request("GET", path, nil, gateway.context.origin),
      case .done(let response) = gateway.turn(request)
    else { return Reply(status: 404, body: [:]) }
    return Reply(response)
  }

  private static func request(
    _ method: String, _ path: String, _ body: JSONObject?, _ origin: String
  ) -> HTTPRequest? {
    guard let url = WebURL(origin + path) else { return nil }
    var request = HTTPRequest(
      method: method, url: url, headers: ["Authorization": "Bearer owner"])
    if let body {
      request.headers.set("Content-Type", "application/json")
      request.body = JSON.object(body).encodedBytes()
    }
    return request
  }
}

extension AdministratorCalls.Reply {
  fileprivate init(_ response: ServerResponse) {
    self.init(status: response.status, body: (try? JSON.parse(response.body)) ?? [:])
  }
}

extension Duration {
  /// The duration in nanoseconds; exchanges are far too short to overflow.
  var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
  }
}

/// The message a page shows after a form's action; only its name is in the URL.
enum DashboardNotice: String {
  case saved, created, deleted, disabled, enabled, revoked, linked, unlinked, password, removed

  var text: String {
    switch self {
    case .saved: "Saved."
    case .created: "The user has been created."
    case .deleted: "The user has been deleted."
    case .disabled: "The user is disabled and cannot sign in."
    case .enabled: "The user is enabled again."
    case .revoked: "The tokens issued so far have been revoked."
    case .linked: "The provider has been linked."
    case .unlinked: "The provider has been unlinked."
    case .password: "The new password is set."
    case .removed: "Removed."
    }
  }
}
