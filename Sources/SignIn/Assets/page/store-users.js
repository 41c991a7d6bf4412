async users => {
  const here = users.filter(({ origin }) => origin === location.origin);
  if (!here.length) {
    const origins = [...new Set(users.map(({ origin }) => origin))].join(", ");
    throw new Error(`the page is of ${location.origin}, and the users are for ${origins}`);
  }
  const name = "firebaseLocalStorage";
  const inDatabase = change => new Promise((resolve, reject) => {
    const opening = indexedDB.open("firebaseLocalStorageDb", 1);
    opening.onupgradeneeded = () =>
      opening.result.createObjectStore(name, { keyPath: "fbase_key" });
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      const end = (finish, value) => { database.close(); finish(value); };
      try {
        const transaction = database.transaction(name, "readwrite");
        transaction.oncomplete = () => end(resolve);
        transaction.onabort = () => end(reject, transaction.error);
        change(transaction.objectStore(name));
      } catch (error) { end(reject, error); }
    };
  });
  for (const { key, persistence, value } of here) {
    // The SDK takes the first user that it finds, so older ones are removed everywhere.
    await inDatabase(records => persistence === "indexedDB"
      ? records.put({ fbase_key: key, value }) : records.delete(key)).catch(error => {
      if (persistence === "indexedDB")
        throw new Error(`IndexedDB does not store the user, so use another persistence: ${error.message}`);
    });
    const areas = { local: () => localStorage, session: () => sessionStorage };
    for (const area of Object.keys(areas)) {
      if (area === persistence) areas[area]().setItem(key, JSON.stringify(value));
      else areas[area]().removeItem(key);
    }
  }
  return here.length;
}
