public import Client
public import HTTP
internal import IdentityToolkit

/// Lets the user open the page anywhere and paste its final URL.
public final class PasteDelegate: PageDelegate {
  private let terminal: SignInTerminal
  private let loop: EventLoop
  private let limit: Duration
  private let showsPicture: Bool

  /// Creates a delegate for a terminal.
  ///
  /// - Parameters:
  ///   - limit: the time limit of a sign-in.
  ///   - showsPicture: whether to show the URL as a QR code.
  public init(
    terminal: SignInTerminal, loop: EventLoop, limit: Duration = .seconds(300),
    showsPicture: Bool = true
  ) {
    self.terminal = terminal
    self.loop = loop
    self.limit = limit
    self.showsPicture = showsPicture
  }

  /// Shows the URL and returns the pasted one.
  public func present(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer {
    let slot = AnswerSlot(loop)
    let asking = LoopTask(on: loop) { [self] in
      do throws(AuthError) {
        slot.settle(.success(try await ask(request)))
      } catch {
        slot.settle(.failure(error))
      }
    }
    let timedOut = AuthError(
      .webContextTimedOut, "no address was pasted in time",
      hint: "give the person more time with ui.paste{ timeout = … }")
    let outcome: Result<PageAnswer, AuthError>
    do throws(AuthError) {
      outcome = .success(try await slot.answer(within: limit, orElse: timedOut))
    } catch {
      outcome = .failure(error)
    }
    await asking.end()
    return try outcome.get()
  }

  /// Shows the URL and asks for the final one, without a time limit.
  func ask(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer {
    guard terminal.takeTurn() else {
      throw AuthError(
        .webContextAlreadyPresented, "another sign-in asks for an address at the terminal",
        hint: "let the people paste one after the other")
    }
    defer { terminal.endTurn() }
    terminal.write(
      """
      luath: open the sign-in page of \(request.providerID), on whatever device:

        \(request.url)

      \(picture(of: request.url))Then paste the address the browser ends at, whatever is shown there. It begins with
        \(request.redirectURI)

      """)
    return try await PasteConversation(terminal: terminal, request: request).answer()
  }

  private func picture(of url: WebURL) -> String {
    guard showsPicture, let columns = terminal.columns, let code = QRCode(url.description),
      code.columns <= columns
    else { return "" }
    return code.lines.map { $0 + "\n" }.joined() + "\n"
  }
}
