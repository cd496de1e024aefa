// Languages against each other: mean weights, differences of pairs, and queries by knowledge-base language.

const APART = 0.05;

function languageFigure(overview) {
  const panels = overview.systems.map((system) => ({
    system,
    rows: overview.languages.map((language) => ({ language, cell: system.by_lang[language.code] })).filter(({ cell }) => cell),
    gap: overview.gaps.find((gap) => gap.system === system.name) ?? null,
  })).filter(({ rows }) => rows.length > 1);
  const cells = panels.flatMap(({ rows }) => rows.map(({ cell }) => cell));
  if (!cells.some(({ mean_weight: mean, withheld }) => !withheld && mean !== null)) return null;
  const domain = shareDomain(cells.flatMap((cell) => (cell.withheld ? [] : [cell.mean_weight, cell.mean_weight_ci?.[1]])));
  const rankOf = (gap, language) => rankSet(gap?.languages[language.code]?.rank_ci);
  return chartFigure({
    caption: "Mean weight (0 to 1) in each language with its 95 % interval; at the end the language's rank among them.",
    panels: panels.map(({ system, rows, gap }) => ({
      title: system.name,
      label: `Mean weight by language, ${system.name}. The table below has the figures.`,
      draw: (width) => intervalRows(rows.map(({ language, cell }) => ({
        label: language.name,
        value: cell.withheld ? null : cell.mean_weight,
        ci: cell.mean_weight_ci,
        end: cell.withheld ? withheldText(cell) : thousandths(cell.mean_weight) + (gap ? `, rank ${rankOf(gap, language)}` : ""),
        title: `${language.name}: ${thousandths(cell.mean_weight)} (${between(cell.mean_weight_ci)}), n ${cell.n}`,
      })), width, { domain }),
    })),
    table: figureTable("Mean weight by system and language",
      [{ name: "System", left: true }, { name: "Language", left: true }, { name: "Mean weight" }, { name: "95 % interval" },
        { name: "Rank" }, { name: "Graded" }, { name: "Fails here only" }],
      panels.flatMap(({ system, rows, gap }) => rows.map(({ language, cell }) => [
        nameOf(system.name), language.name, cell.withheld ? withheldText(cell) : thousandths(cell.mean_weight),
        cell.withheld ? NOTHING : between(cell.mean_weight_ci), rankOf(gap, language), String(cell.n),
        gap ? String(gap.languages[language.code]?.fails_only?.length ?? NOTHING) : NOTHING]))),
  });
}

// What a system's pairs of languages show, in one sentence.
function gapSentence(overview, { pairs }) {
  const apart = pairs.filter(({ p }) => p !== null && p < APART);
  if (!pairs.length) return "There is no pair of languages to compare.";
  if (!apart.length) return `None of the ${many(pairs.length, "pair")} of languages can be told apart.`;
  const named = apart.map(({ lang, against, difference, p }) => {
    const [better, worse] = difference > 0 ? [lang, against] : [against, lang];
    return `${languageName(overview, better)} is ahead of ${languageName(overview, worse)} by ${thousandths(Math.abs(difference))} ` +
      `(${pInWords(p)})`;
  });
  const most = 6;
  const more = named.length > most ? `; the table has ${named.length - most} more` : "";
  return `${many(apart.length, "pair")} of ${pairs.length} can be told apart: ${named.slice(0, most).join("; ")}${more}.`;
}

function languageName(overview, code) {
  return overview.languages.find((language) => language.code === code)?.name ?? code;
}

// Differences of languages, row minus column, below the diagonal.
function gapMatrix(overview, { system, pairs }) {
  const codes = overview.languages.map(({ code }) => code).filter((code) => pairs.some(({ lang, against }) => lang === code || against === code));
  const find = (row, column) => {
    const pair = pairs.find(({ lang, against }) => lang === row && against === column);
    const turned = pairs.find(({ lang, against }) => lang === column && against === row);
    return pair ?? (turned && { ...turned, difference: -turned.difference, ci: turned.ci && [-turned.ci[1], -turned.ci[0]] });
  };
  const cells = codes.slice(1).map((row, at) => codes.slice(0, -1).map((column, place) => (place <= at ? find(row, column) : null)));
  return matrixTable({
    label: `Differences of mean weight between languages, ${system}`,
    corner: "minus", rows: codes.slice(1), columns: codes.slice(0, -1), overview,
    cell: (at, place) => {
      const pair = cells[at][place];
      if (!pair) return el("td", { class: "blank" });
      const apart = pair.p !== null && pair.p < APART;
      const shade = !apart ? "" : pair.difference > 0 ? "ahead" : "behind";
      const title = `interval ${between(pair.ci, true)}, p ${pValue(pair.p)}`;
      return el("td", { class: shade, title, text: (apart ? "≠ " : "") + thousandths(pair.difference, true) });
    },
  });
}

// Mean weights of queries in one language over a knowledge base in another.
function crossMatrix(overview, { system, rows, columns, cells }) {
  return matrixTable({
    label: `Mean weight by query language (rows) and knowledge-base language (columns), ${system}`,
    corner: "query ↓ chunks →", rows, columns, overview,
    cell: (at, place) => {
      const cell = cells.find(({ row, column }) => row === rows[at] && column === columns[place]);
      if (!cell || cell.mean_weight === null) return el("td", { class: "blank", text: NOTHING });
      const retrieved = cell.retrieved === null || cell.retrieved === undefined ? "" : `, retrieved ${percent(cell.retrieved)}`;
      const shaded = el("td", { title: `n ${cell.n}${retrieved}`, text: thousandths(cell.mean_weight) }, el("small", { text: ` n ${cell.n}` }));
      // A little of the accent, so that the figure stays readable on it.
      shaded.style.setProperty("background", `color-mix(in srgb, var(--accent) ${Math.round(30 * cell.mean_weight)}%, var(--card))`);
      return shaded;
    },
  });
}

function matrixTable({ label, corner, rows, columns, cell, overview }) {
  const heads = columns.map((code) => el("th", { scope: "col", title: languageName(overview, code), text: code }));
  return scrollBox(label, el("table", { class: "figures matrix" },
    el("caption", { class: "sr-only", text: label }),
    el("thead", {}, el("tr", {}, el("th", { class: "left", scope: "col", text: corner }), ...heads)),
    el("tbody", {}, ...rows.map((row, at) => el("tr", {},
      el("th", { class: "left", scope: "row", text: languageName(overview, row) }), ...columns.map((_, place) => cell(at, place)))))));
}

function pairTable(overview, { system, pairs }) {
  return figureTable(`Differences between languages, ${system}`,
    [{ name: "Language", left: true }, { name: "against", left: true }, { name: "Difference" }, { name: "95 % interval" }, { name: "p" }],
    pairs.map(({ lang, against, difference, ci, p }) => [languageName(overview, lang), languageName(overview, against),
      thousandths(difference, true), between(ci, true), pValue(p)]));
}
