import Testing

@testable import SignIn

@Suite struct BrowserFinderTests {
  private func commands(
    _ environment: [String: String], programs: Set<String>
  ) -> [BrowserFinder.Command] {
    var finder = BrowserFinder(environment: environment)
    finder.isProgram = { programs.contains($0) }
    return finder.commands(for: "http://a.example/?b=%s&c=$(d)")
  }

  @Test func `the desktop's programs are tried in order, where PATH has them`() {
    let found = commands(
      ["DISPLAY": ":0", "PATH": "/a:/b"],
      programs: ["/b/xdg-open", "/a/wslview", "/b/wslview", "/c/open", "/b/gio"])
    #expect(found.map(\.path) == ["/b/xdg-open", "/a/wslview", "/b/gio"])
    #expect(found[0].arguments == ["http://a.example/?b=%s&c=$(d)"])
    #expect(found[2].arguments == ["open", "http://a.example/?b=%s&c=$(d)"])
  }

  @Test func `the person's own choice comes first, without a shell`() {
    let found = commands(
      ["BROWSER": "missing:firefox --new-window '%s';rm:/opt/x -u=%s", "PATH": "/a"],
      programs: ["/a/firefox", "/opt/x"])
    #expect(found.map(\.path) == ["/a/firefox", "/opt/x"])
    #expect(found[0].arguments == ["--new-window", "'http://a.example/?b=%s&c=$(d)';rm"])
    #expect(found[1].arguments == ["-u=http://a.example/?b=%s&c=$(d)"])
  }

  @Test(arguments: [
    [:], ["DISPLAY": ""], ["DISPLAY": ":0", "SSH_CONNECTION": "1.2.3.4 5 6.7.8.9 22"],
  ])
  func `without a screen of the person's own there is no browser`(_ environment: [String: String]) {
    let finder = BrowserFinder(environment: environment)
    #expect(finder.absence != nil)
    #expect(commands(environment, programs: ["/usr/bin/xdg-open"]).isEmpty)
  }
}
