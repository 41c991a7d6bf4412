@testable import Prompt
import Testing

@Suite struct ReaderThreadTests {
  @Test func `a refused thread is an error, not an endless wait`() throws {
    let interrupts = PromptInterrupts(SessionWorld.console)
    let reader = PlainReader(
      output: nil, language: LuaLanguage(Completer(SessionProxy(), folder: "/")))
    let problem = try #require(
      #expect(throws: PromptProblem.self) {
        // No machine has an address space for this stack.
        _ = try ReaderThread(reader, interrupts, stackBytes: 1 << 56)
      })
    #expect(problem.message.hasPrefix("cannot create a thread that reads the input: "))
    #expect(problem.hint == "raise the limits of processes and of memory")
  }
}
