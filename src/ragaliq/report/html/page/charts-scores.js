// Scores with their intervals, and how the grades are distributed: rows of systems in a panel a language, or rows of
// languages where there is one system.

const GRADES = [5, 4, 3, 2, 1, 0];

// Each panel: { title, label, rows: [{ system, language|null, cell, label }] }. `cells` picks what a row is about.
function scorePanels(overview) {
  const { systems, languages } = overview;
  const places = languages.length > 1 ? [null, ...languages] : languages;
  const cellOf = (system, language) => (language ? system.by_lang[language.code] : system.all) ?? null;
  const inWords = (language) => (language ? language.name : "all languages");
  if (systems.length === 1) {
    const rows = places.map((language) => ({ system: systems[0], language, cell: cellOf(systems[0], language), label: inWords(language) }));
    return [{ title: systems[0].name, rows: rows.filter(({ cell }) => cell) }];
  }
  return places.map((language) => ({
    title: language ? language.name : "All languages",
    rows: systems.map((system) => ({ system, language, cell: cellOf(system, language), label: system.name })).filter(({ cell }) => cell),
  })).filter(({ rows }) => rows.length);
}

function greatest(values) {
  return Math.max(0, ...values.filter((value) => value !== null && value !== undefined));
}

// An axis from 0 that ends a little after the greatest value, and at 1 at the latest.
function shareDomain(values) {
  return [0, Math.min(1, 1.04 * (greatest(values) || 1))];
}

function withheldText(cell) {
  return cell.coverage === null || cell.coverage === undefined ? "withheld" : `withheld: ${percent(cell.coverage)} graded`;
}

function scoreFigure(overview) {
  const panels = scorePanels(overview);
  const cells = panels.flatMap(({ rows }) => rows.map(({ cell }) => cell));
  const domain = shareDomain(cells.flatMap(({ score, ci, withheld }) => (withheld ? [] : [score, ci?.[1]])));
  return chartFigure({
    caption: "Weighted score (0 to 1) with its 95 % interval.",
    panels: panels.map(({ title, rows }) => ({
      title,
      label: `Weighted scores with intervals, ${title}. The table below has the figures.`,
      draw: (width) => intervalRows(rows.map(scoreRow(width)), width, { domain }),
    })),
    table: figureTable("Weighted score with interval, by system and language",
      [{ name: "System", left: true }, { name: "Language", left: true }, { name: "Score" }, { name: "95 % interval" },
        { name: "Rank" }, { name: "Graded" }, { name: "Expected" }],
      panels.flatMap(({ rows }) => rows).map(({ system, language, cell }) => [
        nameOf(system.name), language ? language.name : "all", cell.withheld ? withheldText(cell) : thousandths(cell.score),
        cell.withheld ? NOTHING : between(cell.ci), rankSet(cell.rank), String(cell.n), String(cell.n_expected)])),
  });
}

function scoreRow(width) {
  return ({ cell, label }) => {
    if (cell.withheld) return { label, value: null, end: withheldText(cell) };
    const range = between(cell.ci);
    const end = width >= 460 && cell.ci ? `${thousandths(cell.score)}  (${range})` : thousandths(cell.score);
    return { label, value: cell.score, ci: cell.ci, end, title: `${label}: ${thousandths(cell.score)}, interval ${range}, n ${cell.n}` };
  };
}

function gradeFigure(overview, navigate) {
  const panels = scorePanels(overview).map(({ title, rows }) => ({ title, rows: rows.filter(({ cell }) => cell.counts && cell.n) }));
  const shown = panels.filter(({ rows }) => rows.length);
  const meanings = new Map(overview.grades.map(({ grade, meaning }) => [grade, meaning]));
  return chartFigure({
    caption: "Share of each grade among the graded answers. A click on a bar opens its answers.",
    key: GRADES.map((grade) => ({ colour: `var(--grade-${grade})`, name: `grade ${grade}`, meaning: meanings.get(grade) })),
    panels: shown.map(({ title, rows }) => ({
      title,
      label: `Shares of the grades 5 to 0, ${title}. The table below has the counts.`,
      draw: (width) => stackedRows(rows.map((row) => gradeRow(row, navigate, width >= 480)), width,
        { domain: [0, 1], format: (share) => percent(share) }),
    })),
    tableName: "The counts as a table",
    table: figureTable("Answers of each grade, by system and language",
      [{ name: "System", left: true }, { name: "Language", left: true }, ...GRADES.map((grade) => ({ name: String(grade) })),
        { name: "Graded" }, { name: "Mean grade" }],
      shown.flatMap(({ rows }) => rows).map(({ system, language, cell }) => [
        nameOf(system.name), language ? language.name : "all", ...GRADES.map((grade) => gradeCount(system, language, cell, grade, navigate)),
        String(cell.n), cell.mean_grade === null || cell.mean_grade === undefined ? NOTHING : cell.mean_grade.toFixed(2)])),
  });
}

function openGrade(navigate, system, language, grade) {
  navigate("items", { system: system.name, ...(language ? { lang: language.code } : {}), grade: String(grade) });
}

function gradeCount(system, language, cell, grade, navigate) {
  const count = cell.counts[grade];
  const label = `${counted(count, "answer")} with grade ${grade}, ${system.name}, ${language ? language.name : "all languages"}`;
  return count ? openButton(String(count), label, () => openGrade(navigate, system, language, grade)) : "0";
}

function gradeRow({ system, language, cell, label }, navigate, wide) {
  return {
    label,
    end: `n ${cell.n}`,
    parts: GRADES.map((grade) => {
      const share = percent(cell.counts[grade] / cell.n);
      return {
        value: cell.counts[grade] / cell.n,
        colour: `var(--grade-${grade})`,
        on: `var(--on-grade-${grade})`,
        texts: wide ? [`${grade}: ${share}`, share] : [share],
        title: `${label}, grade ${grade}: ${cell.counts[grade]} of ${cell.n} answers (${share})`,
        click: () => openGrade(navigate, system, language, grade),
      };
    }),
  };
}
