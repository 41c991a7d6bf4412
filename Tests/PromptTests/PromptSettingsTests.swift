@testable import Prompt
import Testing

@Suite struct PromptSettingsTests {
  @Test func `a prompt keeps and reads nothing unless told`() {
    let settings = PromptSettings()
    #expect(settings.historyFile == nil)
    #expect(settings.startFile == nil)
  }
}
