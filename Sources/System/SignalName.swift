import Glibc

/// The names of signals (signal(7)), without `SIG`.
public enum SignalName {
  /// The numbers by name, such as `TERM`.
  public static let numbers: [String: Int32] = [
    "TERM": SIGTERM, "INT": SIGINT, "HUP": SIGHUP, "QUIT": SIGQUIT, "KILL": SIGKILL,
    "USR1": SIGUSR1, "USR2": SIGUSR2, "STOP": SIGSTOP, "TSTP": SIGTSTP, "CONT": SIGCONT,
    "TTIN": SIGTTIN, "TTOU": SIGTTOU, "WINCH": SIGWINCH, "PIPE": SIGPIPE, "ALRM": SIGALRM,
    "ABRT": SIGABRT, "SEGV": SIGSEGV, "BUS": SIGBUS, "ILL": SIGILL, "FPE": SIGFPE,
    "XCPU": SIGXCPU,
  ]

  /// A signal for messages, such as `SIGTERM`.
  public static func text(_ signal: Int32) -> String {
    numbers.first { $0.value == signal }.map { "SIG\($0.key)" } ?? "signal \(signal)"
  }
}
