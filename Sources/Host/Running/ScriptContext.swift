import Client
import Emulator
public import IdentityToolkit
import Lua
public import SignIn
public import System
import Glibc

/// The context of a script: its target and the settings of the run.
public struct ScriptContext: Sendable {
  /// The project and its backend.
  public let target: Target
  /// Further targets, by their names in the project file.
  public private(set) var targets: [String: Target]
  /// Targets that cannot be used, and what each lacks: `the environment variable X, which …`.
  private(set) var unusableTargets: [String: String]
  /// The test users of an emulated project, for the default delegate; empty for a real one.
  let people: [EmulatedPerson]
  /// Further secrets in the settings, such as those of providers.
  let secrets: [Secret]
  /// The terminal for sign-ins by the user; nil when there is none.
  let terminal: SignInTerminal?
  /// The limit of Lua memory in bytes; 0 = no limit.
  let memoryLimit: Int
  /// Receives one line for each HTTP exchange, without secrets.
  let trace: (@Sendable (String) -> Void)?
  /// Receives a warning and a hint; the run continues.
  let warn: (@Sendable (_ message: String, _ hint: String) -> Void)?
  /// Stores the pages of sign-ins; nil to store none.
  let pages: SignInTrace?
  let browser: BrowserOptions
  /// Records the script's events; nil when they are not recorded.
  let observer: (any RunObserver)?
  /// What to write into the project file of the built-in emulator; nil for other targets.
  public var projectFile: ProjectFileAdvice?
  /// Whether the emulated providers know everybody, and Microsoft every tenant.
  public var admitsAnyone = false
  /// The paths on the emulator of issuers that have a name of their own, by name.
  public var issuers: [String: String] = [:]
  /// Whether calls that would change accounts are refused.
  public var isReadOnly = false
  /// Opens the prompt for a pause; nil where nobody can answer.
  public var pauses: (any PausePrompt)?
  /// What the script of a batch sees besides its rows; nil for other scripts.
  public var batch: BatchScope?
  /// Decides about calls that change a real project; by default refuses all.
  var projectGuard = ProjectGuard()
  let environment: [String: String]
  /// Seconds by which the emulator's clock is ahead of the machine's from the start.
  let clockAdvance: Int64
  /// The program that emulates the target's project, if known in advance.
  let emulatorKind: EmulatorKind?

  /// Creates a context.
  public init(
    target: Target, targets: [String: Target] = [:], unusableTargets: [String: String] = [:],
    people: [EmulatedPerson] = [], secrets: [Secret] = [], terminal: SignInTerminal? = nil,
    memoryLimit: Int = 0,
    trace: (@Sendable (String) -> Void)? = nil,
    warn: (@Sendable (_ message: String, _ hint: String) -> Void)? = nil,
    pages: SignInTrace? = nil, browser: BrowserOptions = BrowserOptions(),
    observer: (any RunObserver)? = nil, environment: [String: String] = [:],
    clockAdvance: Int64 = 0,
    emulatorKind: EmulatorKind? = nil
  ) {
    self.target = target
    self.targets = targets
    self.unusableTargets = unusableTargets
    self.people = people
    self.secrets = secrets
    self.terminal = terminal
    self.memoryLimit = memoryLimit
    self.trace = trace
    self.warn = warn
    self.pages = pages
    self.browser = browser
    self.observer = observer
    self.environment = environment
    self.clockAdvance = clockAdvance
    self.emulatorKind = emulatorKind
  }
}

extension ScriptContext {
  /// The context in which scripts can use no targets except emulators on this machine.
  ///
  /// - Parameter need: What another target needs, for the message that refuses it.
  public func onlyLoopback(otherwise need: String) -> ScriptContext {
    var context = self
    for (name, target) in targets where !target.isLoopbackEmulator {
      context.targets[name] = nil
      context.unusableTargets[name] = need
    }
    return context
  }
}

/// What the script of a batch sees besides its rows: `batch.tenantID` and `batch.args`.
public struct BatchScope: Sendable {
  /// The tenant of the accounts; nil for the project's own accounts.
  public var tenantID: String?
  /// The arguments of the plan, by name; all are strings.
  public var arguments: JSONObject

