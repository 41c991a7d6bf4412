/// Writes random tables, and beside each what Python's own readers read in it.
let pythonScript = #"""
  import csv, gzip, io, json, os, random, sys

  folder, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
  chance = random.Random(seed)
  csv.field_size_limit(1 << 30)

  TEXTS = ["", "a", "ada@example.com", "say \"hi\"", "\"", "\"\"", ",", ";", "\t", "x,y", "\r\n", "\n", "\r",
           "line one\nline two", " padded ", "\u00e9", "\U0001f600", "e\u0301", "\u2028", "=1+1", "'", "\\",
           "0123456789" * 30]

  def text():
      return "".join(chance.choice(TEXTS) for _ in range(chance.choice([0, 1, 1, 1, 2, 3])))

  def value(depth=0):
      kind = chance.randrange(9 if depth < 3 else 6)
      if kind < 2: return text()
      if kind == 2: return chance.choice([0, -1, 7, 2**53 + 1, -2**63, 2**63 - 1])
      if kind == 3: return chance.choice([0.5, -1e300, 1.5e-7, 3.0])
      if kind == 4: return chance.choice([True, False])
      if kind == 5: return None
      if kind < 8: return {text(): value(depth + 1) for _ in range(chance.randrange(4))}
      return [value(depth + 1) for _ in range(chance.randrange(4))]

  def path(name):
      return os.path.join(folder, name)

  def save(name, data):
      if chance.random() < 0.2:
          data = gzip.compress(data)
      with open(path(name), "wb") as file:
          file.write(data)

  def expect(name, value):
      with open(path(name), "w", encoding="utf-8") as file:
          json.dump(value, file)

  def read_table(data, delimiter):
      """The rows as lists with the lines where they begin, and whether all could be read."""
      reader = csv.reader(io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", newline=""),
                          delimiter=delimiter, strict=True)
      rows, line = [], 1
      try:
          for row in reader:
              if row:
                  rows.append({"line": line, "values": row})
              line = reader.line_num + 1
      except csv.Error:
          return rows, False
      return rows, True

  def table(number):
      delimiter = chance.choice(",,,;\t")
      columns = ["c%s" % letter for letter in "abcde"[:chance.randint(1, 5)]]
      out = io.StringIO()
      if chance.random() < 0.5:
          writer = csv.writer(out, delimiter=delimiter, lineterminator=chance.choice(["\n", "\r\n"]),
                              quoting=chance.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
          writer.writerow(columns)
          for _ in range(chance.randrange(40)):
              writer.writerow([text() for _ in columns])
      else:
          out.write(delimiter.join(columns) + chance.choice(["\n", "\r\n", "\r"]))
          noise = "ab\u00e9 " * 3 + delimiter * 6 + '"' * chance.choice([0, 1, 4]) + "\n\n\r"
          for _ in range(chance.randrange(300)):
              out.write(chance.choice(noise))
      data = out.getvalue().encode()
      if chance.random() < 0.2:
          data = b"\xef\xbb\xbf" + data
      save("t%d.csv" % number, data)
      rows, isWhole = read_table(data, delimiter)
      expect("t%d.expected" % number, {"columns": columns, "delimiter": ord(delimiter), "rows": rows[1:],
                                       "isWhole": isWhole})

  def objects(number):
      rows = [{text(): value() for _ in range(chance.randrange(5))} for _ in range(chance.randrange(30))]
      ascii = chance.random() < 0.5
      lines = "".join(json.dumps(row, ensure_ascii=ascii) + chance.choice(["\n", "\r\n", "\n\n"]) for row in rows)
      save("o%d.ndjson" % number, (lines or "\n").encode())
      array = json.dumps(rows, ensure_ascii=ascii, indent=chance.choice([None, 0, 2]))
      save("o%d.json" % number, array.encode())
      expect("o%d.expected" % number, rows)

  for number in range(count):
      table(number)
      objects(number)
  """#
