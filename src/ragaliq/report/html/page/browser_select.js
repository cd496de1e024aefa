// Which items a selection holds: one pass over the columns, and one over the texts for each word searched.

const EXTRA_CAUSES = [
  { id: "answered_unanswerable", name: "answered the unanswerable", meaning: "The question has no answer in the knowledge base, and the system did not say so." },
  { id: "no_grade", name: "no grade", meaning: "There is no answer, the judge gave it no grade, or it is not judged yet." },
  { id: "no_cause", name: "cause not known", meaning: "The run does not say which stage lost the points." },
  { id: "none", name: "nothing lost", meaning: "Full marks, or rightly no answer." },
];
const SUPPORTS = [
  { id: "full", name: "all supported", meaning: "The context supports every sentence of the answer." },
  { id: "part", name: "not all supported", meaning: "At least one sentence of the answer is not fully supported by the context." },
  { id: "unchecked", name: "not checked", meaning: "The sentences of the answer were not checked, or state nothing that could be." },
];
const UNGRADED = 6;
let last = { key: null, items: null, selection: null };

/** Return the filters, each with its values, their names, and the value of each item. */
function facets() {
  const { items, overview } = page;
  if (items.facets) return items.facets;
  const { columns, queries } = items;
  const types = [...new Set(queries.map((query) => query.type))].sort();
  const typeOf = new Map(types.map((type, place) => [type, place]));
  const causes = [...overview.stages, ...EXTRA_CAUSES];
  const same = (names) => names.map((name) => ({ id: name, name }));
  const grades = [5, 4, 3, 2, 1, 0].map((grade) => ({ id: String(grade), name: gradeMeaning(grade).split(/[.:;]/u)[0], meaning: gradeMeaning(grade), grade }));
  items.facets = [
    { id: "system", title: "System", values: same(overview.systems.map((one) => one.name)), codes: columns.system },
    { id: "lang", title: "Language", values: overview.languages.map(({ code, name }) => ({ id: code, name })), codes: columns.lang },
    { id: "grade", title: "Grade", values: [...grades, { id: "none", name: "No grade", meaning: "The answer has no grade, or the question is not answerable.", grade: null }],
      codes: columns.grade.map((grade) => (grade < 0 ? UNGRADED : 5 - grade)) },
    { id: "cause", title: "Points lost at", values: causes, codes: causeCodes(items, new Map(causes.map(({ id }, place) => [id, place]))) },
    { id: "support", title: "Support", values: SUPPORTS, codes: Int16Array.from(columns.supported, (share) => (share < 0 ? 2 : share < 1 ? 1 : 0)) },
    { id: "outcome", title: "Outcome", values: same(items.outcomes), codes: columns.outcome },
    { id: "type", title: "Question type", values: types.map((type) => ({ id: type || "-", name: type || "not known" })), codes: Int16Array.from(columns.query, (place) => typeOf.get(queries[place].type)) },
  ];
  return items.facets;
}

function causeCodes({ columns, queries, n }, places) {
  // A run without a waterfall has no cause anywhere.
  const traced = new Set();
  for (let index = 0; index < n; index += 1) if (columns.cause[index] >= 0) traced.add(columns.system[index]);
  return Int16Array.from({ length: n }, (_, index) => {
    if (!queries[columns.query[index]].answerable) return places.get(columns.abstained[index] ? "none" : "answered_unanswerable");
    if (columns.grade[index] === 5) return places.get("none");
    if (columns.grade[index] < 0) return places.get("no_grade");
    return columns.cause[index] >= 0 ? columns.cause[index] : places.get(traced.has(columns.system[index]) ? "unknown" : "no_cause");
  });
}

/** Return the items that the filters let through, in order, and how many each value of each filter would. */
function select(params) {
  const key = JSON.stringify(selectionOf(params));
  if (last.key === key && last.items === page.items) return last.selection;
  const all = facets();
  const codes = all.map((facet) => facet.codes);
  const allowed = all.map(({ id, values }) => params[id] && Uint8Array.from(values, (value) => params[id].includes(value.id)));
  const counts = all.map(({ values }) => new Int32Array(values.length));
  const terms = termsOf(params);
  const hits = searched(terms);
  const indexes = [];
  for (let index = 0; index < page.items.n; index += 1) {
    if (hits && !hits[index]) continue;
    let missed = 0, which = -1;
    for (let place = 0; place < codes.length && missed < 2; place += 1) {
      if (allowed[place] && !allowed[place][codes[place][index]]) { missed += 1; which = place; }
    }
    if (missed === 0) {
      indexes.push(index);
      for (let place = 0; place < codes.length; place += 1) counts[place][codes[place][index]] += 1;
    } else if (missed === 1) counts[which][codes[which][index]] += 1;
  }
  const selection = { indexes: sorted(indexes, params.sort), counts, terms };
  last = { key, items: page.items, selection };
  return selection;
}

/** Return the words of a search, folded. */
const termsOf = ({ q = "" }) => fold(q).split(/\s+/u).filter(Boolean);

/** Return which items hold every word in their question, reference, answer or ids; null without words. */
function searched(terms) {
  if (!terms.length) return null;
  const { columns, texts, folded, foldedIds, n } = page.items;
  for (let place = 0; place < texts.length; place += 1) folded[place] ??= fold(texts[place]);
  const systems = page.overview.systems.map((one) => fold(one.name));
  const hits = new Uint8Array(n).fill(1);
  for (const term of terms) {
    const inText = Uint8Array.from(folded, (text) => text.includes(term));
    const inId = Uint8Array.from(foldedIds, (id) => id.includes(term));
    const inSystem = Uint8Array.from(systems, (name) => name.includes(term));
    for (let index = 0; index < n; index += 1) {
      hits[index] &= inText[columns.question[index]] | inText[columns.reference[index]] | inText[columns.answer[index]]
        | inId[columns.query[index]] | inSystem[columns.system[index]];
    }
  }
  return hits;
}

const SORTS = {
  "": { name: "Language, then question" },
  grade: { name: "Worst first", key: ({ grade }, index) => weightOf(grade[index]) ?? 9 },
  "-grade": { name: "Best first", key: ({ grade }, index) => -(weightOf(grade[index]) ?? -9) },
  supported: { name: "Least supported first", key: ({ supported }, index) => (supported[index] < 0 ? 9 : supported[index]) },
  query: { name: "Question, then language", key: ({ query }, index) => query[index] },
  system: { name: "System", key: ({ system }, index) => system[index] },
};

// No answer (0) is worth more than a wrong one (1).
const weightOf = (grade) => page.overview.grades.find((one) => one.grade === grade)?.weight;

function sorted(indexes, sort = "") {
  const key = SORTS[sort]?.key;
  if (!key) return indexes;
  const keys = new Float64Array(page.items.n);
  for (const index of indexes) keys[index] = key(page.items.columns, index);
  // Equal items keep the order of the data.
  return indexes.sort((a, b) => keys[a] - keys[b] || a - b);
}
