/// An optional point in time that takes no more memory than the number alone.
@propertyWrapper
struct CompactMoment: Sendable {
  /// Stands for nil; the emulator's clock never shows it.
  private static let never = Int64.min
  private var moment = never

  var wrappedValue: Int64? {
    get { moment == Self.never ? nil : moment }
    set { moment = newValue ?? Self.never }
  }
}
