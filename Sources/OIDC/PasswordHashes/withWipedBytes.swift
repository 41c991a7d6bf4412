import CCrypto

/// Provides a buffer and wipes it afterwards, to pass passwords and keys to C.
func withWipedBytes<Result>(
  _ count: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Result
) -> Result {
  let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
  bytes.initialize(repeating: 0)
  defer {
    OPENSSL_cleanse(bytes.baseAddress, count)
    bytes.deallocate()
  }
  return body(bytes)
}