  /// Creates a scope.
  public init(tenantID: String? = nil, arguments: JSONObject = [:]) {
    self.tenantID = tenantID
    self.arguments = arguments
  }
}

/// A test user of the emulated project, for the default delegate.
public struct EmulatedPerson: Sendable {
  /// The user name for sign-in forms.
  let email: String
  /// The password for sign-in forms.
  let password: String
  /// The providers where this user exists; empty for all.
  let providers: [String]
  /// The account at Microsoft; nil for a user who does not exist yet.
  var microsoft: MicrosoftAccount?

  /// Whether the user has an account at a provider.
  func isKnown(to providerID: String) -> Bool {
    providers.isEmpty || providers.contains(providerID)
  }

  /// Creates a test user.
  init(email: String, password: String, providers: [String] = []) {
    self.email = email
    self.password = password
    self.providers = providers
  }
}

/// The clock of the script's clients: the system's, adjusted to the emulator's.
final class ScriptClock: AuthClock {
  /// Seconds by which the emulator's clock is ahead of the machine's; negative when it is behind.
  var advance: Int64

  init(advance: Int64) {
    self.advance = advance
  }

  var now: Int64 { Int64(time(nil)) + advance }
}

/// Resources of a script outside of Lua, such as browsers; closed at the latest when the script ends.
///
/// Used on the loop's thread only.
final class OpenResources {
  /// Closes one resource; must also work in a cancelled task.
  typealias End = () async -> Void

  private var opened: [(number: Int, page: Page)] = []
  /// How many pages the script has opened so far.
  private(set) var pageCount = 0
  /// The numbers of pages that belong to blocks that were left.
  private var left: Set<Int> = []

  /// The open pages of the script that may be recorded: not those of blocks that were left.
  var pages: [Page] {
    opened.filter { !$0.page.isClosed && !left.contains($0.number) }.map(\.page)
  }

  /// Marks pages as those of a block that was left.
  func leave(_ numbers: ClosedRange<Int>) {
    left.formUnion(opened.map(\.number).filter(numbers.contains))
  }

  private var ends: [Int: End] = [:]
  /// Resources that outlast the journey that opened them.
  private var kept: Set<Int> = []
  /// Above zero while new resources outlast the current journey.
  var keeping = 0
  private var count = 0
  private var ending: [Int: Task<Void, Never>] = [:]

  /// Adds a page that the script drives.
  func note(_ page: Page) {
    opened.removeAll { $0.page.isClosed || $0.page === page }
    pageCount += 1
    opened.append((pageCount, page))
  }

  /// Adds an open resource and returns the number with which to close it.
  func add(_ end: @escaping End) -> Int {
    count += 1
    ends[count] = end
    if keeping > 0 { kept.insert(count) }
    return count
  }

  /// Starts to close a resource, unless that has already started.
  func beginEnd(_ number: Int, _ interpreter: Interpreter) {
    guard let end = ends.removeValue(forKey: number) else { return }
    kept.remove(number)
    ending[number] = interpreter.start { [self] in
      await end()
      ending[number] = nil
    }
  }

  func end(_ number: Int, _ interpreter: Interpreter) async {
    beginEnd(number, interpreter)
    await ending[number]?.value
  }

  /// Closes all resources concurrently; `butKept` spares those that outlast a journey.
  func endAll(_ interpreter: Interpreter, butKept: Bool = false) async {
    if butKept { keeping = 0 }
    for number in ends.keys.sorted(by: >) where !butKept || !kept.contains(number) {
      beginEnd(number, interpreter)
    }
    for task in Array(ending.values) { await task.value }
  }
}

/// Work that a script waits for; runs on the script's thread and returns the call's results.
typealias Effect = () async throws(LuaError) -> [LuaValue]

enum Wait {
  /// Asynchronous work, in a separate task.
  case effect(Effect)
  /// One event of the loop; needs no task.
  case event(Event)
}

/// Starts an operation and returns the closure that cancels it.
///
/// The operation calls `done` exactly once, on the loop's thread. Cancelling only requests the end and never
/// calls `done` synchronously, as the script that cancels is still running.
typealias Event = (_ done: @escaping (Result<[LuaValue], LuaError>) -> Void) -> () -> Void

