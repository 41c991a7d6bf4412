public import SignIn
public import System
public import IdentityToolkit

/// The context of a script: its target and the settings of the run.
public struct ScriptContext: Sendable {
  /// The project and its backend.
  public let target: Target
  /// Further targets, by their names in the project file.
  public let targets: [String: Target]
  /// Targets that cannot be used, and what each lacks: `the environment variable X, which …`.
  let unusableTargets: [String: String]
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
  /// The default browser options.
  let browser: BrowserOptions
  /// Records the script's events; nil when they are not recorded.
  let observer: (any RunObserver)?
  /// Whether calls that would change accounts are refused.
  public var isReadOnly = false
  /// Decides about calls that change a real project; by default refuses all.
  var projectGuard = ProjectGuard()
  /// Environment variables.
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

/// A test user of the emulated project, for the default delegate.
public struct EmulatedPerson: Sendable {
  /// The user name for sign-in forms.
  let email: String
  /// The password for sign-in forms.
  let password: String
  /// The providers where this user exists; empty for all.
  let providers: [String]

  /// Creates a test user.
  init(email: String, password: String, providers: [String] = []) {
    self.email = email
    self.password = password
    self.providers = providers
  }
}
