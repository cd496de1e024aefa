// The page's data: the overview at once, the items after it, details and chunks when they are looked at.

const page = { overview: JSON.parse($("overview").textContent), items: null, blocks: new Map(), source: null };
const KEPT_BLOCKS = 12;

/** Return the JSON of a compressed block. */
async function decode(id) {
  // `view` sends the blocks of a run under way anew; a file holds its own.
  const text = page.source ? page.source[id] : $(id).textContent;
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place += 1) bytes[place] = binary.charCodeAt(place);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

/** Read the items, and prepare what filters and search go through. */
async function loadItems() {
  const items = await decode("items");
  const { columns } = items;
  items.n = columns.system.length;
  for (const name of ["system", "lang", "outcome", "verdict", "grade", "cause", "abstained"]) {
    columns[name] = Int16Array.from(columns[name]);
  }
  for (const name of ["query", "question", "reference", "answer"]) columns[name] = Int32Array.from(columns[name]);
  // Scores count answerable questions alone; the others are right or wrong by whether they are answered.
  for (let index = 0; index < items.n; index += 1) if (!items.queries[columns.query[index]].answerable) columns.grade[index] = -1;
  items.folded = new Array(items.texts.length).fill(null);
  items.foldedIds = items.queries.map((query) => fold(query.query_id));
  items.places = null;
  page.items = items;
  page.blocks.clear();
  foldInIdleTime(items);
}

function foldInIdleTime(items) {
  const later = window.requestIdleCallback || ((work) => setTimeout(() => work({ timeRemaining: () => 8 }), 30));
  let next = 0;
  const work = (idle) => {
    while (next < items.texts.length && idle.timeRemaining() > 2) {
      for (const end = Math.min(next + 20, items.texts.length); next < end; next += 1) items.folded[next] ??= fold(items.texts[next]);
    }
    if (next < items.texts.length && page.items === items) later(work);
  };
  later(work);
}

/** Return one item with its texts and names. */
function itemAt(index) {
  const { columns, texts, queries, outcomes, verdicts } = page.items;
  const { systems, languages, stages } = page.overview;
  const query = queries[columns.query[index]];
  return {
    index, ...query, system: systems[columns.system[index]].name, lang: languages[columns.lang[index]].code,
    language: languages[columns.lang[index]].name, grade: columns.grade[index] < 0 ? null : columns.grade[index],
    outcome: outcomes[columns.outcome[index]] ?? "", verdict: verdicts[columns.verdict[index]] ?? "not judged yet",
    cause: stages[columns.cause[index]] ?? null, supported: columns.supported[index] < 0 ? null : columns.supported[index],
    abstained: columns.abstained[index] === 1, question: texts[columns.question[index]],
    reference: texts[columns.reference[index]], answer: texts[columns.answer[index]],
  };
}

/** Return the place of an item, or -1. */
function placeOf(system, lang, query) {
  const { columns, queries } = page.items;
  if (!page.items.places) {
    page.items.places = new Map();
    for (let index = 0; index < page.items.n; index += 1) {
      page.items.places.set(`${columns.system[index]} ${columns.lang[index]} ${queries[columns.query[index]].query_id}`, index);
    }
  }
  const systemPlace = page.overview.systems.findIndex((one) => one.name === system);
  const langPlace = page.overview.languages.findIndex((one) => one.code === lang);
  return page.items.places.get(`${systemPlace} ${langPlace} ${query}`) ?? -1;
}

/** Return what the page knows of an item beyond the columns. */
const detailOf = (index) => entryOf("details", "items", index);

/** Return a chunk: its document, its language and its text. */
const chunkOf = (number) => entryOf("chunks", "chunks", number);

async function entryOf(kind, field, place) {
  const block = page.overview.blocks[kind].find(({ first, n }) => place >= first && place < first + n);
  if (!block) return null;
  if (!page.blocks.has(block.id)) page.blocks.set(block.id, decode(block.id));
  const pending = page.blocks.get(block.id);
  // The block that was used last stays longest.
  page.blocks.delete(block.id);
  page.blocks.set(block.id, pending);
  if (page.blocks.size > KEPT_BLOCKS) page.blocks.delete(page.blocks.keys().next().value);
  return (await pending)[field][place - block.first] ?? null;
}

const gradeMeaning = (grade) => page.overview.grades.find((one) => one.grade === grade)?.meaning ?? "";
