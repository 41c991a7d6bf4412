/// A point in time or nil in the room of the number alone.
@propertyWrapper
struct CompactMoment: Sendable {
  /// No clock of the emulator's shows this moment.
  private static let never = Int64.min
  private var moment = never

  var wrappedValue: Int64? {
    get { moment == Self.never ? nil : moment }
    set { moment = newValue ?? Self.never }
  }
}
