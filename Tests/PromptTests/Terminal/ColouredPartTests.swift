@testable import Prompt
import Testing

@Suite struct ColouredPartTests {
  @Test func `parts of a text are equal by place and kind`() {
    #expect(ColouredPart(0..<5, .keyword) == ColouredPart(0..<5, .keyword))
    #expect(ColouredPart(0..<5, .keyword) != ColouredPart(0..<5, .name))
  }
}
