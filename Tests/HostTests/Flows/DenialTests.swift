@testable import System
@testable import HTTP
@testable import Host
import Testing

/// What `consent = false` does at pages that make it hard to say no.
@Suite(.serialized, .timeLimit(.minutes(3))) struct DenialTests {
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
    // Buttons named by a picture, or by attributes alone.
    "<form method=post><button aria-label=Accept>✓</button><button aria-label=Refuse>✗</button></form>",
    "<form method=post><button title=Accept></button><button title=Refuse></button></form>",
    "<form method=post><button><img src=y alt=Accept></button><button><img src=n alt=Refuse></button></form>",
    "<form method=post><button><svg><title>Accept</title></svg></button><button><svg><title>Refuse</title></svg></button></form>",
    "<form method=post><input type=image name=d alt=Accept><input type=image name=d alt=Refuse></form>",
    "<form method=post><input type=image value=Accept><input type=image value=Refuse></form>",
    "<b id=y>Accept</b><b id=n>Refuse</b><form method=post><button aria-labelledby=y></button><button aria-labelledby=n></button></form>",
    // Buttons without any name, of which one may accept.
    "<form method=post><button name=d value=1>✓</button><button name=d value=0>✗</button></form>",
    "<form method=post><button name=d value=1>✓</button><button name=d value=0>Refuse</button></form>",
    "<form method=post><button>✓</button><button>Refuse</button></form>",
    // One button, in words that also lead from page to page.
    "<form method=post><button>Confirm</button></form>",
    "<form method=post><button>Yes</button></form>",
    "<form method=post><button>OK</button></form>",
    "<form method=post><button>Next</button></form>",
    "<form method=post><input type=checkbox name=scope value=mail checked><button>Submit</button></form>",
    "<form method=post><label><input type=checkbox name=agree checked>I agree</label><button>Continue</button></form>",
    "<form method=post><button>Continue as ada@idp.example</button></form>",
    "<form action=/yes><button>Continue</button></form>", "<a href=/yes>Continue</a>",
    "<a href=/yes>Continue as ada@idp.example</a>", "<a href=/yes>Yes</a><a href=/yes>Cancel</a>",
    "<h1>Stay signed in?</h1><form method=post><button>Yes</button></form>",
    // A form that only a script sends, by links.
    "<form method=post id=f><input type=hidden name=d value=yes></form><a href='javascript:f.submit()'>Allow</a><a href='javascript:history.back()'>Deny</a>",
    "<form method=post><input type=hidden name=t><button onclick='send()'>OK</button></form><script>function send() { document.forms[0].submit() }</script>",
    // Another question that is answered with yes or no, and a field, beside the button that accepts.
    "<form method=post>Remember? <input type=radio name=r value=yes>Yes <input type=radio name=r value=no>No<button name=d value=yes>Allow</button></form>",
    "<form method=post><input name=email value=ada@idp.example><button>Allow</button></form>",
    "<form method=post><input name=u><input type=password name=p><button>Authorize</button></form>",
    "<form method=post><input name=u><input type=password name=p><button>Log in &amp; share</button></form>",
    "<form method=post><input name=u><input type=password name=p><label><input type=checkbox required>I allow it</label><button>Log in</button></form>",
    "<form method=post><input name=u><input type=password name=p><label><input type=radio name=x>Allow</label><label><input type=radio name=x>Deny</label><button>Log in</button></form>",
    // A button that says both.
    "<form method=post><button name=d value=yes>Refuse</button><button name=d value=1>Allow</button></form>",
  ])
  func `a form whose denial the server cannot see is not sent`(_ page: String) async throws {
    let seen = try await PagesByPath(pages: ["/consent": page]).run(program: "Denial/unseen-denial")
    #expect(seen.count == 1)
  }

  @Test func `a denial that the server sees is sent, and must be heeded`() async throws {
    let seen = try await PagesByPath(
      pages: [
        "/button": "<form method=post><button name=d value=yes>Accept</button>"
          + "<button name=d value=no>Refuse</button></form>",
        "/forms": "<form method=post action=/yes><button>Accept</button></form>"
          + "<form method=post><input type=hidden name=d value=no><button>Refuse</button></form>",
        "/name": "<form method=post><button name=consent value=0>Allow</button>"
          + "<button name=d value=no>No</button></form>",
        "/deaf": "<form method=post><button name=d value=1>Accept</button>"
          + "<button name=d value=0>Refuse</button></form>",
        "/link": "<form method=post><button>Allow</button></form><a href=/gone>Cancel</a>",
        "/icons": "<form method=post><button aria-label=Accept name=d value=yes>✓</button>"
          + "<button aria-label=Refuse name=d value=no>✗</button></form>",
        "/wordless": "<form method=post><button name=d value=yes></button>"
          + "<button name=d value=no></button></form>",
        "/remember": "<form method=post>Remember? <input type=radio name=r value=yes>Yes"
          + "<input type=radio name=r value=no>No<button name=d value=yes>Allow</button>"
          + "<button name=d value=no>Deny</button></form>",
        "/questions": "<form method=post>Remember? <input type=radio name=r value=yes>Yes"
          + "<input type=radio name=r value=no checked>No"
          + "<label><input type=radio name=d value=yes checked>Allow</label>"
          + "<label><input type=radio name=d value=no>Deny</label><button>Submit consent</button></form>",
        "/login": "<form method=post><input name=u><input type=password name=p>"
          + "<label><input type=radio name=d value=yes checked>Allow</label>"
          + "<label><input type=radio name=d value=no>Deny</label><button>Log in</button></form>",
        "/list": "<form method=post><input name=u><input type=password name=p><select name=d>"
          + "<option value=yes selected>Allow</option><option value=no>Deny</option></select>"
          + "<button>Log in</button></form>",
        "/email": "<form method=post><input name=email><button name=d value=yes>Allow</button>"
          + "<button name=d value=no>Deny</button></form>",
      ]
    ).run(program: "Denial/denial")
    #expect(seen.count == 24)
  }

  @Test func `a login in several steps goes on up to the consent`() async throws {
    let seen = try await PagesByPath(
      pages: [
        "/start": "<form method=post action=/code><input name=user><button>Continue</button>"
          + "<button name=d value=no>Cancel</button></form>",
        "/hop": "<form method=post action=/done><input type=hidden name=d value=no></form>"
          + "<script>document.forms[0].submit()</script><a href=/help>Help</a>",
      ]
    ).run(program: "Denial/steps")
    #expect(seen.filter { $0.method == "POST" }.map { $0.form["d"] } == [nil, "no"])
  }

  @Test func `a browser presses the button, whose script makes the difference`() async throws {
    let buttons = "<button>Accept</button><button onclick='d.value = \"no\"'>Refuse</button>"
    _ = try await PagesByPath(
      pages: [
        "/script": "<form method=post><input type=hidden name=d id=d value=yes>\(buttons)</form>",
        "/same": "<form method=post><button>Accept</button><button>Refuse</button></form>",
        "/alone": "<form method=post><button>Allow access</button></form>",
      ]
    ).run(program: "Denial/browser")
  }
}
