// Scores with their intervals, and how the grades are distributed: rows of systems in a panel a language, or rows of
// languages where there is one system.

const GRADES = [5, 4, 3, 2, 1, 0];

// What a row or column is about: a language, or (null) those that all systems share, which the figures of `all` are of.
function scopeName({ languages, pooled }, language) {
  if (language) return language.name;
  return pooled.length < languages.length ? many(pooled.length, "shared language") : "all languages";
}

function scopeTitle(overview, language) {
  const name = scopeName(overview, language);
  return name[0].toUpperCase() + name.slice(1);
}

function scopeFilter({ languages, pooled }, language) {
  if (language) return { lang: language.code };
  return pooled.length < languages.length ? { lang: pooled } : {};
}

// Each panel: { title, label, rows: [{ system, language|null, cell, label }] }. `cells` picks what a row is about.
function scorePanels(overview) {
  const { systems, languages } = overview;
  const places = languages.length > 1 ? [null, ...languages] : languages;
  const cellOf = (system, language) => (language ? system.by_lang[language.code] : system.all) ?? null;
  if (systems.length === 1) {
    const rows = places.map((language) => ({ system: systems[0], language, cell: cellOf(systems[0], language), label: scopeName(overview, language) }));
    return [{ title: systems[0].name, rows: rows.filter(({ cell }) => cell) }];
  }
  return places.map((language) => ({
    title: scopeTitle(overview, language),
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
  if (!cells.some(({ score, withheld }) => !withheld && score !== null)) return null;
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
        { name: "Rank" }, { name: "Comes first" }, { name: "New sample" }, { name: "Graded" }, { name: "Expected" }],
      panels.flatMap(({ rows }) => rows).map(({ system, language, cell }) => [
        nameOf(system.name), scopeName(overview, language), cell.withheld ? withheldText(cell) : thousandths(cell.score),
        cell.withheld ? NOTHING : between(cell.ci), rankSet(cell.rank),
        cell.selection === null ? NOTHING : percent(cell.selection), cell.withheld ? NOTHING : between(cell.new_sample),
        String(cell.n), String(cell.n_expected)])),
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
  if (!shown.length) return null;
  const meanings = new Map(overview.grades.map(({ grade, meaning }) => [grade, meaning]));
  return chartFigure({
    caption: "Share of each grade among the graded answers, in per cent. A click on a bar opens its answers.",
    key: GRADES.map((grade) => ({ mark: gradeSwatch(grade), name: `grade ${grade}`, meaning: meanings.get(grade) })),
    panels: shown.map(({ title, rows }) => ({
      title,
      label: `Shares of the grades 5 to 0, ${title}. The table below has the counts.`,
      draw: (width) => stackedRows(rows.map((row) => gradeRow(overview, row, navigate, width >= 480)), width,
        { domain: [0, 1], format: (share) => percent(share) }),
    })),
    tableName: "The counts as a table",
    table: figureTable("Answers of each grade, by system and language",
      [{ name: "System", left: true }, { name: "Language", left: true }, ...GRADES.map((grade) => ({ name: String(grade) })),
        { name: "Graded" }, { name: "Mean grade" }],
      shown.flatMap(({ rows }) => rows).map(({ system, language, cell }) => [
        nameOf(system.name), scopeName(overview, language), ...GRADES.map((grade) => gradeCount(overview, { system, language, cell }, grade, navigate)),
        String(cell.n), cell.mean_grade === null || cell.mean_grade === undefined ? NOTHING : cell.mean_grade.toFixed(2)])),
  });
}

function openGrade(overview, { system, language }, grade, navigate) {
  navigate("items", { system: system.name, ...scopeFilter(overview, language), grade: String(grade) });
}

function gradeCount(overview, row, grade, navigate) {
  const n = row.cell.counts[grade];
  const label = `${many(n, "answer")} with grade ${grade}, ${row.system.name}, ${scopeName(overview, row.language)}`;
  return n ? openButton(String(n), label, () => openGrade(overview, row, grade, navigate)) : "0";
}

function gradeRow(overview, row, navigate, wide) {
  const { cell, label } = row;
  return {
    label,
    end: `n ${cell.n}`,
    parts: GRADES.map((grade) => {
      const share = percent(cell.counts[grade] / cell.n), [bare] = share.split("\u00a0");
      return {
        value: cell.counts[grade] / cell.n,
        colour: `var(--grade-${grade})`,
        on: `var(--on-grade-${grade})`,
        texts: wide ? [`${grade}: ${share}`, share, bare] : [bare],
        title: `${label}, grade ${grade}: ${cell.counts[grade]} of ${cell.n} answers (${share})`,
        click: () => openGrade(overview, row, grade, navigate),
      };
    }),
  };
}
