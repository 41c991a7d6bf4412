import Glibc
import HTTP
import Lua
import Scripting
import Terminal

/// The prompt: reads texts, runs them, and shows what they give, until it is left.
public struct Prompt: Sendable {
  /// How a prompt ended.
  public struct Ending: Sendable {
    /// The status that `os.exit` was given; nil when it was left otherwise.
    public var status: Int32?
    /// Whether a text failed.
    public var hasFailed = false
    /// Whether there was any text.
    public var hasRun = false
  }

  private let settings: PromptSettings
  private let console: PromptConsole
  private let host: any PromptHost
  private let input: any PromptInput
  private let leash: PromptLeash

  /// A prompt that has not begun.
  public init(
    settings: PromptSettings, console: PromptConsole, host: any PromptHost,
    input: any PromptInput, leash: PromptLeash
  ) {
    self.settings = settings
    self.console = console
    self.host = host
    self.input = input
    self.leash = leash
  }

  /// Runs until it is left.
  ///
  /// - Throws: Why it could not begin.
  public func run() async throws(PromptProblem) -> Ending {
    LuaStopHandle.installHandler()
    let loop: EventLoop
    do throws(HTTPError) {
      loop = try EventLoop(name: "prompt")
      try loop.start()
    } catch {
      throw PromptProblem(error.message, hint: error.hint)
    }
    let place = try await host.place(PromptWish())
    let ending = await LoopActor(loop).run { actor in
      await PromptLoop(
        place, settings: settings, console: console, host: host, input: input, leash: leash,
        actor: actor
      ).run()
    }
    loop.stop()
    loop.join()
    return ending
  }
}
