import Glibc
import HTTP
import Host
import Reference
import System

/// Computes shell completions for the last word of a command line.
struct Completion {
  /// A completion with its summary.
  struct Offer: Equatable {
    let word: String
    let summary: String
  }

  let commands: [Command]
  let console: Console

  /// The completions of the last word, which may be empty; the words before it are unchanged.
  func offers(_ words: [String]) async -> [Offer] {
    let current = words.last ?? ""
    var before = words.dropLast()[...]
    let isHelp = before.first == "help"
    if isHelp { before = before.dropFirst() }
    guard let name = before.popFirst() else {
      return starting(commands.map(\.offer) + (isHelp ? [] : Self.general), with: current)
    }
    guard var command = commands.first(where: { $0.word == name }) else { return [] }
    while !command.parts.isEmpty {
      guard let part = before.popFirst() else {
        return starting(command.parts.map(\.offer), with: current)
      }
      guard let found = command.parts.first(where: { $0.word == part }) else { return [] }
      command = found
    }
    return isHelp ? [] : await offers(for: command.description, Array(before), current)
  }

  private static let general = [
    Offer(word: "help", summary: "Shows what a command does."),
    Offer(word: "--help", summary: "Shows all commands."),
    Offer(word: "--version", summary: "Shows the version."),
  ]

  private func offers(
    for command: CommandDescription, _ before: [String], _ current: String
  ) async -> [Offer] {
    // After `--` there are no options, and after a script only the script's arguments.
    if before.contains("--") || hasScript(before, command) { return files(current) }
    if let last = before.last, let option = command.option(spelled: last), option.value != nil,
      !option.isValueAttached
    {
      return await values(of: option, current, prefix: "")
    }
    if current.hasPrefix("--"), let equals = current.firstIndex(of: "=") {
      guard let option = command.option(spelled: String(current[..<equals])) else { return [] }
      let prefix = String(current[...equals])
      return await values(
        of: option, String(current[current.index(after: equals)...]), prefix: prefix)
    }
    if current.hasPrefix("-") {
      let taken = Set(before)
      let options = command.options.filter { $0.isRepeatable || !taken.contains("--\($0.name)") }
      let all = options.map { Offer(word: "--\($0.name)", summary: $0.summary) }
      return starting(all + [Offer(word: "--help", summary: "Shows what there is.")], with: current)
    }
    if command.name == "doc" { return await names(current) }
    return command.operands.isEmpty ? [] : files(current)
  }

  /// Whether the arguments already contain the script or program.
  private func hasScript(_ arguments: [String], _ command: CommandDescription) -> Bool {
    guard command.passesArguments || command.passesCommand else { return false }
    var isValue = false
    for argument in arguments {
      guard !isValue else {
        isValue = false
        continue
      }
      guard argument.hasPrefix("-"), argument != "-" else { return true }
      let option = command.option(spelled: argument)
      isValue = option?.value != nil && option?.isValueOptional == false && !argument.contains("=")
    }
    return false
  }

  private func values(of option: Option, _ current: String, prefix: String) async -> [Offer] {
    func prefixed(_ offers: [Offer]) -> [Offer] {
      offers.map { Offer(word: prefix + $0.word, summary: $0.summary) }
    }
    switch option.value ?? "" {
    case "FILE", "PLAN", "EXPORT", "SCRIPT": return prefixed(files(current))
    case "DIR", "FOLDER": return prefixed(files(current).filter { $0.word.hasSuffix("/") })
    case "NAME" where option.name == "target": return prefixed(targets(current))
    case "KIND[:FILE]", "KIND:FILE":
      if let comma = current.lastIndex(of: ",") {
        let last = current[current.index(after: comma)...]
        return await values(of: option, String(last), prefix: prefix + current[...comma])
      }
      guard let colon = current.firstIndex(of: ":") else {
        // Some kinds, such as `html`, need a file; others may go to the terminal.
        return prefixed(
          starting(option.choices.map { Offer(word: $0, summary: "") }, with: current))
      }
      let kind = String(current[...colon])
      return files(String(current[current.index(after: colon)...])).map {
        Offer(word: prefix + kind + $0.word, summary: $0.summary)
      }
    case "RULES": return prefixed(rules(current, option))
    default:
      return prefixed(starting(option.choices.map { Offer(word: $0, summary: "") }, with: current))
    }
  }

  /// The rule sets, or after `+` or `-` the rule names.
  private func rules(_ current: String, _ option: Option) -> [Offer] {
    guard let sign = current.lastIndex(where: { $0 == "+" || $0 == "-" }) else {
      return starting(option.choices.map { Offer(word: $0, summary: "") }, with: current)
    }
    let start = String(current[...sign])
    return starting(
      RulesOption.names.map { Offer(word: start + $0, summary: "") }, with: current)
  }

  private func targets(_ current: String) -> [Offer] {
    var offers = [
      Offer(word: "emulator", summary: "the emulator inside luath"),
      Offer(word: "emulator:", summary: "another emulator, by HOST:PORT"),
      Offer(word: "firebase", summary: "a real project"),
    ]
    // Ignore an invalid project file; the command itself reports the error.
    let project: ProjectFile?
    do throws(CommandFailure) { project = try ProjectFile.find(nil, near: nil, console) } catch {
      project = nil
    }
    offers += (project.map { $0.targets.keys.sorted() } ?? []).map {
      Offer(word: $0, summary: "of the project file")
    }
    return starting(offers, with: current)
  }

