/// The events that trigger background functions.
enum AccountEvent: String {
  case create
  case delete
}
