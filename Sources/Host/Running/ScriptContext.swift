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
  public let unusableTargets: [String: String]
  /// The test users of an emulated project, for the default delegate; empty for a real one.
  public let people: [EmulatedPerson]
  /// Further secrets in the settings, such as those of providers.
  public let secrets: [Secret]
  /// The terminal for sign-ins by the user; nil when there is none.
  public let terminal: SignInTerminal?
  /// The limit of Lua memory in bytes; 0 = no limit.
  public let memoryLimit: Int
  /// Receives one line for each HTTP exchange, without secrets.
  public let trace: (@Sendable (String) -> Void)?
  /// Receives a warning and a hint; the run continues.
  public let warn: (@Sendable (_ message: String, _ hint: String) -> Void)?
  /// Stores the pages of sign-ins; nil to store none.
  public let pages: SignInTrace?
  /// The default browser options.
  public let browser: BrowserOptions
  /// Records the script's events; nil when they are not recorded.
  public let observer: (any RunObserver)?
  /// Whether calls that would change accounts are refused.
  public var isReadOnly = false
  /// Decides about calls that change a real project; by default refuses all.
  public var projectGuard = ProjectGuard()
  /// Environment variables.
  public let environment: [String: String]
  /// Seconds by which the emulator's clock is ahead of the machine's from the start.
  public let clockAdvance: Int64
  /// The program that emulates the target's project, if known in advance.
  public let emulatorKind: EmulatorKind?

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
  public let email: String
  /// The password for sign-in forms.
  public let password: String
  /// The providers where this user exists; empty for all.
  public let providers: [String]

  /// Creates a test user.
  public init(email: String, password: String, providers: [String] = []) {
    self.email = email
    self.password = password
    self.providers = providers
  }
}
