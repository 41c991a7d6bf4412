internal import System

/// A store's collection in the state file, to which the store reports each change at once.
///
/// The changes of a request become durable with the commit before its response.
struct CollectionWriter {
  let recorder: StateRecorder
  /// The name of the collection; it ends with a slash, so that no name is a prefix of another.
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
