// The overview: what was found, then one section for each thing that a reader may ask.

function renderOverview(root, overview, navigate) {
  sizes.disconnect();
  const { systems, languages } = overview;
  root.classList.add("overview");
  root.replaceChildren(
    findingsSection(overview),
    summarySection(overview, navigate),
    section("Scores", scoreSentence(overview), scoreFigure(overview)),
    section("Grades", gradeSentence(overview), gradeFigure(overview, navigate)),
    ...waterfallSections(overview, navigate),
    ...(languages.length > 1 ? [languageSection(overview)] : []),
    ...retrievalSection(overview),
    ...timeSection(overview),
    notesSection(overview),
  );
}

// The heading, one sentence that says what is seen, and what shows it.
function section(title, sentence, ...content) {
  return el("section", {}, el("h2", { text: title }), el("p", { class: "lead" }, sentence), ...content.filter(Boolean));
}

function findingsSection({ title, data, findings, judges }) {
  return el("section", { class: "findings" },
    el("h1", {}, nameOf(title)),
    el("ul", {}, ...findings.map((text) => el("li", { text }))),
    el("p", { class: "judges" }, ...judges.map((text) => el("span", { text: `Judge ${text}` }))),
    data?.hash ? el("p", { class: "judges" }, el("span", { text: `Data: ${data.name} ${data.version ?? ""}, hash ${String(data.hash).slice(0, 12)}.` })) : "");
}

// A card; with a title one that opens.
function boxed(title, content) {
  return title ? el("details", { class: "table card" }, el("summary", { text: title }), ...content) : el("div", { class: "card" }, ...content);
}

function bestSystem({ systems }) {
  return systems.find(({ all, by_lang: cells }) => [all, ...Object.values(cells)].some((cell) => cell && !cell.withheld && cell.score !== null)) ?? null;
}

// The cell over all languages, or that of the first language.
function pooledCell(system) {
  return system?.all ?? Object.values(system?.by_lang ?? {})[0] ?? null;
}

function scoreSentence(overview) {
  const best = bestSystem(overview);
  const cell = pooledCell(best);
  if (!cell || cell.withheld || cell.score === null) return "No score is shown: too few answers have a grade.";
  const scope = best.all ? `over ${scopeName(overview, null)}` : `in ${overview.languages[0].name}`;
  const first = [nameOf(best.name), ` scores ${thousandths(cell.score)} ${scope} (${between(cell.ci)}, n ${cell.n}). `];
  const rest = overview.systems.length > 1 ? "The ranks in the table above say which order of the systems the data support." : "Whether its languages differ is tested below, under Languages.";
  return el("span", {}, ...first, overview.systems.length > 1 || overview.languages.length > 1 ? rest : "");
}

function gradeSentence(overview) {
  const best = bestSystem(overview) ?? overview.systems[0];
  const cell = pooledCell(best);
  if (!cell?.counts || !cell.n) return "No answer has a grade.";
  return el("span", {}, "Of ", `${many(cell.n, "graded answer")} of `, nameOf(best.name), `, ${cell.counts[5]} are right and complete (5), ${cell.counts[1]} are wrong (1), and ${cell.counts[0]} say that nothing was found (0).`);
}

function waterfallSections(overview, navigate) {
  const shown = overview.systems.filter((system) => waterfallRows(overview, system).length);
  if (!shown.length) return [section("Where the points go", "There is no waterfall: ungraded runs and runs of earlier versions have none.")];
  const details = shown.map((system) => el("div", { class: "sub" },
    shown.length > 1 ? el("h3", {}, nameOf(system.name)) : "", sentences(apartSentences(overview, system)), ...lossTables(overview, system, navigate)));
  const conditions = conditionFigure(overview);
  return [
    section("Where the points go", lossSentence(overview, shown[0]), waterfallFigure(overview, navigate),
      boxed(shown.length > 1 ? "The figures of each system as tables" : "", details),
      el("p", { class: "aside", text: "A query's loss goes whole to the first stage that loses something. “If first” and “If last” are what a " +
        "stage would be charged if it were asked first or last, known only where the gold context was tried." })),
    ...(conditions ? [otherContexts(overview, shown, conditions)] : []),
  ];
}

function otherContexts(overview, systems, figure) {
  const said = systems.map((system) => ({ system, texts: conditionSentences(overview, system) }));
  const asked = said.filter(({ texts }) => texts.length);
  const others = said.filter(({ texts }) => !texts.length).flatMap(({ system }, at) => [at ? ", " : "", nameOf(system.name)]);
  return section("The same reader with other contexts",
    "The gold context is a reference point, not a ceiling: a reader may do better or worse with more text around it.", figure,
    others.length ? el("p", { class: "aside" }, ...others, ": not asked (ragaliq run --waterfall)") : "",
    boxed(asked.length > 2 ? "Each system in words" : "", asked.map(({ system, texts }) => el("div", { class: "sub" },
      systems.length > 1 ? el("h3", {}, nameOf(system.name)) : "", sentences(texts)))));
}

