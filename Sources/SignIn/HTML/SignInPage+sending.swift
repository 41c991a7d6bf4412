/// Detects pages that submit their form by themselves, to hand over to another server.
extension SignInPage {
  /// Whether the page has a script that submits a form, or no visible button.
  ///
  /// A script that waits for a click does not count: its form is for the user to submit.
  static func sendsItself(_ document: HTMLDocument) -> Bool {
    var isSent = false
    var waitsForClick = false
    var hasButton = false
    for index in document.elements.indices {
      let element = document.elements[index]
      if document.closest(.template, to: index) != nil { continue }
      let script =
        element.name == "script" ? document.rawText(of: index) : element.attributes["onload"]
      if let script {
        isSent = isSent || calls.contains { script.contains($0) }
        waitsForClick = waitsForClick || handlesClick(script)
      }
      if element.isHidden || document.closest(.noscript, to: index) != nil { continue }
      waitsForClick = waitsForClick || element.attributes["onclick"] != nil
      hasButton = hasButton || isPressable(element)
    }
    return (isSent || !hasButton) && !waitsForClick
  }

  private static let calls = [".submit(", ".requestSubmit(", ".click()"]
  private static let clicks = ["onclick", "\"click\"", "'click'", "`click`"]

  private static func handlesClick(_ script: String) -> Bool {
    clicks.contains { script.contains($0) }
      || script.split(separator: ".click(").dropFirst().contains { !$0.hasPrefix(")") }
  }

  private static func isPressable(_ element: HTMLDocument.Element) -> Bool {
    switch element.name {
    case "button": true
    case "a": element.attributes["href"] != nil
    case "input":
      ["submit", "button", "image"].contains(
        PageForm.trimmed(element.attributes["type"] ?? "").lowercased())
    default: element.attributes["role"] == "button"
    }
  }
}
