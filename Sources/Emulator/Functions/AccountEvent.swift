/// What background functions hear of.
enum AccountEvent: String {
  case create
  case delete
}
