import System

/// The environment variables by which Firebase's SDKs and tools find an emulator.
public enum EmulatorVariables {
  /// Adds the variables that `firebase emulators:exec` sets for the Auth emulator.
  ///
  /// - Parameters:
  ///   - environment: The variables so far; `FIREBASE_CONFIG` is kept.
  ///   - address: HOST:PORT of the emulator.
  ///   - project: The id of the emulated project.
  public static func added(
    to environment: [String: String], address: String, project: String
  ) -> [String: String] {
    var variables = environment
    variables["FIREBASE_AUTH_EMULATOR_HOST"] = address
    variables["GCLOUD_PROJECT"] = project
    guard variables["FIREBASE_CONFIG"] == nil else { return variables }
    let config: JSON = [
      "projectId": .string(project), "storageBucket": .string("\(project).appspot.com"),
      "databaseURL": .string("https://\(project).firebaseio.com"),
    ]
    variables["FIREBASE_CONFIG"] = config.encoded()
    return variables
  }
}
