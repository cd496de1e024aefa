// The selection as a file.

const EXPORTED = ["system", "lang", "query_id", "type", "difficulty", "answerable", "grade", "outcome", "verdict", "cause",
  "supported", "abstained", "question", "reference", "answer"];

/** Hand out the selection as JSON lines. */
function exportJsonl(indexes) {
  download("items.jsonl", "application/jsonl", indexes.map((index) => JSON.stringify(exported(index)) + "\n").join(""));
}

/** Hand out the selection as CSV that a spreadsheet opens without running anything. */
function exportCsv(indexes) {
  const rows = indexes.map((index) => { const row = exported(index); return EXPORTED.map((name) => cell(row[name])).join(","); });
  // The mark at the start tells spreadsheets that the file is UTF-8.
  download("items.csv", "text/csv", "\ufeff" + [EXPORTED.join(","), ...rows].map((row) => row + "\r\n").join(""));
}

function exported(index) {
  const item = itemAt(index);
  return Object.fromEntries(EXPORTED.map((name) => [name, name === "cause" ? item.cause?.id ?? null : item[name]]));
}

function cell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return String(value);
  // A spreadsheet takes a text that starts like this for a formula; so it does in the wide forms of these signs.
  const safe = /^\s*[=+\-@\t\r＝＋－＠]/u.test(value) ? "'" + value : value;
  return `"${safe.replaceAll('"', '""')}"`;
}
