import CShims

/// The standard input that scripts read with `io.read`, which buffers.
public enum LuaInput {
  /// Removes the next byte from the buffer of `io.read`; nil when the buffer is empty.
  public static func takeAhead() -> UInt8? {
    let byte = luath_input_ahead()
    return byte < 0 ? nil : UInt8(truncatingIfNeeded: byte)
  }
}
