internal import Glibc

/// Finds programs that open a page in the user's own browser.
struct BrowserFinder {
  struct Command: Equatable {
    let path: String
    let arguments: [String]
  }

  let environment: [String: String]
  var isProgram: (String) -> Bool = { path in
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }

  /// Programs of desktops and subsystems; each takes one URL.
  private static let usual = ["xdg-open", "open", "wslview", "sensible-browser", "gio open"]

  /// Returns the commands to try for a URL, those in BROWSER first.
  ///
  /// Without a display, only those in BROWSER.
  func commands(for address: String) -> [Command] {
    let chosen = environment["BROWSER"]?.split(separator: ":").map(String.init) ?? []
    return (chosen + (absence == nil ? Self.usual : [])).compactMap { command($0, address) }
  }

  /// Why the user cannot see a browser of this machine; nil when they can.
  var absence: String? {
    if has("SSH_CONNECTION") || has("SSH_TTY") { return "this is a session over ssh" }
    if has("DISPLAY") || has("WAYLAND_DISPLAY") || has("WSL_DISTRO_NAME") { return nil }
    return "this machine has no display (DISPLAY and WAYLAND_DISPLAY are not set)"
  }

  private func has(_ name: String) -> Bool { environment[name]?.isEmpty == false }

  /// Splits words at spaces and replaces `%s` by the URL, as other programs read BROWSER.
  ///
  /// No shell is involved.
  private func command(_ text: String, _ address: String) -> Command? {
    let words = text.split(separator: " ").map(String.init)
    guard let name = words.first, let path = path(of: name) else { return nil }
    var arguments = Array(words.dropFirst())
    if !arguments.contains(where: { $0.contains("%s") }) { arguments.append("%s") }
    return Command(path: path, arguments: arguments.map { replaced($0, address) })
  }

  private func replaced(_ word: String, _ address: String) -> String {
    var parts: [Substring] = []
    var rest = Substring(word)
    while let mark = rest.indices.first(where: { rest[$0...].hasPrefix("%s") }) {
      parts.append(rest[..<mark])
      rest = rest[mark...].dropFirst(2)
    }
    return (parts + [rest]).joined(separator: address)
  }

  private func path(of name: String) -> String? {
    if name.contains("/") { return isProgram(name) ? name : nil }
    let folders = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
    return folders.map { "\($0)/\(name)" }.first(where: isProgram)
  }
}
