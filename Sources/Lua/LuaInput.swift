import CShims

/// The standard input that scripts read by `io.read`, which reads ahead.
public enum LuaInput {
  /// Takes the next byte of what was read ahead; nil when there is none.
  public static func takeAhead() -> UInt8? {
    let byte = luath_input_ahead()
    return byte < 0 ? nil : UInt8(truncatingIfNeeded: byte)
  }
}
