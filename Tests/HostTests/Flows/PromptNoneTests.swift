@testable import HTTP
@testable import Host
import Testing

/// What `prompt=none` does at pages that are shown all the same.
@Suite(.serialized, .timeLimit(.minutes(3))) struct PromptNoneTests {
  @Test(arguments: [
    "<form method=post><button>Accept</button></form>",
    "<form method=post><button>Continue</button></form>",
    "<form method=post><input type=hidden name=t><button>Yes</button></form>",
    "<form method=post><button aria-label=Accept></button><button aria-label=Decline></button></form>",
    "<form method=post><button name=d value=1></button><button name=d value=0></button></form>",
    "<form method=post><button type=button onclick='send()'>Go</button></form><script>function send() { document.forms[0].submit() }</script>",
    "<form method=post id=f><input type=hidden name=t></form><a href='javascript:f.submit()'>Go on</a>",
    "<div id=root></div><noscript><form method=post><button>Allow</button></form></noscript>",
    "<form method=post action='http://127.0.0.1/callback'><input type=hidden name=t><button>Accept</button></form>",
    "<a href=/yes>Continue</a>", "<form method=post><input name=otp><button>Next</button></form>",
    "<h1>Stay signed in?</h1><form method=post><button>Yes</button></form>",
    "<form action=/yes><button>Continue</button></form>",
    "<form method=post><button>Allow</button><button>Deny</button></form>",
    "<form method=post><button name=a>ada@idp.example</button></form>",
  ])
  func `a page is left as it is`(_ page: String) async throws {
    let seen = try await PagesByPath(pages: ["/page": page]).run(
      """
      local yes = refused("webPageDespitePromptNone", open, "/page?prompt=none", "form", { consent = true })
      local no = refused("webPageDespitePromptNone", open, "/page?prompt=none", "form", { consent = false })
      equal(yes.details.reason .. no.details.reason, ("pageDespitePromptNone"):rep(2))
      """)
    #expect(seen.map(\.method) == ["GET", "GET"])
  }

  @Test func `a page that hands over by itself is none`() async throws {
    let hidden = "<input type=hidden name=code value=c><input type=hidden name=state value=s>"
    let back = "action='http://127.0.0.1/callback'"
    let pages = [
      "/form_post": "<body onload='document.forms[0].submit()'><form method=post \(back)>\(hidden)"
        + "<noscript><button>Continue</button></noscript></form>",
      "/plain": "<form method=post \(back)>\(hidden)<button>Continue</button></form>",
      "/between":
        "<form method=post action=/done>\(hidden)<noscript><button>Continue</button></noscript>"
        + "</form><script>document.forms[0].submit()</script>",
      "/shown":
        "<form method=post action=/done>\(hidden)<p>One moment. <button>Continue</button></form>"
        + "<a href=/help>Help</a><script>setTimeout('document.forms[0].submit()', 0)</script>",
      "/bare": "<form method=post action=/done>\(hidden)</form>",
      "/refresh": "<meta http-equiv=refresh content='0;url=/done'>",
    ]
    _ = try await PagesByPath(pages: pages).run(
      """
      for _, path in ipairs { "/form_post", "/plain", "/between", "/shown", "/bare", "/refresh" } do
        assert(open(path .. "?prompt=none", "form"):find("code=", 1, true), path)
      end
      """)
  }

  @Test func `a browser presses nothing either`() async throws {
    let seen = try await PagesByPath(pages: [
      "/button": "<form method=post><button>Continue</button></form>",
      "/icons":
        "<form method=post><button aria-label=Accept>1</button><button aria-label=Decline>2</button></form>",
      "/by-itself": "<form method=post action=/done><input type=hidden name=t></form>"
        + "<script>document.forms[0].submit()</script>",
    ]).run(
      """
      refused("webPageDespitePromptNone", open, "/button?prompt=none", "webdriver")
      refused("webPageDespitePromptNone", open, "/icons?prompt=none", "webdriver")
      assert(open("/by-itself?prompt=none", "webdriver"):find("code=good", 1, true))
      """)
    #expect(seen.filter { $0.method == "POST" }.map(\.url.path) == ["/done"])
  }
}
