import Emulator
import Host
import IdentityToolkit
import System

extension PromptLoop {
  func run(_ command: PromptCommand) async {
    let argument = command.argument
    if let problem = command.problem(isPause: spot != nil) { return tell(problem) }
    switch command.name {
    case "continue", "step", "retry", "abort": leave(command.name)
    case "where": tellPlace()
    case "help": await help(argument)
    case "load": await need(argument, "a file: .load FILE") { await load($0) }
    case "save": await need(argument, "a file: .save FILE") { save($0) }
    case "edit": await edit(argument)
    case "show": await showAll(argument)
    case "history": history(argument)
    case "time": await time(argument)
    case "trace": trace(argument)
    case "target": await target(argument)
    case "project": await project(argument)
    case "people": await people()
    case "events": events(argument)
    case "journey" where spot != nil: writeIntoJourney(argument)
    case "journey": journey(argument)
    case "reset": await begin(at: wish)
    case "quit", "exit": isLeaving = true
    default: tell(command.unknown(isPause: spot != nil))
    }
  }

  private func need(
    _ argument: String, _ what: String, _ body: (String) async -> Void
  ) async {
    if argument.isEmpty { tell(PromptProblem("this needs \(what)")) } else { await body(argument) }
  }

  private func help(_ name: String) async {
    if name.isEmpty {
      board.write(PromptCommand.overview(isPause: spot != nil))
    } else {
      show(await session.explain(path: name))
    }
  }

  // MARK: Files

  func load(_ path: String) async {
    switch console.read(path) {
    case .success(let bytes):
      let script = Script(text: bytes, name: path, folder: nil)
      guard let text = String(validating: script.text, as: UTF8.self) else {
        return tell(PromptProblem("\(path.printable) is not UTF-8"))
      }
      await run(text, from: path)
    case .failure(let problem): tell(problem)
    }
  }

  private func save(_ path: String) {
    let (text, variables) = session.script
    guard !text.isEmpty else { return tell(PromptProblem("no entry has succeeded so far")) }
    guard write(text, to: path) else { return }
    board.note("written to \(path.printable)\n")
    guard !variables.isEmpty else { return }
    board.note("its secrets come from the environment: \(variables.joined(separator: ", "))\n")
  }

  private func journey(_ path: String) {
    let file = path.split(separator: "/").last.map(String.init) ?? "a session at the prompt"
    let bare = file.hasSuffix(".lua") ? String(file.dropLast(4)) : file
    let name = bare.hasSuffix("_journey") ? String(bare.dropLast(8)) : bare
    guard
      let text = session.journey(
        named: name.replacing("_", with: " ").replacing("-", with: " "))
    else { return tell(PromptProblem("no entry has succeeded so far")) }
    guard !path.isEmpty else { return board.write(text) }
    guard write(text, to: path) else { return }
    board.note("written to \(path.printable); luath test \(path.printable) runs it\n")
  }

  private func write(_ text: String, to path: String) -> Bool {
    if let problem = NewFile.write(text, to: console.whole(path)) {
      tell(
        PromptProblem(
          "cannot write \(path.printable): \(problem)",
          hint: problem == "file exists" ? "nothing is overwritten; name another file" : nil))
      return false
    }
    return true
  }

  private func edit(_ argument: String) async {
    guard console.isInteractive else {
      return tell(PromptProblem("an editor needs a terminal"))
    }
    let entry =
      argument.isEmpty
      ? session.entries.last : session.entries.first { String($0.number) == argument }
    guard argument.isEmpty || entry != nil else {
      return tell(PromptProblem("there is no entry \(argument.printable) in this session"))
    }
    let editor = OwnEditor(environment: console.environment)
    let text = entry?.text ?? ""
    switch await thread.perform({ editor.edit(text) }) {
    case .success(let edited):
      guard edited.contains(where: { !$0.isWhitespace }) else { return }
      board.write(edited.hasSuffix("\n") ? edited : edited + "\n")
      let bare = edited.hasSuffix("\n") ? String(edited.dropLast()) : edited
      settings.history?.add(bare)
      await run(bare)
    case .failure(let problem): tell(problem)
    }
  }

