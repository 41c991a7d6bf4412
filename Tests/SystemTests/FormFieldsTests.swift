@testable import System
import Testing

@Suite("Percent-encoding and form fields", .timeLimit(.minutes(1)))
struct FormFieldsTests {
  @Test func `only unreserved characters stay as they are`() {
    #expect(PercentEncoding.encode("aZ09-._~ /?&=+%é") == "aZ09-._~%20%2F%3F%26%3D%2B%25%C3%A9")
  }

  @Test func `decoding undoes encoding`() {
    let text = "né ☃ 😀+&=%\0"
    #expect(PercentEncoding.decode(PercentEncoding.encode(text)) == text)
    #expect(PercentEncoding.decode("a+b") == "a+b")
    #expect(PercentEncoding.decode("a+b", plusIsSpace: true) == "a b")
    #expect(PercentEncoding.decode("%c3%A9") == "é")
  }

  @Test(arguments: ["%", "%4", "%zz", "a%", "%C3", "%FF", "%ED%A0%80"])
  func `a bad escape is refused`(text: String) {
    #expect(PercentEncoding.decode(text) == nil)
  }

  @Test func `fields are read in order with repetitions`() {
    let fields = FormFields(parsing: "a=1&b=x+y%2B&a=2&&c&d=e=f")
    #expect(fields["a"] == "1")
    #expect(fields.all("a") == ["1", "2"])
    #expect(fields["b"] == "x y+")
    #expect(fields["c"] == "")
    #expect(fields["d"] == "e=f")
    #expect(fields["e"] == nil)
    #expect(fields.all("") == [])
  }

  @Test func `a bad escape in a form stands for itself`() {
    #expect(FormFields(parsing: "a=100%&b=%zz")["a"] == "100%")
    #expect(FormFields(parsing: "a=100%&b=%zz")["b"] == "%zz")
    #expect(FormFields(parsing: "a=%FF")["a"] == "\u{FFFD}")
    #expect(FormFields(parsing: "").isEmpty)
    #expect(FormFields(parsing: "=").pairs.first?.name == "")
  }

  @Test func `writing and reading give the same fields`() {
    var fields = FormFields([("a b", "1&2"), ("é", "")])
    fields.append("a b", "%")
    #expect(fields.encoded == "a%20b=1%262&%C3%A9=&a%20b=%25")
    #expect(FormFields(parsing: fields.encoded) == fields)
    #expect(fields != FormFields([("a b", "1&2")]))
  }
}
