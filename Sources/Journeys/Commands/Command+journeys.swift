public import Host

extension Command {
  /// `luath run`.
  public static let run = Command(RunCommand.description, RunCommand.run)
  /// `luath test`.
  public static let test = Command(TestCommand.description, TestCommand.run)
  /// `luath load`.
  public static let load = Command(LoadCommand.description, LoadCommand.run)
  /// `luath report`.
  public static let report = Command(ReportCommand.description, ReportCommand.run)
}
