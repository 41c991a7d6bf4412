import Foundation
@testable import Reference
import Testing

/// Completion in the shells themselves.
@Suite struct CompletionTests {
  /// Lines to complete, and what must be offered for each; `!` before a word means that it must not.
  private static let cases: [(line: String, words: [String])] = [
    ("luath te", ["test", "!run"]),
    ("luath batch pl", ["plan"]),
    ("luath test --sh", ["--shard", "--shuffle", "!--jobs"]),
    ("luath run --rules prod", ["production"]),
    ("luath run scr", ["script.lua", "scripts/"]),
    ("luath test --report=ju", ["junit"]),
    ("luath run --target stag", ["staging"]),
    ("luath doc Auth:signInAn", ["signInAnonymously"]),
    ("luath help emu", ["emulator"]),
    ("luath nosuchcommand x", []),
  ]

  /// A folder with a project file, a script and a folder of scripts.
  private static func withProject<Value>(_ body: (URL) async throws -> Value) async throws -> Value
  {
    try await Program.withFolder { folder in
      try "return { targets = { staging = { projectId = 'p', apiKey = 'k' } } }".write(
        to: folder.appending(path: "luath.lua"), atomically: true, encoding: .utf8)
      try "print(1)".write(
        to: folder.appending(path: "script.lua"), atomically: true, encoding: .utf8)
      try FileManager.default.createDirectory(
        at: folder.appending(path: "scripts"), withIntermediateDirectories: true)
      _ = try await GeneratedFiles.write("completions/", below: folder)
      return try await body(folder)
    }
  }

  private func compare(_ output: String, _ shell: String) {
    let parts = output.components(separatedBy: "== ").dropFirst()
    #expect(parts.count == Self.cases.count, "\(shell): \(output)")
    for (part, wanted) in zip(parts, Self.cases) {
      let words = part.split(separator: "\n").dropFirst()
        .map { $0.split(separator: "\t").first.map(String.init) ?? "" }
      for word in wanted.words {
        // Where bash splits at a colon or equals sign, it completes what follows.
        let isThere = words.contains {
          $0 == word.trimmingPrefix("!") || $0.hasSuffix(":\(word)") || $0.hasSuffix("=\(word)")
        }
        #expect(isThere != word.hasPrefix("!"), "\(shell), \(wanted.line): \(words)")
      }
      if wanted.words.isEmpty { #expect(words.isEmpty, "\(shell), \(wanted.line): \(words)") }
    }
  }

  @Test func `bash completes commands, options, values, files and names`() async throws {
    let bash = try #require(Program.path(of: "bash"))
    let lines = Self.cases.map { "complete_line '\($0.line)'" }.joined(separator: "\n")
    let script = """
      . completions/bash/luath
      complete_line() {
        echo "== $1"
        COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9
        read -ra COMP_WORDS <<<"$1"
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _luath
        printf '%s\\n' "${COMPREPLY[@]}"
      }
      \(lines)
      """
    try await Self.withProject { folder in
      let ending = try await Program.run(["-c", script], in: folder, program: bash)
      #expect(ending.errors.isEmpty, "\(ending.errors)")
      compare(ending.output, "bash")
    }
  }

  @Test func `bash tells what the words are when it lists them`() async throws {
    let bash = try #require(Program.path(of: "bash"))
    let script = """
      . completions/bash/luath
      COMP_LINE='luath doc Auth:signIn' COMP_POINT=21 COMP_TYPE=63
      _luath
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    try await Self.withProject { folder in
      let ending = try await Program.run(["-c", script], in: folder, program: bash)
      #expect(ending.output.contains("signIn  (auth:signIn(proof [, delegate]))\n"))
    }
  }

  @Test func `a word that several have is shown as its help begins`() async throws {
    let catalogue = try await Catalogue.shared
    try await Program.withFolder { folder in
      var count = 0
      for start in ["sig", "lin", "cre", "exp", "json", "act", "pass", "weak"] {
        let offered = try await Program.run(["__complete", "doc", start], in: folder).output
        for line in offered.split(separator: "\n") {
          let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
          let help = try #require(catalogue.explanation(of: parts[0]))
          // A module's name says what it is for below it; an error is only called one.
          let shown = try #require(parts.last)
          let begins = help.split(separator: "\n").prefix(2).joined(separator: "\n")
          let isShown =
            begins.contains(shown) || catalogue.page(named: parts[0])?.summary == shown
          #expect(isShown, "\(line): \(begins)")
          count += 1
        }
        if start == "sig" {
          #expect(offered.hasPrefix("signIn\tauth:signIn(proof [, delegate])\n"), "\(offered)")
          #expect(offered.contains("\nsignOut\tauth:signOut()\n"), "\(offered)")
        }
      }
      #expect(count > 40)
    }
  }

  @Test func `bash keeps a name with blanks one word`() async throws {
    let bash = try #require(Program.path(of: "bash"))
    let script = """
      . completions/bash/luath
      COMP_LINE='luath run one' COMP_POINT=13 COMP_TYPE=9
      _luath
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    try await Self.withProject { folder in
      try "print(1)".write(
        to: folder.appending(path: "one script.lua"), atomically: true, encoding: .utf8)
      let ending = try await Program.run(["-c", script], in: folder, program: bash)
      #expect(ending.output == "one\\ script.lua\n")
    }
  }

  @Test(.enabled("needs zsh: make setup-tests") { Program.path(of: "zsh") != nil })
  func `zsh completes the same`() async throws {
    let zsh = try #require(Program.path(of: "zsh"))
    let lines = Self.cases.map { "complete_line '\($0.line)'" }.joined(separator: "\n")
    // compadd works only inside the editor; here it prints what it is given.
    let script = """
      compdef() { : }
      compadd() {
        while [[ $1 == -* ]]; do
          case $1 in (-a) shift; print -l -- ${(P)1}; return;; (-d|-S) shift;; esac
          shift
        done
      }
      . completions/zsh/_luath
      complete_line() {
        print -- "== $1"
        local -a words=(${(z)1})
        local CURRENT=$#words
        _luath
      }
      \(lines)
      true
      """
    try await Self.withProject { folder in
      let ending = try await Program.run(["-f", "-c", script], in: folder, program: zsh)
      #expect(ending.errors.isEmpty, "\(ending.errors)")
      compare(ending.output, "zsh")
    }
  }

  @Test(.enabled("needs fish: make setup-tests") { Program.path(of: "fish") != nil })
  func `fish completes the same`() async throws {
    let fish = try #require(Program.path(of: "fish"))
    let lines = Self.cases.map { "echo '== \($0.line)'; complete -C '\($0.line)'" }
    let script = "source completions/fish/luath.fish\n" + lines.joined(separator: "\n")
    try await Self.withProject { folder in
      let ending = try await Program.run(
        ["--no-config", "-c", script], in: folder,
        program: fish, environment: ["HOME": folder.path, "XDG_CONFIG_HOME": folder.path])
      #expect(ending.errors.isEmpty, "\(ending.errors)")
      compare(ending.output, "fish")
    }
  }
}
