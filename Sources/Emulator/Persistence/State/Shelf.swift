internal import Encoding

/// The place of one store in the state file: the store reports each change here at the moment it happens.
///
/// The changes of a request last from the commit before its answer on.
struct Shelf {
  let recorder: StateRecorder
  /// The name of the store's rows; it ends with a slash, so that no name begins another one.
  let collection: String

  func put(_ record: JSONObject, under key: String) {
    recorder.put(record, in: collection, key: key)
  }

  func remove(_ key: String) {
    recorder.remove(key, in: collection)
  }

  func removeAll() {
    recorder.removeAll(from: collection)
  }
}
