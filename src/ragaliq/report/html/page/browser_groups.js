// Failures of the selection, counted by the stage that lost the points, the language and the question's type.

const unfolded = new Set();

/** Return the table of failures, or null if there are none. */
function failureGroups(selection, params) {
  const [langs, causes, types] = ["lang", "cause", "type"].map((id) => facets().find((facet) => facet.id === id));
  const kept = causes.values.length - 1;
  const width = langs.values.length;
  const counts = new Int32Array(kept * types.values.length * width);
  for (const index of selection.indexes) {
    const cause = causes.codes[index];
    if (cause < kept) counts[(cause * types.values.length + types.codes[index]) * width + langs.codes[index]] += 1;
  }
  const lines = causes.values.slice(0, kept).map((cause, place) => {
    const byType = types.values.map((type, at) => {
      const start = (place * types.values.length + at) * width;
      return { type, counts: [...counts.subarray(start, start + width)] };
    }).filter(({ counts: row }) => row.some(Boolean));
    return { cause, byType, counts: langs.values.map((_, lang) => byType.reduce((sum, row) => sum + row.counts[lang], 0)) };
  }).filter(({ byType }) => byType.length);
  if (!lines.length) return null;
  const shown = langs.values.map((_, lang) => lang).filter((lang) => lines.some((line) => line.counts[lang]));
  const most = Math.max(...lines.flatMap((line) => line.counts));
  const table = { params, langs: langs.values, shown, most };
  const body = lines.flatMap((line) => causeRows(line, table));
  const total = lines.reduce((sum, line) => sum + sumOf(line.counts), 0);
  return el("details", { class: "card groups", id: "groups", open: failureGroups.open ?? true, ontoggle: (event) => { failureGroups.open = event.target.open; } },
    el("summary", {}, el("span", { class: "heading", text: "Failures by cause" }), ` ${many(total, "answer")} of ${count.format(selection.indexes.length)} with a cause or without a grade`),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Failures by cause and language" },
      el("table", { class: "numbers" },
        el("thead", {}, el("tr", {}, el("th", { scope: "col", text: "Points lost at" }),
          shown.map((lang) => el("th", { scope: "col" }, languageHead(langs.values[lang]))), shown.length > 1 ? el("th", { scope: "col", text: "All" }) : null)),
        el("tbody", {}, body))));
}

// A language's name; its code where the screen is narrow.
function languageHead({ id, name }) {
  return [el("span", { class: "wide", text: name }), el("abbr", { class: "narrow", title: name, text: id })];
}

function causeRows(line, table) {
  const { id, name, meaning } = line.cause;
  const open = unfolded.has(id);
  const types = line.byType.map((row) => el("tr", { class: "type", hidden: !open },
    el("th", { scope: "row", text: row.type.name }), numbers(row.counts, table, { cause: [id], type: [row.type.id] })));
  const fold = el("button", {
    type: "button", class: "unfold", id: "unfold-" + id, "aria-expanded": String(open), "aria-label": `${name}: show question types`,
    onclick: (event) => {
      const now = !unfolded.delete(id);
      if (now) unfolded.add(id);
      event.currentTarget.setAttribute("aria-expanded", String(now));
      for (const row of types) row.hidden = !now;
    },
  });
  return [el("tr", {}, el("th", { scope: "row", title: meaning }, fold, swatch(line.cause), name), numbers(line.counts, table, { cause: [id] })), ...types];
}

function numbers(counts, { params, langs, shown, most }, filters) {
  const link = (n, more) => el("td", { class: n ? "heat-" + Math.ceil(4 * n / most) : "nothing" },
    n ? el("a", { href: address("items", { ...selectionOf(params), ...filters, ...more }), text: count.format(n) }) : "·");
  return [...shown.map((lang) => link(counts[lang], { lang: [langs[lang].id] })),
    ...(shown.length > 1 ? [el("td", {}, el("a", { href: address("items", { ...selectionOf(params), ...filters }), text: count.format(sumOf(counts)) }))] : [])];
}

const sumOf = (counts) => counts.reduce((sum, n) => sum + n, 0);

/** Return how many sentences of an answer the context supports, in words; null if they were not checked. */
function supportText({ supported }) {
  return supported === null ? null : `${percent(supported)} of its sentences supported`;
}

/** Return a grade as a digit with its colour. */
function gradeMark(item) {
  if (!item.answerable) {
    const text = item.abstained ? "no answer, rightly" : "answered, wrongly";
    return el("span", { class: "grade", title: "The question cannot be answered from the knowledge base." },
      el("span", { class: "sign " + (item.abstained ? "right" : "wrong"), "aria-hidden": "true", text: item.abstained ? "✓" : "✗" }),
      el("span", { class: "unseen", text }));
  }
  if (item.grade === null) return el("span", { class: "grade", title: item.verdict }, el("span", { "aria-hidden": "true", text: NOTHING }), el("span", { class: "unseen", text: "no grade" }));
  return el("span", { class: "grade", title: gradeMeaning(item.grade) },
    gradeSwatch(item.grade), el("span", { class: "unseen", text: "grade " }), String(item.grade));
}