  // MARK: Results and entries

  private func showAll(_ entry: String) async {
    guard entry.isEmpty else { return await run(entry, isWhole: true) }
    session.columns = console.columns()
    switch await session.wholeResult() {
    case .shown([]): tell(PromptProblem("there is no result yet", hint: ".show ENTRY runs one"))
    case let outcome: show(outcome)
    }
  }

  private func history(_ argument: String) {
    let number = Int(argument)
    guard number.map({ $0 > 0 }) ?? true else {
      return tell(PromptProblem(".history takes a number from 1, or words"))
    }
    let all = earlier.map { (number: "", text: $0) } + session.history
    let found =
      number == nil && !argument.isEmpty
      ? all.filter { $0.text.contains(argument) } : Array(all.suffix(number ?? 20))
    guard !found.isEmpty else {
      return board.write(
        argument.isEmpty
          ? "there are no entries yet\n" : "no entry contains \(argument.printable)\n")
    }
    let width = found.map(\.number.count).max() ?? 0
    let margin = String(repeating: " ", count: width)
    for (number, text) in found {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      for (index, line) in lines.enumerated() {
        let lead = index == 0 ? margin.dropLast(number.count) + number : Substring(margin)
        board.write("\(lead)  \(String(line.map { $0 == "\t" ? " " : $0 }).printable)\n")
      }
    }
  }

  // MARK: Switches

  private func time(_ argument: String) async {
    switch argument {
    case "on": tellsTime = true
    case "off": tellsTime = false
    case "": board.note("time is \(tellsTime ? "on" : "off")\n")
    default: await run(argument, tellsTime: true)
    }
  }

  private func trace(_ argument: String) {
    switch argument {
    case "on": board.isTracing = true
    case "off": board.isTracing = false
    case "": board.note("trace is \(board.isTracing ? "on" : "off")\n")
    default: tell(PromptProblem(".trace takes on or off, not \(argument.printable)"))
    }
  }

  private func target(_ name: String) async {
    guard name.isEmpty else {
      return await begin(at: PromptWish(target: name, project: wish.project))
    }
    board.write("at \(place.words)\n")
    let others = place.context.targets.keys.sorted()
    if !others.isEmpty {
      board.write("the project file names \(others.joined(separator: ", "))\n")
    }
  }

  private func project(_ path: String) async {
    guard path.isEmpty else {
      return await begin(at: PromptWish(target: wish.target, project: path))
    }
    board.write("\(place.context.target.projectID), \(place.projectFile ?? "no project file")\n")
  }

  private func people() async {
    guard place.context.target.isEmulated else {
      return board.write("there are no test users: this is a real project\n")
    }
    let passwords = await place.testUsers().reduce(into: [:]) {
      $0[$1.email] = $1.password.reveal()
    }
    let people: [TestUser]
    do throws(PromptProblem) {
      people = try await session.people().map { TestUser($0, passwords: passwords) }
    } catch {
      return tell(error)
    }
    host.hide(people.compactMap(\.password))
    board.write(TestUser.table(people, showsPasswords: console.isInteractive))
    if people.isEmpty { board.write("there are no test users at \(place.words)\n") }
    if place.admitsAnyone {
      let password = ProjectConfiguration.demoPassword
      let given = console.isInteractive ? ", with the password \(password)" : ""
      board.write(
        "any other address works too\(given): its test user is created at its first sign-in\n")
    }
  }

  private func events(_ argument: String) {
    guard argument.isEmpty || Int(argument) != nil else {
      return tell(PromptProblem(".events takes the number of an entry, not \(argument.printable)"))
    }
    let events = board.events.filter { argument.isEmpty || String($0.entry) == argument }
    guard !events.isEmpty else { return board.write("there was no HTTP exchange\n") }
    for (entry, line) in events { board.write("[\(entry)] \(line)\n") }
  }
}