function lossSentence(overview, system) {
  const fall = pooledFall(overview, system);
  const { main, loss, stages, n } = fall;
  const most = main ? [`, most of it at the ${stageName(overview, main)}: ${thousandths(stages[main].value)} (${between(stages[main].ci)}, ${many(stages[main].n, "query", "queries")})`] : [];
  return el("span", {}, nameOf(system.name), ` loses ${thousandths(loss.value)} of 1 per query on average (${between(loss.ci)}, n ${n})`, ...most, ".");
}

function sentences(texts) {
  return texts.length ? el("ul", { class: "says" }, ...texts.map((text) => el("li", { text }))) : "";
}

function languageSection(overview) {
  const [first] = overview.gaps;
  const several = overview.gaps.length > 1;
  const lead = first ? el("span", {}, ...(several ? [nameOf(first.system), ": "] : []), gapSentence(overview, first)) : "The languages were not compared: they share too few graded queries.";
  const gaps = overview.gaps.filter(({ pairs }) => pairs.length).map((gap) => el("div", { class: "sub" },
    el("h3", {}, several ? nameOf(gap.system) : "Differences between languages"),
    several ? el("p", { text: gapSentence(overview, gap) }) : "",
    el("p", { class: "aside", text: `Mean weight of the row's language minus the column's, over the same queries${gap.n ? ` (n ${gap.n})` : ""}; ≠ marks pairs that can be told apart (p < .05, corrected for all pairs).` }),
    gapMatrix(overview, gap),
    el("details", { class: "table" }, el("summary", { text: "The pairs with intervals" }), pairTable(overview, gap))));
  const cross = overview.matrices.map((matrix) => el("div", { class: "sub" },
    el("h3", {}, "Query language × knowledge-base language: ", nameOf(matrix.system)),
    el("p", { class: "aside", text: "Mean weight of queries in the row's language, answered from chunks in the column's; the darker or brighter, the higher." }), crossMatrix(overview, matrix)));
  const tables = [...gaps, ...cross];
  return section("Languages", lead, languageFigure(overview), tables.length ? boxed(gaps.length > 2 ? "Language by language, each system" : "", tables) : "");
}

function retrievalSection(overview) {
  const figure = retrievalFigure(overview);
  if (!figure) return [];
  const system = overview.systems.find((one) => retrievalCurves(overview, one).length);
  const texts = retrievalCurves(overview, system).map(({ language, curve }) => `${language.name} ${percent(curve.shown)}`);
  return [section("Retrieval", el("span", {}, nameOf(system.name), " shows its reader all the gold for ", listed(texts), " of the queries."), figure)];
}

function timeSection(overview) {
  const figure = timeFigure(overview);
  if (!figure) return [];
  const system = bestSystem(overview) ?? overview.systems[0];
  const seconds = system.seconds ?? system.all?.seconds?.median ?? null;
  const time = seconds === null ? [] : [nameOf(system.name), ` takes ${duration(seconds)} per query (median). `];
  return [section("Time and cost", el("span", {}, ...time, ...costSentence(overview.systems)), figure)];
}

// What each system costs: those that cost something one by one.
function costSentence(systems) {
  const named = (some) => some.flatMap(({ name }, at) => [at === 0 ? "" : at === some.length - 1 ? " and " : ", ", nameOf(name)]);
  const paid = systems.filter(({ cost }) => cost > 0).map(({ name, cost, cost_total: total }) => [nameOf(name), ` costs ${dollars(cost)} USD a query`,
    typeof total === "number" ? `, ${dollars(total)} in all` : ""]);
  const free = systems.filter(({ cost }) => cost === 0);
  const unknown = systems.filter(({ cost }) => cost === null);
  const parts = [...paid, ...(free.length ? [[...named(free), free.length > 1 ? " cost nothing" : " costs nothing"]] : []),
    ...(unknown.length ? [["the cost of ", ...named(unknown), " is not known"]] : [])];
  return [...parts.flatMap((part, at) => [at ? "; " : "", ...part]), "."];
}

function notesSection({ notes, legend }) {
  return el("section", {}, el("h2", { text: "Notes and terms" }),
    notes.length ? el("ul", { class: "says" }, ...notes.map((text) => el("li", { text }))) : "",
    el("dl", { class: "legend" }, ...legend.flatMap(({ term, meaning }) => [el("dt", { text: term }), el("dd", { text: meaning })])));
}
