import Encoding
import HTTP
import Scripting
import Testing

/// What `consent = false` does at pages that make it hard to say no.
@Suite(.serialized, .timeLimit(.minutes(3))) struct DenialTests {
  private static let back = "http://127.0.0.1/callback"

  /// Runs a script against pages by path; what is posted comes back signed in, unless it says no.
  private func run(
    _ pages: [String: String], _ script: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [HTTPRequest] {
    var seen: [HTTPRequest] = []
    let answer: @Sendable (HTTPRequest) -> ServerResponse = { request in
      guard request.method == "GET", let page = pages[request.url.path] else {
        let answer = request.form["d"] == "no" ? "error=access_denied" : "code=good"
        return ServerResponse(status: 302, headers: ["Location": "\(Self.back)?\(answer)"])
      }
      return ServerResponse(
        headers: ["Content-Type": "text/html; charset=utf-8"],
        body: Array("<!DOCTYPE html><title>Corp</title><h1>Corp wants to know you</h1>\(page)".utf8)
      )
    }
    try await CannedServer.run(answer) { server in
      var flow = Flow(runner: ScriptRunner(timeout: .seconds(60)))
      flow.runner.environment["PAGES"] = server.origin
      try await flow.run(
        """
        local function show(delegate, path) return ui.show(ui[delegate] { username = "ada@idp.example", \
        password = "correct horse", consent = false }, host.env "PAGES" .. path, "\(Self.back)") end \

        """ + script, sourceLocation: sourceLocation)
      seen = server.received
    }
    return seen
  }

  @Test(arguments: [
    // Buttons that a script tells apart.
    "<form method=post><button>Accept</button><button>Refuse</button></form>",
    "<form method=post><button name=d>Accept</button><button name=d>Refuse</button></form>",
    "<form method=post enctype=multipart/form-data><button>Allow</button><button>Deny</button></form>",
    "<form method=post><button>Accept</button></form><form method=post><button>Refuse</button></form>",
    "<form method=post><button>Allow</button><button type=button>Cancel</button></form>",
    "<form method=post><button>Continue</button><button type=button>Cancel</button></form>",
    "<form method=post><button>Allow</button></form><a href='#'>Cancel</a>",
    // Choices without a value of their own.
    "<form method=post><label><input type=radio name=x>Allow</label><label><input type=radio name=x>Deny</label><button>Next</button></form>",
    // No way to say no.
    "<form method=post><input type=checkbox name=terms required><button>Agree</button></form>",
    "<form method=post><button>Allow access</button></form>", "<a href=/yes>Authorize</a>",
  ])
  func `a form whose denial the server cannot see is not sent`(_ page: String) async throws {
    let seen = try await run(
      ["/consent": page],
      """
      local err = refused("webPageUnusable", show, "form", "/consent")
      equal(err.details.reason, "cannotDeny")
      equal(err.details.title, "Corp")
      assert(err.hint:find("ui.webdriver", 1, true), err.hint)
      """)
    #expect(seen.count == 1)
  }

  @Test func `a denial that the server sees is sent, and must be heeded`() async throws {
    let seen = try await run(
      [
        "/button": "<form method=post><button name=d value=yes>Accept</button>"
          + "<button name=d value=no>Refuse</button></form>",
        "/forms": "<form method=post action=/yes><button>Accept</button></form>"
          + "<form method=post><input type=hidden name=d value=no><button>Refuse</button></form>",
        "/name": "<form method=post><button name=consent value=0>Allow</button>"
          + "<button name=d value=no>No</button></form>",
        "/deaf": "<form method=post><button name=d value=1>Accept</button>"
          + "<button name=d value=0>Refuse</button></form>",
        "/link": "<form method=post><button>Allow</button></form><a href=/gone>Cancel</a>",
      ],
      """
      for _, path in ipairs { "/button", "/forms", "/name" } do refused("webConsentDenied", show, "form", path) end
      for _, path in ipairs { "/deaf", "/link" } do
        local err = refused("webDenialIgnored", show, "form", path)
        equal(err.details.reason, "denialIgnored")
        equal(err.details.title, "Corp")
      end
      """)
    #expect(seen.count == 10)
  }

  @Test func `a browser presses the button, whose script makes the difference`() async throws {
    let buttons = "<button>Accept</button><button onclick='d.value = \"no\"'>Refuse</button>"
    _ = try await run(
      [
        "/script": "<form method=post><input type=hidden name=d id=d value=yes>\(buttons)</form>",
        "/same": "<form method=post><button>Accept</button><button>Refuse</button></form>",
        "/alone": "<form method=post><button>Allow access</button></form>",
      ],
      """
      local form = refused("webPageUnusable", show, "form", "/script")
      equal(form.details.reason, "cannotDeny")
      refused("webConsentDenied", show, "webdriver", "/script")
      refused("webDenialIgnored", show, "webdriver", "/same")
      local err = refused("webPageUnusable", show, "webdriver", "/alone")
      equal(err.details.reason, "cannotDeny")
      assert(err.hint:find("script = function", 1, true), err.hint)
      """)
  }
}
