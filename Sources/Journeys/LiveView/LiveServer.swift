import HTTP
import Host
import OIDC
import System

/// The server of the live view, on a loopback address.
struct LiveServer: Sendable {
  /// The address with the token, without which nobody can use the view.
  private let address: String
  private let loop: EventLoop
  private let log: LiveLog

  /// Starts to serve.
  ///
  /// - Parameter port: The port; 0 for a free one.
  static func start(
    port: UInt16, title: String, _ log: LiveLog, _ control: LiveControl, _ projects: KeptProjects
  ) async throws(CommandFailure) -> LiveServer {
    let pages = LivePages(title: title, log, control, projects)
    do throws(HTTPError) {
      let loop = try EventLoop(name: "live view")
      try loop.start()
      let bound = try await LoopActor(loop).run { _ throws(HTTPError) -> UInt16 in
        let server = try HTTPServer(
          loop: loop, port: port,
          limits: ServerLimits(bodyBytes: LivePages.mostBytes, connections: 64)
        ) { pages.answer($0) }
        pages.wake(on: loop)
        return server.port
      }
      return LiveServer(
        address: "http://127.0.0.1:\(bound)/\(pages.token)/", loop: loop, log: log)
    } catch {
      throw CommandFailure(
        .unavailable, "the live view cannot start: \(error.message)", hint: error.hint)
    }
  }

  /// Prints the address.
  func announce(_ console: Console) {
    console.writeError("luath: the live view is at \(address)\n  Ctrl-C ends it\n")
  }

  /// Ends the server; pages report that they are not connected.
  func stop() {
    loop.stop()
    loop.join()
    log.wake()
  }
}

/// The page of the live view, its entries, and its commands.
struct LivePages: Sendable {
  /// How long a page waits for news before it asks again; browsers give up after some minutes.
  private static let patience = Duration.seconds(25)
  /// The maximum size of a command in bytes, which may name many journeys.
  static let mostBytes = 4 << 20

  /// The first part of each path, which keeps web pages and other users of the machine out.
  let token = SecureRandom.token()
  private let page: ServerResponse
  private let log: LiveLog
  private let control: LiveControl
  private let projects: KeptProjects

  init(title: String, _ log: LiveLog, _ control: LiveControl, _ projects: KeptProjects) {
    let (head, tail) = HTMLPage.live.parts(title: title)
    page = ServerResponse(
      text: head + HTMLPage.data([:]) + tail, type: "text/html; charset=utf-8",
      headers: Self.headers)
    self.log = log
    self.control = control
    self.projects = projects
  }

  private static var headers: HTTPHeaders {
    [
      "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
      "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Resource-Policy": "same-origin",
    ]
  }

  /// Lets waiting pages ask again, now and then; call it on the loop's thread.
  func wake(on loop: EventLoop) {
    loop.schedule(after: Self.patience) { [self] in
      log.wake()
      wake(on: loop)
    }
  }

  // MARK: Requests

  /// The response to a request; the server has refused those with a foreign Host header.
  func answer(_ request: HTTPRequest) -> Answer {
    let foreign = request.headers.all("Origin").contains { $0 != request.url.origin }
    guard !foreign else { return Self.refuse(403, "a page of another origin may not use this one") }
    let parts = request.url.path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 2, constantTimeEqual(String(parts[1]), token) else {
      return Self.refuse(403, "this is not the address of the live view; luath has printed it")
    }
    guard parts.count == 3 else {
      return parts.count == 2
        ? .now(Self.redirect(to: "/\(token)/", status: 308))
        : Self.refuse(404, "there is no such page")
    }
    switch (parts[2], request.method) {
    case ("", "GET"), ("", "HEAD"): return .now(page)
    case ("events", "GET"): return events(request)
    case ("project", "GET"): return project(request)
    case ("run", "POST"), ("stop", "POST"), ("watch", "POST"):
      return command(String(parts[2]), request)
    case ("", _), ("events", _), ("project", _), ("run", _), ("stop", _), ("watch", _):
      return Self.refuse(405, "the method is not allowed here")
    default: return Self.refuse(404, "there is no such page")
    }
  }

  private func events(_ request: HTTPRequest) -> Answer {
    guard let number = request.url.fields["after"].flatMap({ Int($0) }), number >= 0 else {
      return Self.refuse(400, "after takes the number of an entry")
    }
    return .later { [log] in
      await log.wait(after: number)
      return ServerResponse(
        text: log.entries(after: number), type: "application/json", headers: Self.headers)
    }
  }

  private func project(_ request: HTTPRequest) -> Answer {
    let journey = request.url.fields["journey"] ?? ""
    return .later { [projects] in
      if let address = await projects.address(of: journey) { return Self.redirect(to: address) }
      return ServerResponse(
        status: 404, text: "the project of this journey is not kept any more; run it again\n",
        headers: Self.headers)
    }
  }

  private func command(_ name: String, _ request: HTTPRequest) -> Answer {
    // A page of another origin cannot send this type without asking first (the Fetch standard, section 3.2).
    guard request.headers["Content-Type"]?.hasPrefix("application/json") == true else {
      return Self.refuse(415, "commands are JSON")
    }
    guard control.canRun else { return Self.refuse(409, "this view shows a finished run") }
    let body = (try? JSON.parse(request.body)) ?? .null
    switch name {
    case "run":
      guard let selection = LiveSelection(body) else {
        return Self.refuse(400, "select takes all, failed, changed, journeys or file")
      }
      guard control.run(selection) else {
        return Self.refuse(409, "a run is in progress; stop it first, or wait")
      }
    case "stop": Task { [control] in await control.stop() }
    default:
      guard let isOn = body["isOn"]?.bool else { return Self.refuse(400, "isOn takes a boolean") }
      control.setRunsOnSave(isOn)
    }
    return .now(ServerResponse(status: 204, headers: Self.headers))
  }

  private static func refuse(_ status: Int, _ sentence: String) -> Answer {
    .now(ServerResponse(status: status, text: sentence + "\n", headers: headers))
  }

  private static func redirect(to address: String, status: Int = 303) -> ServerResponse {
    var response = ServerResponse(status: status, headers: headers)
    response.headers.set("Location", address)
    return response
  }
}