enum BegunWait {
  case task(Task<Void, Never>)
  case event(cancel: () -> Void)

  func cancel() {
    switch self {
    case .task(let task): task.cancel()
    case .event(let cancel): cancel()
    }
  }
}

/// Passes a value to a closure on the same event loop.
///
/// Unchecked, because only the interpreter creates these, and only for closures on its own loop: the value is
/// created, used and released on that one thread.
struct OnLoop<Value>: @unchecked Sendable {
  let value: Value
}

/// Receives the events of a script for the record of a run.
///
/// Called on the thread of the script's loop, in the order of the events.
public protocol RunObserver: AnyObject, Sendable {
  /// Whether the observer is the only receiver of the journeys' output and steps.
  var recordsJourneys: Bool { get }

  /// The run's options for the script, such as the seed.
  var options: JSON { get }

  /// Receives a step, an assertion or a log line from the journey engine.
  func emitted(_ kind: String, _ fields: JSON)

  /// Receives a text that must be masked in all output.
  ///
  /// - Parameter isSetting: Whether it is from the environment, so that it stays masked if secrets are shown.
  func marked(secret: String, kind: SecretKind, isSetting: Bool)

  /// The text without secrets. Call it before text is cut, as a part of a secret can no longer be recognized.
  func clean(_ text: String) -> String

  /// The label of a text that is a secret as a whole, by its value or by the name of its field; nil for other texts.
  func label(of text: String, under name: String?) -> String?

  /// Compares a value with a snapshot of the current journey.
  ///
  /// - Returns: `status` (`same`, `missing`, `differs` or `problem`), and what explains it; nil outside of a journey.
  func snapshot(_ value: JSON, named name: String?) -> JSON?

  /// Receives a name that the current journey made and that no other run has.
  func made(_ name: String)

  /// Receives a finished or failed HTTP exchange.
  func exchanged(_ exchange: ObservedExchange)

  func acted(_ action: PageAction)

  /// When the pages of scripts are recorded; nil: only when a script asks.
  var pageMoment: PageRecorder.Moment? { get }

  /// Whether pages and attachments are recorded.
  var recordsEvidence: Bool { get }

  /// Whether what browsers log is recorded.
  var recordsBrowserLogs: Bool { get }

  /// Receives what a page showed.
  func took(_ evidence: PageEvidence)

  /// Receives what a browser has logged.
  func logged(_ entries: [BrowserEntry])

  /// Receives evidence that the script attached to its journey.
  func attached(_ attachment: ScriptAttachment)

  /// The number of HTTP exchanges in the current journey.
  var exchangeCount: Int { get }

  /// Claims a name that all files of the run share: returns whether this file now holds it, and the value stored
  /// under it.
  func claim(_ name: String) -> (isHeld: Bool, value: JSON?)

  /// Stores a value under a claimed name and releases the name.
  func release(_ name: String, _ value: JSON?)
}

/// Evidence that a script attached to its journey.
public struct ScriptAttachment: Sendable {
  /// What the script calls it.
  public let name: String
  /// The media type, such as `text/plain`.
  public let type: String
  /// The content, with its secrets.
  public let bytes: [UInt8]
}

/// Defaults for observers that do not record exchanges.
extension RunObserver {
  /// True.
  public var recordsJourneys: Bool { true }
  /// Does nothing.
  public func exchanged(_ exchange: ObservedExchange) {}
  /// Does nothing.
  public func acted(_ action: PageAction) {}
  /// Never.
  public var pageMoment: PageRecorder.Moment? { nil }
  /// False.
  public var recordsEvidence: Bool { false }
  /// False.
  public var recordsBrowserLogs: Bool { false }
  /// Does nothing.
  public func took(_ evidence: PageEvidence) {}
  /// Does nothing.
  public func logged(_ entries: [BrowserEntry]) {}
  /// Does nothing.
  public func attached(_ attachment: ScriptAttachment) {}
  /// Zero.
  public var exchangeCount: Int { 0 }
  /// Nil.
  public func snapshot(_ value: JSON, named name: String?) -> JSON? { nil }
  /// Does nothing.
  public func made(_ name: String) {}
  /// Nil.
  public func label(of text: String, under name: String?) -> String? { nil }
}
