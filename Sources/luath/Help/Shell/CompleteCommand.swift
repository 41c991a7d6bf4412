import Host

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
