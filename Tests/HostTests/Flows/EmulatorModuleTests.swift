@testable import Emulator
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct EmulatorModuleTests {
  // S27
  @Test func `the project file's settings hold`() async throws {
    var project = ProjectConfiguration.demo
    project.id = "another-project"
    project.recentLoginMinutes = 1
    project.enumerationProtection = false
    project.providers["google.com"] = nil
    project.providers["microsoft.com"]?.clientID = "my-client"
    try await Flow(runner: ScriptRunner(project: project)).run(
      program: "EmulatorModule/project-file")
  }
}
