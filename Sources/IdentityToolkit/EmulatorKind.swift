import System
public import HTTP

/// The emulators of Firebase Auth.
public enum EmulatorKind: String, Sendable {
  /// luath's own, with any rules.
  case luath
  /// The emulator of Firebase's command line tools.
  case firebase

  /// Determines which emulator runs at a URL; nil when it is neither.
  ///
  /// The two have the same API. Only luath's has a clock that can be moved.
  public static func detect(
    at emulator: WebURL, over transport: any Transport
  ) async throws(HTTPError) -> EmulatorKind? {
    guard let url = WebURL(emulator.origin + "/emulator/v1/clock") else { return nil }
    let response = try await transport.send(
      HTTPRequest(url: url, headers: ["Authorization": "Bearer owner"]))
    let answer = (try? response.json()) ?? .null
    if response.status == 200, answer["advancedSeconds"] != nil { return .luath }
    let isUnknownPath =
      response.status == 404 && answer["error"]?["status"]?.string == "NOT_FOUND"
    return isUnknownPath ? .firebase : nil
  }
}
