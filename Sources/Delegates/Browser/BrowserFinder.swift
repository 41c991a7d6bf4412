internal import Glibc

/// Finds what opens a page in the person's own browser.
struct BrowserFinder {
  /// A program with the words it takes before the address.
  struct Command: Equatable {
    let path: String
    let arguments: [String]
  }

  let environment: [String: String]
  /// Whether a path is a program one may start.
  var isProgram: (String) -> Bool = { path in
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }

  /// What desktops and subsystems bring along; each takes one address.
  private static let usual = ["xdg-open", "open", "wslview", "sensible-browser", "gio open"]

  /// The commands to try for an address, the person's own choice first; none when a browser would
  /// have no screen to show itself on.
  func commands(for address: String) -> [Command] {
    let chosen = environment["BROWSER"]?.split(separator: ":").map(String.init) ?? []
    return (chosen + (absence == nil ? Self.usual : [])).compactMap { command($0, address) }
  }

  /// Why no browser of this machine can be seen by the person; nil when one can.
  var absence: String? {
    if has("SSH_CONNECTION") || has("SSH_TTY") { return "this is a session over ssh" }
    if has("DISPLAY") || has("WAYLAND_DISPLAY") || has("WSL_DISTRO_NAME") { return nil }
    return "this machine has no display (DISPLAY and WAYLAND_DISPLAY are not set)"
  }

  private func has(_ name: String) -> Bool { environment[name]?.isEmpty == false }

  /// Words are split at spaces and `%s` stands for the address, as other programs read BROWSER; no
  /// shell is asked.
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
