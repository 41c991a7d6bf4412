@testable import System
@testable import HTTP
import Testing

@testable import SignIn

/// Pages broken at random, the same ones in every run.
@Suite(.timeLimit(.minutes(2))) struct HTMLFuzzTests {
  private static let seeds = [
    """
    <!DOCTYPE html><html><head><title>Log in</title><base href="/x/"><meta charset=utf-8>
    <meta http-equiv=refresh content="5; url='/next?a=b'"></head><body><form method=post
    action="?s=1&amp;t=2"><label for=u>Name</label><input id=u name=user required maxlength=20>
    <input type=password name=pw autocomplete="current-password"><select name=s><optgroup label=x>
    <option value=1 selected>One</select><textarea name=t>\na&lt;b</textarea><input type=hidden
    name=csrf value="abc&#x41;"><button name=answer value=accept>Accept</button><button
    formaction="//evil.example/" name=answer value=deny>Deny</form><p role=alert>Wrong</p>
    """,
    "<table><form><tr><td><input name=a></td></tr></form></table><noscript><a href=x>Continue</a>",
    "<svg><style><!--</style><script>if (a<b) x('</p>')</script><![CDATA[x]]></svg><plaintext>",
    "\u{FEFF}<p>\u{0}\u{1}\u{10FFFF}</p><input =\"\" name='<' value=`><!-- -- > <a href='\u{7F}'>",
  ]
  private static let pieces = [
    "<", ">", "</", "\"", "'", "&", "&#", "&#xFFFFFFFF;", "<!--", "-->", "<form>", "</form>",
    "<template>", "<table>", "\u{0}", "=", "<input type=password name=p>", "<select>",
    "<base href=",
    "javascript:", "http://", "\r", "\u{202E}", "<![CDATA[", "<?", "<dialog>",
    "<meta charset=utf-7>",
  ]

  private static func mutation(_ number: UInt64) -> [UInt8] {
    var dice = SeededGenerator(seed: number)
    var bytes = Array((seeds.randomElement(using: &dice) ?? "").utf8)
    for _ in 0..<Int.random(in: 1...12, using: &dice) {
      let place = Int.random(in: 0...bytes.count, using: &dice)
      switch Int.random(in: 0..<6, using: &dice) {
      case 0: bytes.insert(UInt8.random(in: .min ... .max, using: &dice), at: place)
      case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int(dice.next() % 40)))
      case 2:
        bytes.insert(contentsOf: Array((pieces.randomElement(using: &dice) ?? "").utf8), at: place)
      case 3:
        let end = min(bytes.count, place + Int(dice.next() % 60))
        bytes.insert(
          contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &dice))
      case 4: bytes = Array(bytes[..<place])
      default: if place < bytes.count { bytes[place] ^= UInt8(1 << (dice.next() % 8)) }
      }
    }
    return bytes
  }

  @Test func `no broken page harms the reader, and none gets a secret out`() throws {
    let url = try #require(WebURL("https://idp.example/login?state=abc"))
    let answers = SignInAnswers(
      username: "ada@idp.example", password: Secret("correct-horse"),
      fields: ["otp": Secret("314159")])
    let charsets = [nil, "utf-8", "iso-8859-1", "shift_jis", "utf-16", "x-unknown", "utf-7"]
    for number in 0..<2_000 as Range<UInt64> {
      let bytes = Self.mutation(number)
      let charset = charsets[Int(number) % charsets.count]
      guard let document = HTMLDocument(parsing: bytes, charset: charset) else { continue }
      let page = SignInPage(document, at: url)
      for form in page.forms {
        for submitter in form.submitters + [nil] as [FormControl?] {
          _ = FormSubmission(form, submitter: submitter, on: page)
        }
      }
      var reader = FormReader(answers: answers, start: url)
      for _ in 0..<3 {
        do throws(FormDriverError) { _ = try reader.step(on: page, status: 200) } catch {
          #expect(!error.description.contains("correct-horse"), "mutation \(number)")
        }
      }
      let mask = PageMask(answers.secrets)
      let kept = MaskedPage.html(of: document, mask: mask, for: .replaying)
      let again = try #require(HTMLDocument(parsing: Array(kept.utf8), charset: "utf-8"))
      #expect(
        PageForm.all(in: again).count == PageForm.all(in: document).count, "mutation \(number)")
    }
  }
}
