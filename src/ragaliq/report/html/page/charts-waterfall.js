// Where the points go: each stage's share of the loss, and the reader under other contexts.

const CONDITIONS = { none: "no context", retrieved: "retriever's order", run: "this run", gold: "gold context" };

function waterfallOf(system, language) {
  return (language ? system.by_lang[language.code] : system.all)?.waterfall ?? null;
}

// The rows of a system's waterfall: all languages first, as far as they are there.
function waterfallRows(overview, system) {
  const places = overview.languages.length > 1 ? [null, ...overview.languages] : overview.languages;
  // A run's waterfall is over all languages of its own.
  const whole = Object.keys(system.by_lang).length < overview.languages.length ? "all its languages" : "all languages";
  return places.map((language) => ({ language, label: language ? language.name : whole, fall: waterfallOf(system, language) }))
    .filter(({ fall }) => fall && fall.loss.value !== null);
}

function waterfallFigure(overview, navigate) {
  const shown = overview.systems.map((system) => ({ system, rows: waterfallRows(overview, system) })).filter(({ rows }) => rows.length);
  const all = shown.flatMap(({ rows }) => rows.map(({ fall }) => fall));
  const used = overview.stages.filter(({ id }) => all.some(({ stages }) => stages[id]?.n > 0));
  const domain = shareDomain(all.map(({ loss }) => loss.value));
  return chartFigure({
    caption: "Mean weight lost per query (0 to 1), by the first stage that loses it. A click on a part opens its answers.",
    key: used.map(({ id, name, meaning }) => ({ mark: swatch({ id }), name, meaning })),
    panels: shown.map(({ system, rows }) => ({
      title: system.name,
      label: `Mean weight lost by each stage, ${system.name}. The tables below have the figures.`,
      draw: (width) => stackedRows(rows.map((row) => lossRow(overview, system, row, navigate)), width, { domain }),
    })),
  });
}

function lossRow(overview, system, { language, label, fall }, navigate) {
  return {
    label,
    end: `${thousandths(fall.loss.value)}, n ${fall.n}`,
    parts: overview.stages.filter(({ id }) => fall.stages[id]).map(({ id, name }) => {
      const { value, n, ci } = fall.stages[id];
      return {
        value,
        colour: `var(--stage-${id})`,
        on: `var(--on-stage-${id})`,
        texts: [`${name} ${thousandths(value)}`, thousandths(value)],
        title: `${label}, ${name}: ${thousandths(value)} (${between(ci)}), ${many(n, "query", "queries")}`,
        click: () => openCause(navigate, system, language, id),
      };
    }),
  };
}

function openCause(navigate, system, language, cause) {
  navigate("items", { system: system.name, ...(language ? { lang: language.code } : {}), cause });
}

// Two tables of a system: over all languages, and by language.
function lossTables(overview, system, navigate) {
  const [first, ...others] = waterfallRows(overview, system);
  const bounds = waterfallRows(overview, system).some(({ fall }) => Object.values(fall.stages).some((stage) => stage.first !== null && stage.first !== undefined));
  const columns = [{ name: "Stage", left: true }, { name: "Lost" }, { name: "95 % interval" }, { name: "Questions" },
    ...(bounds ? [{ name: "If first" }, { name: "If last" }] : [])];
  const table = (name, rows, extra) => figureTable(name, [...columns.slice(0, 1), ...extra, ...columns.slice(1)], rows);
  return [
    table(`Loss by stage, ${system.name}, ${first.label}`, lossTable(overview, system, first, navigate, bounds), []),
    others.length ? el("details", { class: "table" }, el("summary", { text: "The same by language" }),
      table(`Loss by stage and language, ${system.name}`, others.flatMap((row) => lossTable(overview, system, row, navigate, bounds, true)),
        [{ name: "Language", left: true }])) : "",
  ];
}

