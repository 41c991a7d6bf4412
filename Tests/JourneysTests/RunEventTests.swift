import Testing

@testable import Journeys

@Suite struct RunEventTests {
  @Test func `an event knows its place`() {
    let place = EventSource(journey: "a.lua > signs in", attempt: 2, step: 3)
    let event = RunEvent(at: 1.5, place: place, .log(LogEvent(level: .print, text: "hello")))
    #expect(event.place == place)
  }
}
