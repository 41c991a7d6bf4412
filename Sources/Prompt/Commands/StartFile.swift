import Glibc
import Scripting

/// The script that runs before the first text of a session.
enum StartFile {
  /// Why it must not run: whoever can write it runs what they like as this user.
  static func problem(of path: String) -> PromptProblem? {
    var facts = stat()
    guard stat(path, &facts) == 0 else {
      return PromptProblem("cannot read \(path.printable): \(NewFile.words(errno))")
    }
    guard facts.st_uid == getuid() || facts.st_uid == 0 else {
      return PromptProblem(
        "\(path.printable) is not run, as it belongs to another user", hint: "chown or remove it")
    }
    guard facts.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
      return PromptProblem(
        "\(path.printable) is not run, as others can write it", hint: "chmod go-w it")
    }
    return nil
  }

  /// The first of the places where it may be; nil when there is none.
  static func find(_ environment: [String: String]) -> String? {
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    // The XDG Base Directory Specification: relative paths are to be ignored.
    let settings =
      environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? home.map { "\($0)/.config" }
    let places = [settings.map { "\($0)/luath/init.lua" }, home.map { "\($0)/.luathrc.lua" }]
    return places.compactMap(\.self).first { access($0, F_OK) == 0 }
  }
}
