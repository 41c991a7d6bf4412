internal import System
internal import HTTP
internal import IdentityToolkit

extension RequestRouter {
  /// The response to a request that has faults.
  func finish(_ call: Call, _ backend: Backend, struckBy strike: Faults.Strike) async
    -> ServerResponse
  {
    if strike.milliseconds > 0 {
      // Stopping the loop ends the wait early; any response is fine then.
      try? await loop.sleep(for: .microseconds(Int64(strike.milliseconds * 1000)))
    }
    context.clock.advance(bySeconds: strike.advancesClock)
    if strike.revokesTokens { backend.revokeTokens(ofTheBearerOf: call) }
    var response = ServerResponse(status: 503)
    var delivery = strike.delivery
    if strike.isCarriedOut {
      response = await answer(call, backend)
    } else if strike.error == nil {
      // There is no response to cut.
      delivery = .drop
    }
    if let error = strike.error {
      response = error.response(for: call, retryAfter: strike.retryAfter)
    }
    response.delivery = delivery
    return response
  }

  private func answer(_ call: Call, _ backend: Backend) async -> ServerResponse {
    do throws(Refusal) {
      if let body = try backend.perform(call) { return response(body) }
    } catch {
      return Self.response(error, call.errors)
    }
    return await finish(call, backend)
  }

  // MARK: Controls

  /// `GET`, `PUT`, `POST` and `DELETE` of `/emulator/v1/faults`.
  func answerFaults(_ method: String, _ body: JSON) throws(Refusal) -> JSON {
    switch method {
    case "PUT", "POST":
      do throws(ConfigurationError) {
        let plan = try FaultPlan(json: body)
        context.faults = Faults(plan.faults, seed: plan.seed)
      } catch {
        throw .invalidArgument(Backend.printable(error.description))
      }
    case "DELETE": context.faults = Faults()
    default: break
    }
    return context.faults.json
  }
}

extension Backend {
  /// Ends every session of the account whose token a request has, as an administrator would.
  fileprivate func revokeTokens(ofTheBearerOf call: Call) {
    var uid: String?
    if let token = call.fields.text("idToken") {
      uid = UnsignedToken.claims(of: token)?["user_id"]?.string
    } else if let token = call.fields.text("refreshToken") {
      if case .alive(let owner, _) = sessions.state(of: token) { uid = owner }
      uid = uid ?? ReadableRefreshToken(token)?.uid
    }
    guard let uid, var account = accounts[uid: uid] else { return }
    account.revokeTokens(now: now)
    accounts.save(&account)
  }
}
