public enum TargetOptions {
  public static let options = [
    Option(
      "target", "NAME", "emulator, emulator:HOST:PORT, firebase, or a target of the project file"),
    Option(
      "config", "FILE",
      "the app's configuration for firebase: its plist, google-services.json or firebaseConfig"),
    Option("project", "FILE", "the project file; otherwise the nearest luath.lua"),
  ]
}
