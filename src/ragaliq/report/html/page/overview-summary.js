// The summary table: one row a system, one column a language.

function summarySection(overview, navigate) {
  const { systems, languages } = overview;
  const pooled = languages.length > 1 && overview.pooled.length > 0;
  const some = (pick) => systems.some((system) => pick(system) !== null && pick(system) !== undefined);
  const cellOf = (system) => system.all ?? (languages.length === 1 ? system.by_lang[languages[0].code] : null);
  const extra = [
    { name: "Abstention F1", of: (system) => thousandths(cellOf(system)?.abstention?.f1), there: (system) => cellOf(system)?.abstention?.f1 },
    { name: "Supported", of: (system) => percent(cellOf(system)?.supported?.value), there: (system) => cellOf(system)?.supported?.value },
    { name: "Time", of: (system) => duration(system.seconds), there: ({ seconds }) => seconds },
    { name: "USD", of: (system) => dollars(system.cost), there: ({ cost }) => cost },
  ].filter(({ there }) => some(there));
  const columns = [...(pooled ? [null] : []), ...languages];
  const cellIn = (system, language) => (language ? system.by_lang[language.code] : system.all);
  // The number of graded answers: in the head of a column where all systems have the same, else in the cells.
  const counts = columns.map((language) => [...new Set(systems.map((system) => cellIn(system, language)).filter(Boolean).map(({ n }) => n))]);
  // Where the screen is narrow, a system is a block of lines, each with its label.
  const labels = columns.map((language, at) => scopeTitle(overview, language) + (counts[at].length === 1 ? `, n ${counts[at][0]}` : ""));
  const head = [el("th", { scope: "col", class: "left", text: "System" }),
    ...columns.map((language, at) => el("th", { scope: "col" }, scopeTitle(overview, language),
      counts[at].length === 1 ? el("small", { text: `n ${counts[at][0]}` }) : "")),
    ...extra.map(({ name }) => el("th", { scope: "col", text: name }))];
  const rows = systems.map((system) => el("tr", {},
    el("th", { scope: "row", class: "left" }, el("span", { class: "system" }, nameOf(system.name)), partsLine(system)),
    ...columns.map((language, at) => scoreCell(overview, system, language, navigate,
      { label: labels[at], counted: counts[at].length > 1, first: systems.length > 1 })),
    ...extra.map(({ name, of }) => el("td", { "data-label": name, text: of(system) }))));
  const table = el("table", { class: "figures summary" }, el("caption", { class: "sr-only", text: "Systems by language" }),
    el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows));
  return section("Summary", "Weighted score (0 to 1) ± half of its 95 % interval, and the ranks that the data allow. " +
    `${systems.length > 1 ? "Bold: certainly the best in this column. " : ""}Time and cost (USD) are per query. A score opens its answers.`, el("div", { class: "card" }, scrollBox("Summary table", table)));
}

// What a system is made of, as far as its name does not say it.
function partsLine({ name, embedder, reranker, retriever, reader, kb_lang: kbLang }) {
  const parts = [retriever, embedder, reranker, reader].filter((part) => part && part !== "none" && part !== name);
  if (kbLang && kbLang !== "same") parts.push(`knowledge base: ${kbLang}`);
  return parts.length ? el("small", { class: "parts-line" }, nameOf([...new Set(parts)].join(" · "))) : "";
}

function scoreCell(overview, system, language, navigate, { label, counted, first }) {
  const cell = language ? system.by_lang[language.code] : system.all;
  if (!cell) return el("td", { class: "blank", "data-label": label, text: NOTHING });
  const score = cell.withheld || cell.score === null ? NOTHING : thousandths(cell.score);
  const half = !cell.withheld && cell.ci ? `± ${thousandths((cell.ci[1] - cell.ci[0]) / 2)}` : "";
  const open = openButton(score, `${score}: answers of ${system.name}, ${scopeName(overview, language)}`,
    () => navigate("items", { system: system.name, ...scopeFilter(overview, language) }), "score" + (first && cell.rank?.[1] === 1 ? " certain" : ""));
  const known = cell.coverage !== null && cell.coverage !== undefined;
  const lines = [half, cell.rank ? `rank ${rankSet(cell.rank)}` : "", known && cell.coverage < 1 ? `${percent(cell.coverage)} graded` : "",
    counted ? `n ${cell.n}` : ""];
  return el("td", { title: `n ${cell.n} of ${cell.n_expected}`, "data-label": label }, open, ...lines.filter(Boolean).map((text) => el("small", { text })));
}
