@testable import System
import Testing

@Suite struct NearestNameTests {
  @Test(arguments: [
    ("microsfot.com", "microsoft.com"), ("Yahoo.com", "yahoo.com"), ("gogle.com", "google.com"),
    ("microsoft", "microsoft.com"),
  ])
  func `a slip finds the name that was meant`(_ wanted: String, _ meant: String) {
    let names = ["google.com", "microsoft.com", "yahoo.com"]
    #expect(nearestName(to: wanted, among: names) == meant)
  }

  @Test(arguments: ["", "x", "something.else", String(repeating: "a", count: 100_000)])
  func `what is far from every name finds none`(_ wanted: String) {
    #expect(nearestName(to: wanted, among: ["google.com", "microsoft.com"]) == nil)
  }
}