function lossTable(overview, system, { language, label, fall }, navigate, bounds, named = false) {
  const rows = overview.stages.filter(({ id }) => fall.stages[id]).map(({ id, name, meaning }) => {
    const { value, ci, n, first, last } = fall.stages[id];
    const count = n ? openButton(String(n), `${many(n, "query", "queries")}: ${name}, ${label}`, () => openCause(navigate, system, language, id)) : "0";
    return [el("span", meaning ? { title: meaning } : {}, swatch({ id }), name), ...(named ? [label] : []), thousandths(value), between(ci), count,
      ...(bounds ? [thousandths(first), thousandths(last)] : [])];
  });
  const total = ["total", ...(named ? [label] : []), thousandths(fall.loss.value), between(fall.loss.ci), `n ${fall.n}`, ...(bounds ? ["", ""] : [])];
  return [...rows, total];
}

// One sentence for each stage that loses more in one language than in the others.
function apartSentences(overview, system) {
  return overview.languages.flatMap((language) => (waterfallOf(system, language)?.apart ?? []).map(({ stage, difference, ci, p }) =>
    `${language.name}: the ${stageName(overview, stage)} loses more than in the other languages (${thousandths(difference, true)}, ` +
    `${between(ci, true)}, ${pInWords(p)}).`));
}

function stageName(overview, id) {
  return overview.stages.find((stage) => stage.id === id)?.name ?? id;
}

function conditionRows(fall) {
  return Object.keys(CONDITIONS).filter((name) => fall?.conditions?.[name]).map((name) => ({ name, ...fall.conditions[name] }));
}

// A system's row over all languages, or of its only language.
function pooledFall(overview, system) {
  return waterfallRows(overview, system)[0]?.fall ?? null;
}

function conditionFigure(overview) {
  const shown = overview.systems.map((system) => ({ system, rows: conditionRows(pooledFall(overview, system)) })).filter(({ rows }) => rows.length);
  if (!shown.length) return null;
  const domain = shareDomain(shown.flatMap(({ rows }) => rows.flatMap(({ mean_weight: mean, ci }) => [mean, ci?.[1]])));
  const table = shown.flatMap(({ system }) => waterfallRows(overview, system).flatMap(({ label, fall }) => conditionRows(fall).map((row) => [
    nameOf(system.name), label, CONDITIONS[row.name], thousandths(row.mean_weight), between(row.ci), String(row.n), String(row.n_expected), String(row.n_right)])));
  return chartFigure({
    caption: "Mean weight (0 to 1) of the same reader and judge under other contexts, with its 95 % interval.",
    panels: shown.map(({ system, rows }) => ({
      title: system.name,
      label: `Mean weight under ${listed(rows.map(({ name }) => CONDITIONS[name]))}, ${system.name}. The table below has the figures.`,
      draw: (width) => intervalRows(rows.map((row) => ({
        label: CONDITIONS[row.name], value: row.mean_weight, ci: row.ci,
        end: `${thousandths(row.mean_weight)}, n ${row.n}`,
        title: `${CONDITIONS[row.name]}: ${thousandths(row.mean_weight)} (${between(row.ci)}), n ${row.n}`,
      })), width, { domain }),
    })),
    table: figureTable("Mean weight under each context, by system and language",
      [{ name: "System", left: true }, { name: "Language", left: true }, { name: "Context", left: true }, { name: "Mean weight" },
        { name: "95 % interval" }, { name: "Graded" }, { name: "Expected" }, { name: "Right" }], table),
  });
}

// What each step from one context to the next brings, and what the reader knows without any.
function conditionSentences(overview, system) {
  const fall = pooledFall(overview, system);
  const { conditions, steps } = fall ?? {};
  if (!conditions) return [];
  const changes = (steps ?? []).map((step) => `From ${CONDITIONS[step.from]} to ${CONDITIONS[step.to]}: mean weight ` +
    `${thousandths(step.difference, true)} (${between(step.ci, true)}, n ${step.n}).`);
  const { none } = conditions;
  const known = none ? [`Without any context ${none.n_right} of ${many(none.n, "answer")} are right (grade 4 or 5): ` +
    "what the reader knows by itself or guesses."] : [];
  return [...changes, ...known];
}
