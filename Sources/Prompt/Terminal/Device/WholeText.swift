internal import Glibc

/// Writes to descriptors that may accept a text only in parts.
enum WholeText {
  /// Writes all of a text, or stops when the reader is gone.
  static func write(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
      var sent = 0
      while sent < bytes.count, let start = bytes.baseAddress {
        let count = Glibc.write(descriptor, start + sent, bytes.count - sent)
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN {
          var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&place, 1, -1)
          continue
        }
        guard count > 0 else { return }
        sent += count
      }
    }
  }
}
