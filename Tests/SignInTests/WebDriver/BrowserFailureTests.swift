@testable import System
import Glibc
@testable import HTTP
import Testing

@testable import SignIn

/// Browsers and drivers that end or hang in the middle, and tasks that no longer want them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BrowserFailureTests {
  /// Opens a browser at a page, runs the body and looks whether anything is left.
  private static func open(
    _ change: (inout BrowserOptions) -> Void = { _ in },
    _ body: @escaping @Sendable (BrowserSession, String) async throws -> Void
  ) async throws {
    let browser = try Browser()
    let origin = try await browser.serve(answering: { [loop = browser.loop] request in
      request.url.path == "/slow" ? slow(loop) : .now(html("<title>page</title><p>text"))
    })
    var options = BrowserOptions()
    change(&options)
    let folder = Folder()
    try await browser.open(options) { session in
      folder.note(session)
      try await session.go(to: origin)
      try await body(session, origin)
    }
    folder.expectNothingLeft()
  }

  /// Remembers what a session had, to see whether it is gone.
  private final class Folder: @unchecked Sendable {
    // Sendable, because it is written on the loop before anybody reads it.
    private(set) var path = ""
    private var supervisor: pid_t = 0

    func note(_ session: BrowserSession) {
      path = session.driver?.folder ?? ""
      supervisor = RunningProcesses.holding(path).first.map { getsid($0.id) } ?? 0
    }

    /// By the folder in command line and environment, which Chromium's helpers lack, and by the
    /// warden's session, which they have.
    func expectNothingLeft(_ location: SourceLocation = #_sourceLocation) {
      #expect(path.contains("/luath-") && supervisor > 1, sourceLocation: location)
      settles({ RunningProcesses.holding(path).isEmpty }, sourceLocation: location)
      settles({ RunningProcesses.inSession(supervisor).isEmpty }, sourceLocation: location)
      settles({ access(path, F_OK) != 0 }, sourceLocation: location)
    }
  }

  private static func kill(
    _ session: BrowserSession, _ signal: Int32, _ isWanted: (RunningProcess) -> Bool
  ) throws {
    let folder = try #require(session.driver?.folder)
    // A child has its parent's command line until it becomes another program.
    var processes: [RunningProcess] = []
    settles {
      processes = RunningProcesses.holding(folder).filter(isWanted)
      return processes.count == 1
    }
    try #require(processes.count == 1)
    Glibc.kill(processes[0].id, signal)
  }

  @Test func `nothing is left of a browser after its end`() async throws {
    try await Self.open { session, _ in
      let folder = try #require(session.driver?.folder)
      let leader = try #require(RunningProcesses.holding(folder).first.map { getsid($0.id) })
      #expect(RunningProcesses.inSession(leader).count > 3)
      let program = try #require(RunningProcesses.holding(folder).first { $0.isBrowser })
      // A port would let everybody on this machine rule the browser.
      #expect(!program.commandLine.contains("--remote-debugging-port"))
    }
  }

  @Test func `a browser that ends in the middle is told`() async throws {
    try await Self.open { session, _ in
      try Self.kill(session, SIGKILL, \.isBrowser)
      let failure = try #require(await session.error { _ = try await $0.title() })
      #expect(failure.code == .browserCrashed)
      #expect(failure.message == "the browser ended in the middle")
    }
  }

  @Test func `a supervisor that is killed does not leave its browser behind`() async throws {
    try await Self.open { session, _ in
      let folder = try #require(session.driver?.folder)
      let leader = try #require(RunningProcesses.holding(folder).first.map { getsid($0.id) })
      Glibc.kill(leader, SIGKILL)
      settles { session.driver?.end != nil }
      #expect(await session.failure { _ = try await $0.title() } == .driverGone)
      #expect(access(folder, F_OK) == 0)
    }
  }

  @Test func `a page that crashes is told as a crash`() async throws {
    try await Self.open { session, _ in
      #expect(await session.failure { try await $0.go(to: "chrome://crash") } == .browserCrashed)
      #expect(await session.failure { _ = try await $0.title() } == .browserCrashed)
    }
  }

  @Test func `a driver that ends in the middle is told with its end`() async throws {
    try await Self.open { session, _ in
      try Self.kill(session, SIGKILL, \.isDriver)
      let failure = try #require(await session.error { _ = try await $0.title() })
      #expect(failure.code == .driverGone)
      #expect(failure.message == "the driver was ended by SIGKILL in the middle")
    }
  }

  @Test func `a driver that hangs is given up in time, and ended`() async throws {
    var options = BrowserOptions()
    options.pageLoadTimeout = .seconds(1)
    options.scriptTimeout = .seconds(1)
    options.driverSlack = .milliseconds(100)
    let folder = Folder()
    // Without a page, for which a busy machine may need longer.
    try await Browser().open(options) { session in
      folder.note(session)
      try Self.kill(session, SIGSTOP, \.isDriver)
      let failure = try #require(await session.error { _ = try await $0.title() })
      #expect(failure.code == .timedOut)
    }
    folder.expectNothingLeft()
  }

  @Test func `a page that does not load in time is told`() async throws {
    let browser = try Browser()
    let origin = try await browser.serve(answering: { [loop = browser.loop] _ in slow(loop) })
    var options = BrowserOptions()
    options.pageLoadTimeout = .seconds(2)
    let folder = Folder()
    // Without another page, for which a busy machine may need longer.
    try await browser.open(options) { session in
      folder.note(session)
      let failure = try #require(await session.error { try await $0.go(to: origin) })
      #expect(failure.code == .timeout)
    }
    folder.expectNothingLeft()
  }

  @Test func `a page whose server is away is told without its query`() async throws {
    try await Self.open { session, _ in
      let failure = try #require(
        await session.error { try await $0.go(to: "http://127.0.0.1:61233/?code=geheim") })
      #expect(failure.code == .pageUnreachable)
      #expect(failure.message.hasSuffix("net::ERR_CONNECTION_REFUSED"))
    }
  }

  @Test func `a window that was closed is told`() async throws {
    try await Self.open { session, origin in
      let other = try await session.post("/window/new", ["type": "tab"])
      try await session.post("/window", ["handle": try #require(other["handle"])])
      try await session.delete("/window")
      #expect(await session.failure { _ = try await $0.title() } == .noSuchWindow)
    }
  }

  @Test func `a cancelled command ends at once and the browser soon after`() async throws {
    let browser = try Browser()
    let origin = try await browser.serve(answering: { [loop = browser.loop] _ in slow(loop) })
    let log = Log()
    let folder = Folder()
    var patient = BrowserOptions()
    // Nothing here may wait for the page, or it would wait for ever.
    patient.pageLoadTimeout = .seconds(36_000)
    patient.driverSlack = .seconds(36_000)
    let options = patient
    let task = Task {
      try await browser.open(options) { session in
        folder.note(session)
        log.note("open")
        do { try await session.go(to: origin) } catch {
          #expect((error as? WebDriverError)?.code == .cancelled)
          log.note("cancelled")
        }
        await session.end()
      }
    }
    settles { log.all == ["open"] }
    task.cancel()
    try await task.value
    #expect(log.all == ["open", "cancelled"])
    folder.expectNothingLeft()
  }

  @Test func `a command whose browser is closed by another task ends`() async throws {
    let browser = try Browser()
    let log = Log()
    let origin = try await browser.serve(answering: { [loop = browser.loop] _ in
      log.note("asked")
      return slow(loop)
    })
    let task = Task { try await browser.closeUnderCommand(origin) }
    settles { !log.all.isEmpty }
    await browser.closeOpened()
    #expect(try await task.value == .invalidSessionID)
  }

  @Test func `a browser that is no longer wanted while it opens leaves nothing`() async throws {
    let temporary = try PrivateFolder()
    defer { temporary.remove() }
    let browser = try Browser()
    var options = BrowserOptions()
    options.environment["TMPDIR"] = temporary.path
    let wanted = options
    let task = Task { await browser.openingFailure(wanted)?.code }
    settles { RunningProcesses.holding(temporary.path).count >= 1 }
    task.cancel()
    #expect(await task.value == .cancelled)
    settles { RunningProcesses.holding(temporary.path).isEmpty }
    settles { RunningProcesses.names(in: temporary.path).isEmpty }
  }

  @Test func `a process that is killed takes its browser along`() async throws {
    let death = await #expect(
      processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
    ) {
      try await Browser().open { session in
        try await session.go(to: "data:text/html,<title>page</title>")
        let folder = session.driver?.folder ?? ""
        let leader = RunningProcesses.holding(folder).first.map { getsid($0.id) } ?? 0
        let line = "folder \(folder) \(leader)\n"
        write(STDOUT_FILENO, line, line.utf8.count)
        Glibc.kill(getpid(), SIGKILL)
      }
    }
    let result = try #require(death)
    let text = String(decoding: result.standardOutputContent, as: UTF8.self)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("folder ") })
    let words = line.split(separator: " ").map(String.init)
    let leader = try #require(words.last.flatMap { pid_t($0) })
    #expect(leader > 1)
    settles { RunningProcesses.holding(words[1]).isEmpty }
    settles { RunningProcesses.inSession(leader).isEmpty }
    settles { access(words[1], F_OK) != 0 }
  }

  @Test func `several browsers at once do not disturb each other`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          try await Self.open { session, origin in
            let folder = try #require(session.driver?.folder)
            try await session.post(
              "/cookie", ["cookie": ["name": "a", "value": .string(folder)]])
            #expect(try await session.cookies().count == 1)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `sessions leave no descriptors and no zombies`() async {
    // In a process of its own, as other tests open files too.
    await #expect(processExitsWith: .success) {
      let browser = try Browser()
      try await browser.open { _ in }
      let before = RunningProcesses.openFiles
      // libcurl closes the connections of drivers that are gone with a request, once a second.
      var sessions = 0
      repeat {
        try await browser.open { _ in }
        sessions += 1
      } while (sessions < 3 || RunningProcesses.openFiles > before + 1) && sessions < 30
      #expect(RunningProcesses.openFiles <= before + 1)
      settles { RunningProcesses.zombies(of: getpid()).isEmpty }
    }
  }
}

/// An answer that nobody waits for until its end.
private func slow(_ loop: EventLoop) -> Answer {
  .later {
    try? await loop.sleep(for: .seconds(36_000))
    return html("late")
  }
}
