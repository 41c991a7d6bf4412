public import Delegates
public import Encoding
public import IdentityToolkit

/// What a script finds around it: the target it talks to and the settings of its run.
public struct ScriptContext: Sendable {
  /// The project and where its backend is.
  public let target: Target
  /// Further targets, by the project file's names.
  public let targets: [String: Target]
  /// Targets that cannot be used, and what each is missing: `the environment variable X, which …`.
  public let unusableTargets: [String: String]
  /// People of an emulated project, whom the default delegate acts as; empty on a real one.
  public let people: [EmulatedPerson]
  /// What else of the settings nobody may see, such as secrets of providers.
  public let secrets: [Secret]
  /// The person at the terminal; nil when there can be none.
  public let terminal: SignInTerminal?
  /// Bytes of Lua memory; 0 = no limit.
  public let memoryLimit: Int
  /// Takes one line for each HTTP exchange, secrets removed.
  public let trace: (@Sendable (String) -> Void)?
  /// Takes what a person should know of a run that goes on, and what to do about it.
  public let warn: (@Sendable (_ message: String, _ hint: String) -> Void)?
  /// Keeps the pages of sign-ins; nil when nothing is kept.
  public let pages: SignInTrace?
  /// The browser of a script that does not name one.
  public let browser: BrowserOptions
  /// Hears what the script does; nil when nobody keeps a record.
  public let observer: (any RunObserver)?
  /// Whether calls that would change accounts are refused before they are sent.
  public var isReadOnly = false
  /// Lets calls through that change a real project; without another guard, none.
  public var projectGuard = ProjectGuard()
  /// Environment variables.
  public let environment: [String: String]
  /// Seconds by which the emulator's clock is ahead of the machine's from the start.
  public let clockAdvance: Int64
  /// Which program emulates the target's project, where that is known without asking.
  public let emulatorKind: EmulatorKind?

  /// Describes what a script finds around it.
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

/// A person of the emulated project, as far as the default delegate must know one.
public struct EmulatedPerson: Sendable {
  /// What is typed as user name.
  public let email: String
  /// What is typed as password.
  public let password: String
  /// Providers that know this person; empty for all.
  public let providers: [String]

  /// Describes a person.
  public init(email: String, password: String, providers: [String] = []) {
    self.email = email
    self.password = password
    self.providers = providers
  }
}
