import Client

/// Holds a delegate, as Lua objects must be class instances.
final class DelegateBox {
  let delegate: any AuthUIDelegate
  let words: String

  init(_ delegate: any AuthUIDelegate, words: String) {
    self.delegate = delegate
    self.words = words
  }
}
