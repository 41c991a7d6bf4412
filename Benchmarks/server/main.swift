// The server side of the benchmark: luath's HTTP server with a fixed JSON answer under `/fixed` and one
// that reads its request as JSON and answers from it under `/parsed`. Prints its port; ends when its
// input ends. `codec` as argument measures the JSON and base 64 codecs instead and prints nanoseconds.
import System
import Glibc
import HTTP

// As long as what `emulator/floor.c` answers.
let fixed =
  Array("{\"idToken\":\"".utf8) + [UInt8](repeating: 0x61, count: 1086) + Array("\"}".utf8)

@Sendable func answer(_ request: HTTPRequest) -> Answer {
  switch request.url.path {
  case "/fixed":
    return .now(ServerResponse(headers: ["Content-Type": "application/json"], body: fixed))
  case "/parsed":
    guard let json = try? request.json(), let email = json["email"]?.string else {
      return .now(ServerResponse(status: 400))
    }
    return .now(
      ServerResponse(json: [
        "kind": "identitytoolkit#SignupNewUserResponse", "email": .string(email),
        "localId": "s8yVbqvFBkVQhBTlQtSwoXZnLyyl", "expiresIn": "3600",
      ]))
  default: return .now(ServerResponse(status: 404))
  }
}

if CommandLine.arguments.dropFirst().first == "codec" {
  measureCodecs()
} else {
  let loop = try EventLoop(name: "server")
  let server = try HTTPServer(loop: loop, handler: answer)
  // Not through a buffer: the benchmark waits for it.
  let line = Array("\(server.port)\n".utf8)
  _ = write(STDOUT_FILENO, line, line.count)
  try loop.start()
  while getchar() != EOF {}
  loop.stop()
  loop.join()
}
