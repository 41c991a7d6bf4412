import Glibc

// A locale is read only after it is made.
private nonisolated(unsafe) let utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)
private typealias Width = @convention(c) (Int32) -> Int32
/// `wcwidth` is not among what the Glibc module shows.
private let wcwidth = unsafeBitCast(dlsym(nil, "wcwidth"), to: Width.self)

/// How many columns the C library gives a character; nil for those that do not print.
func systemWidth(_ scalar: Unicode.Scalar) -> Int? {
  let before = uselocale(utf8)
  defer { uselocale(before) }
  let width = wcwidth(Int32(bitPattern: scalar.value))
  return width < 0 ? nil : Int(width)
}
