/// `luath __complete WORDS...`: what completion scripts of shells ask; not for people.
enum CompleteCommand {
  /// Writes a line for each offer: the word, and behind a tab what it is.
  static func main(_ words: [String], _ commands: [Command], _ console: Console) async -> Int32 {
    for offer in await Completion(commands: commands, console: console).offers(words) {
      // A line break in a name of a file would make two offers of one.
      guard !offer.word.contains(where: \.isNewline) else { continue }
      console.writeOutput(
        offer.summary.isEmpty ? "\(offer.word)\n" : "\(offer.word)\t\(offer.summary)\n")
    }
    return 0
  }
}
