import Auth

/// A delegate as scripts hold it.
final class DelegateBox {
  let delegate: any AuthUIDelegate
  let words: String

  init(_ delegate: any AuthUIDelegate, words: String) {
    self.delegate = delegate
    self.words = words
  }
}
