
/// Quotes text as one shell word, for the commands that luath prints.
public enum ShellWord {
  /// The text, quoted if the shell would split or expand it.
  public static func quoted(_ text: String) -> String {
    let plain = text.printable
    let isPlain =
      !plain.isEmpty
      && plain.utf8.allSatisfy { byte in
        byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || "_/.-:=+,@%".utf8.contains(byte)
      }
    return isPlain ? plain : "'\(plain.replacing("'", with: "'\\''"))'"
  }

  /// A folder as the operand of `cd`, which would parse a name that begins with `-` as an option.
  public static func folder(_ path: String) -> String {
    quoted(path.hasPrefix("-") ? "./\(path)" : path)
  }
}
