@testable import HTTP
import Testing

@Suite(.timeLimit(.minutes(1))) struct HTTPHeadersTests {
  @Test func `names compare without case and keep the order they were given in`() {
    var headers: HTTPHeaders = ["Set-Cookie": "a=1", "Content-Type": "text/plain"]
    headers.append("set-cookie", "b=2")
    #expect(headers["SET-COOKIE"] == "a=1")
    #expect(headers.all("Set-Cookie") == ["a=1", "b=2"])
    #expect(headers.fields.map(\.name) == ["Set-Cookie", "Content-Type", "set-cookie"])
    #expect(headers["Set-Cookies"] == nil)
  }

  @Test func `setting a name replaces every line of it`() {
    var headers = HTTPHeaders([("A", "1"), ("B", "2"), ("a", "3"), ("a", "4")])
    headers.set("a", "5")
    #expect(headers == HTTPHeaders([("a", "5"), ("B", "2")]))
    headers["b"] = nil
    #expect(headers == ["a": "5"])
    headers["c"] = "6"
    #expect(headers.all("C") == ["6"])
  }

  @Test func `characters next to letters in ASCII are not folded`() {
    let headers: HTTPHeaders = ["a[": "1", "a@": "2"]
    #expect(headers["A{"] == nil)
    #expect(headers["A`"] == nil)
    #expect(headers["A["] == "1")
  }
}
