internal import System

extension DashboardPage {
  /// The start of every form, with the CSRF code.
  func form(_ address: String, class name: String = "card") -> Markup {
    """
    <form method="post" action="\(address)" class="\(name)">
    <input type="hidden" name="csrf" value="\(visit.code)">
    """
  }

  /// A labeled single-line field.
  func field(
    _ name: String, _ label: String, value: String = "", type: String = "text", hint: String? = nil,
    isRequired: Bool = false
  ) -> Markup {
    let id = "f-\(name)"
    let described: Markup = hint == nil ? .nothing : " aria-describedby=\"\(id)-hint\""
    let note: Markup = hint.map { "<small id=\"\(id)-hint\">\($0)</small>" } ?? .nothing
    let required: Markup = isRequired ? " required" : .nothing
    // The entries are test data: browsers should neither fill them in nor save them.
    let completion = type == "password" ? "new-password" : "off"
    return """
      <div class="field"><label for="\(id)">\(label)</label>\
      <input id="\(id)" name="\(name)" type="\(type)" value="\(value)" dir="auto" \
      autocomplete="\(completion)" spellcheck="false"\(required)\(described)>\(note)</div>

      """
  }

  func checkbox(_ name: String, _ label: String, isOn: Bool, value: String = "on") -> Markup {
    let checked: Markup = isOn ? " checked" : .nothing
    return """
      <label class="check"><input type="checkbox" name="\(name)" value="\(value)"\(checked)> \
      \(label)</label>

      """
  }

  /// A date and time, to the second.
  func time(_ milliseconds: Int64?) -> Markup {
    guard let milliseconds else { return "<span class=\"soft\">never</span>" }
    let full = Timestamp.text(milliseconds: milliseconds)
    let day = String(full.prefix(10))
    let clock = String(full.dropFirst(11).prefix(8))
    return "<time datetime=\"\(full)\">\(day) <b>\(clock)</b></time>"
  }

  /// A time of day with milliseconds, for lists of recent requests.
  func clock(_ milliseconds: Int64) -> Markup {
    let full = Timestamp.text(milliseconds: milliseconds)
    let seconds = String(full.dropFirst(11).prefix(8))
    let rest = String(full.dropFirst(19).prefix(4))
    return "<time datetime=\"\(full)\">\(seconds)<span class=\"wide\">\(rest)</span></time>"
  }

  func number(_ count: Int) -> String {
    var text = String(count)
    var place = text.count - 3
    while place > 0 {
      text.insert(",", at: text.index(text.startIndex, offsetBy: place))
      place -= 3
    }
    return text
  }

  func amount(_ count: Int, _ noun: String) -> String {
    "\(number(count)) \(noun)\(count == 1 ? "" : "s")"
  }

  func pill(status: Int) -> Markup {
    let name = status >= 500 ? "bad" : status >= 400 ? "warn" : status >= 300 ? "info" : "good"
    return "<span class=\"pill \(name)\">\(String(status))</span>"
  }

  func pill(_ text: String, _ name: String) -> Markup {
    "<span class=\"pill \(name)\">\(text)</span>"
  }

  func avatar(_ account: Account) -> Markup {
    let text = account.displayName ?? account.email ?? account.phoneNumber ?? "?"
    let letter = text.first { $0.isLetter || $0.isNumber }.map { String($0).uppercased() } ?? "?"
    let tint = account.uid.utf8.reduce(0) { ($0 &+ Int($1)) % 6 }
    return "<span class=\"avatar c\(String(tint))\" aria-hidden=\"true\">\(letter)</span>"
  }

  /// The name of an account in lists.
  func name(of account: Account) -> String {
    for text in [account.displayName, account.email, account.phoneNumber] {
      if let text, !text.isEmpty { return text }
    }
    return account.isAnonymous ? "Anonymous" : account.uid
  }

  // MARK: JSON

  /// Formatted JSON with syntax colors.
  func code(_ value: JSON) -> Markup {
    var text = Markup.Interpolation(literalCapacity: 256, interpolationCount: 8)
    write(value, indent: "", to: &text)
    return
      "<pre tabindex=\"0\"><code>\(Markup(stringInterpolation: text))</code></pre>"
  }

  private func write(_ value: JSON, indent: String, to text: inout Markup.Interpolation) {
    let inner = indent + "  "
    switch value {
    case .object(let object):
      guard !object.isEmpty else { return text.appendLiteral("{}") }
      text.appendLiteral("{\n")
      for (place, (name, member)) in object.entries.enumerated() {
        text.appendLiteral(inner)
        text.appendInterpolation(
          "<span class=\"k\">\(JSON.string(name).encoded())</span>: " as Markup)
        write(member, indent: inner, to: &text)
        text.appendLiteral(place == object.count - 1 ? "\n" : ",\n")
      }
      text.appendLiteral(indent + "}")
    case .array(let items):
      guard !items.isEmpty else { return text.appendLiteral("[]") }
      text.appendLiteral("[\n")
      for (place, item) in items.enumerated() {
        text.appendLiteral(inner)
        write(item, indent: inner, to: &text)
        text.appendLiteral(place == items.count - 1 ? "\n" : ",\n")
      }
      text.appendLiteral(indent + "]")
    case .string(Mask.dots):
      text.appendInterpolation(
        "<span class=\"m\" title=\"not shown\">\(Mask.dots)</span>" as Markup)
    case .string:
      text.appendInterpolation("<span class=\"s\">\(value.encoded())</span>" as Markup)
    case .null, .bool, .integer, .number:
      text.appendInterpolation("<span class=\"n\">\(value.encoded())</span>" as Markup)
    }
  }
}