  /// The names that `luath doc` explains.
  private func names(_ current: String) async -> [Offer] {
    let catalogue: Catalogue
    do throws(HTTPError) { catalogue = try await Catalogue.make() } catch { return [] }
    let pages = catalogue.pages.map { Offer(word: $0.name, summary: $0.summary) }
    let entries = catalogue.pages.flatMap(\.entries).filter { $0.current == nil }
    let whole = entries.map { Offer(word: $0.fullName, summary: $0.signature) }
    let found = starting(
      pages + whole + catalogue.documents.map { Offer(word: $0.word, summary: $0.summary) },
      with: current)
    guard found.isEmpty, !current.isEmpty else { return found }
    let words = entries.flatMap { [$0.lastWord, $0.writtenName] } + Catalogue.errorCodes
    let offers = starting(words.map { Offer(word: $0, summary: "") }, with: current)
    // Several modules or classes may have the same word, so show the headline that `luath doc` prints for it.
    return offers.map { Offer(word: $0.word, summary: catalogue.headline(of: $0.word) ?? "") }
  }

  private func files(_ current: String) -> [Offer] {
    let slash = current.lastIndex(of: "/")
    let folder = slash.map { String(current[...$0]) } ?? ""
    let start = slash.map { String(current[current.index(after: $0)...]) } ?? current
    let names = FolderListing.names(in: console.whole(folder.isEmpty ? "." : folder))
    return names.filter { $0.hasPrefix(start) && (!$0.hasPrefix(".") || start.hasPrefix(".")) }
      .map { name in
        var facts = stat()
        let isFolder =
          stat(console.whole(folder + name), &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
        return Offer(word: folder + name + (isFolder ? "/" : ""), summary: "")
      }
  }

  private func starting(_ offers: [Offer], with start: String) -> [Offer] {
    var known: Set<String> = []
    return offers.filter { $0.word.hasPrefix(start) && known.insert($0.word).inserted }
  }
}

extension Command {
  fileprivate var offer: Completion.Offer { .init(word: word, summary: description.summary) }
}

/// `luath __complete WORDS...`: prints completions for the shells' completion scripts.
enum CompleteCommand {
  /// Prints a line for each completion: the word, a tab, and its summary.
  static func main(_ words: [String], _ commands: [Command], _ console: Console) async -> Int32 {
    for offer in await Completion(commands: commands, console: console).offers(words) {
      // Skip file names with a line break, which would print as two completions.
      guard !offer.word.contains(where: \.isNewline) else { continue }
      console.writeOutput(
        offer.summary.isEmpty ? "\(offer.word)\n" : "\(offer.word)\t\(offer.summary)\n")
    }
    return 0
  }
}

/// The shells' completion scripts; each calls `luath __complete`.
enum ShellScripts {
  /// The script for `/usr/share/bash-completion/completions/luath`.
  static let bash = """
    # Completion of luath for bash.
    _luath() {
      local line=${COMP_LINE:0:COMP_POINT} current= shown name summary
      local -a words=() names=() texts=()
      read -ra words <<<"$line"
      [[ $line == *[[:blank:]] ]] || current=${words[-1]}
      [[ -z $current ]] && words+=("")
      while IFS=$'\\t' read -r name summary; do
        names+=("$name")
        texts+=("$summary")
      done < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
      # bash takes "=" and ":" for the ends of words, and wants only what follows them.
      local stem=${current%"${current##*[=:]}"}
      COMPREPLY=()
      local index
      for index in "${!names[@]}"; do
        shown=${names[index]#"$stem"}
        # A list that is only shown (Tab twice) has explanations.
        if [[ ${COMP_TYPE:-9} == 63 && ${#names[@]} -gt 1 && -n ${texts[index]} ]]; then
          shown+="  (${texts[index]})"
        else
          # A name with blanks stays one word.
          printf -v shown %q "$shown"
        fi
        COMPREPLY+=("$shown")
      done
      # What goes on behind it needs no blank.
      if [[ ${#names[@]} == 1 && ${names[0]} == *[/=:] ]]; then compopt -o nospace 2>/dev/null; fi
    }
    complete -F _luath luath

    """

  /// The script for a folder in zsh's `fpath`, as `_luath`.
  static let zsh = """
    #compdef luath
    # Completion of luath for zsh.
    _luath() {
      local name summary
      local -a names shown open
      while IFS=$'\\t' read -r name summary; do
        if [[ $name == *[/=:] ]]; then
          open+=("$name")
        else
          names+=("$name")
          shown+=("$name${summary:+  -- $summary}")
        fi
      done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
      (( ${#names} )) && compadd -l -d shown -a names
      (( ${#open} )) && compadd -S '' -a open
      (( ${#names} + ${#open} ))
    }
    if [[ $funcstack[1] == _luath ]]; then _luath "$@"; else compdef _luath luath; fi

    """

  /// The script for fish's `vendor_completions.d`, as `luath.fish`.
  static let fish = """
    # Completion of luath for fish.
    function __luath_complete
        set -l typed (commandline -opc)
        $typed[1] __complete $typed[2..-1] (commandline -ct) 2>/dev/null
    end
    complete -c luath -f -a '(__luath_complete)'

    """
}
