import Glibc
import Host

/// The script that runs before the first entry of a session.
enum StartFile {
  /// Why the file must not run, as other users who can write it could run code as this user; nil when it may run.
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

  /// The path of the first start file that exists; nil when there is none.
  static func find(_ environment: [String: String]) -> String? {
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    // The XDG Base Directory Specification requires that relative paths are ignored.
    let settings =
      environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? home.map { "\($0)/.config" }
    let places = [settings.map { "\($0)/luath/init.lua" }, home.map { "\($0)/.luathrc.lua" }]
    return places.compactMap(\.self).first { access($0, F_OK) == 0 }
  }
}
