@testable import System
import Testing

@testable import SignIn

/// What Chromium logs becomes lines of the console, and requests with their responses.
@Suite struct BrowserLogTests {
  private static func event(
    _ method: String, _ parameters: JSONObject, at moment: Int64 = 1000
  ) -> JSON {
    let message: JSON = [
      "message": ["method": .string(method), "params": .object(parameters)], "webview": "x",
    ]
    return ["level": "INFO", "message": .string(message.encoded()), "timestamp": .integer(moment)]
  }

  private static func sent(
    _ id: String, _ url: String, at seconds: Double, redirect: JSON? = nil
  ) -> JSON {
    var parameters: JSONObject = [
      "requestId": .string(id), "type": "Document", "wallTime": .number(seconds),
      "request": ["method": "GET", "url": .string(url), "headers": ["Cookie": "sid=secret"]],
    ]
    parameters["redirectResponse"] = redirect
    return event("Network.requestWillBeSent", parameters)
  }

  @Test func `a request ends with its response, each redirect with its own`() {
    var log = BrowserLog()
    let entries = log.read(
      console: [],
      performance: [
        Self.sent("1", "http://a.example/", at: 5),
        Self.sent("1", "http://a.example/b", at: 6, redirect: ["status": 302]),
        Self.event("Network.dataReceived", ["requestId": "1"]),
        Self.sent("2", "data:image/png;base64,AAAA", at: 7),
        Self.event("Network.responseReceived", ["requestId": "1", "response": ["status": 200]]),
        Self.event("Network.loadingFailed", ["requestId": "2", "errorText": "net::ERR_FAILED"]),
        ["message": "no JSON"], ["message": "{}"], .null,
      ])
    func request(_ url: String, _ status: Int?, _ error: String? = nil) -> BrowserEntry.Kind {
      var request = BrowserRequest(method: "GET", url: url, type: "Document")
      request.status = status
      request.error = error
      return .request(request)
    }
    #expect(
      entries == [
        BrowserEntry(kind: request("http://a.example/", 302), moment: 5000),
        BrowserEntry(kind: request("http://a.example/b", 200), moment: 6000),
        BrowserEntry(
          kind: request("data:image/png;base64,…", nil, "net::ERR_FAILED"), moment: 7000),
      ])
    #expect(log.rest().isEmpty)
  }

  @Test func `a response may be in a later part of the log, or never come`() {
    var log = BrowserLog()
    #expect(
      log.read(
        console: [],
        performance: [Self.sent("1", "http://a/", at: 1), Self.sent("2", "http://b/", at: 2)]
      ).isEmpty)
    let later = log.read(
      console: [],
      performance: [
        Self.event("Network.responseReceived", ["requestId": "1", "response": ["status": 404]])
      ])
    #expect(later.map(\.moment) == [1000])
    #expect(log.rest().map(\.moment) == [2000])
    #expect(log.rest().isEmpty)
  }

  @Test func `lines of the console have plain levels`() {
    var log = BrowserLog()
    let levels = ["SEVERE", "WARNING", "INFO", "DEBUG", "OTHER"]
    let lines = levels.enumerated().map { index, level -> JSON in
      [
        "level": .string(level), "message": "x", "source": "javascript",
        "timestamp": .integer(Int64(index)),
      ]
    }
    let entries = log.read(console: lines, performance: [])
    #expect(
      entries.map(\.kind)
        == ["error", "warning", "info", "debug", "info"].map {
          .console(ConsoleLine(level: $0, source: "javascript", text: "x"))
        })
  }
}
