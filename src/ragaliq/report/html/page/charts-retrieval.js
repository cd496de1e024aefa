// Retrieval, times and cost.

const SERIES = ["retriever", "reader", "knowledge_base", "abstention", "context_cut", "language", "reranker"].map((id) => `var(--stage-${id})`);
const SYMBOLS = ["circle", "square", "triangle", "diamond", "cross", "star", "wye"];

function retrievalCurves(overview, system) {
  return overview.languages.map((language) => ({ language, curve: system.by_lang[language.code]?.retrieval ?? null }))
    .filter(({ curve }) => curve && curve.n > 0 && curve.depths.length);
}

function retrievalFigure(overview) {
  const shown = overview.systems.map((system) => ({ system, curves: retrievalCurves(overview, system) })).filter(({ curves }) => curves.length);
  if (!shown.length) return null;
  const rows = shown.flatMap(({ system, curves }) => curves.map(({ language, curve }) => ({ system, language, curve })));
  const depths = [...new Set(rows.flatMap(({ curve }) => curve.depths))].sort((a, b) => a - b);
  const before = rows.some(({ curve }) => curve.retrieved);
  const shareAt = (curve, shares, depth) => percent(shares?.[curve.depths.indexOf(depth)]);
  return chartFigure({
    caption: "Share of queries with all their gold within a rank, by language. Dotted: context_k, the most chunks that the reader is shown; fewer where they are long.",
    panels: shown.map(({ system, curves }) => ({
      title: system.name,
      label: `Share of queries with all gold by rank, ${system.name}. The table below has the figures.`,
      draw: (width) => retrievalPlot(curves, width),
    })),
    table: figureTable("Share of queries with all gold within a rank, by system and language",
      [{ name: "System", left: true }, { name: "Language", left: true }, { name: "Order", left: true },
        ...depths.map((depth) => ({ name: `≤ ${depth}` })), { name: "Shown in full" }, { name: "n" }],
      rows.flatMap(({ system, language, curve }) => [
        [nameOf(system.name), language.name, before ? "reranked" : "retrieved", ...depths.map((depth) => shareAt(curve, curve.ranked, depth)),
          percent(curve.shown), String(curve.n)],
        ...(curve.retrieved ? [[nameOf(system.name), language.name, "retrieved", ...depths.map((depth) => shareAt(curve, curve.retrieved, depth)), "", ""]] : []),
      ])),
  });
}

function retrievalPlot(curves, width) {
  const height = Math.max(250, 15 * curves.length + 60), top = 22, bottom = 40, right = 96;
  const points = curves.flatMap(({ curve, language }, at) => curve.depths.map((depth, place) => ({
    at, depth, share: curve.ranked[place], colour: SERIES[at % SERIES.length], symbol: SYMBOLS[at % SYMBOLS.length],
    title: `${language.name}: ${percent(curve.ranked[place])} within rank ${depth}, n ${curve.n}`,
  })));
  const least = Math.min(...points.map(({ share }) => share)), most = Math.max(...points.map(({ share }) => share));
  const domain = [Math.max(0, least - 0.05), Math.min(1, most + 0.03)];
  const depths = curves[0].curve.depths;
  const cuts = [curves[0].curve.context_k].filter((cut) => cut && cut <= depths[depths.length - 1]);
  const cutText = `${cuts[0]} chunks at most are shown`;
  // The line's name stands to its left where there is room, so that it stays inside the picture.
  const cutPlace = 44 + (width - 44 - right) * Math.log(cuts[0] / depths[0]) / Math.log(Math.max(depths[depths.length - 1], depths[0] + 1) / depths[0]);
  const cutAnchor = textWidth(cutText) < cutPlace ? "end" : "start";
  const pixels = (share) => ((domain[1] - share) / (domain[1] - domain[0])) * (height - top - bottom);
  const ends = spread(curves.map(({ curve, language }, at) => {
    const share = curve.ranked[curve.ranked.length - 1];
    return { at, share, y: pixels(share), depth: curve.depths[curve.depths.length - 1], colour: SERIES[at % SERIES.length],
      symbol: SYMBOLS[at % SYMBOLS.length], name: shortened(language.name, right - 26), full: language.name };
  }), 15, height - top - bottom);
  return Plot.plot({
    width, height, marginTop: top, marginBottom: bottom, marginLeft: 44, marginRight: right, className: "plot",
    x: { type: "log", domain: [depths[0], Math.max(depths[depths.length - 1], depths[0] + 1)], label: null },
    y: { domain, label: null },
    color: { type: "identity" },
    symbol: { type: "identity" },
    marks: [
      Plot.gridY({ stroke: "var(--line)", strokeOpacity: 1, tickSpacing: 40 }),
      Plot.axisY({ tickSize: 0, fill: "var(--soft)", tickFormat: percent, tickSpacing: 40 }),
      Plot.axisX({ ticks: depths, tickSize: 0, fill: "var(--soft)", tickFormat: String, label: "rank, at most", labelAnchor: "center", labelArrow: "none", labelOffset: 36 }),
      Plot.ruleX(cuts, { stroke: "var(--ink)", strokeDasharray: "2 4" }),
      Plot.text(cuts, { x: (depth) => depth, frameAnchor: "top", text: () => cutText, textAnchor: cutAnchor, dy: -10, lineAnchor: "bottom", fill: "var(--ink)" }),
      Plot.line(points, { x: "depth", y: "share", z: "at", stroke: "colour", strokeWidth: 2 }),
      Plot.dot(points, { x: "depth", y: "share", fill: "colour", symbol: "symbol", r: 3.5, title: "title" }),
      ...ends.flatMap((end) => [
        Plot.dot([end], { x: "depth", y: "share", fill: "colour", symbol: "symbol", r: 4, dx: 16, dy: end.moved }),
        Plot.text([end], { x: "depth", y: "share", text: "name", title: "full", textAnchor: "start", dx: 25, dy: end.moved, fill: "var(--ink)" }),
      ]),
    ],
  });
}

// Moves labels apart, in the order of their heights; `moved` says by how much.
function spread(labels, gap, room) {
  const placed = [...labels].sort((a, b) => a.y - b.y);
  let last = -Infinity;
  for (const label of placed) last = label.place = Math.max(label.y, last + gap);
  let next = room;
  for (const label of placed.reverse()) {
    label.place = Math.min(label.place, next);
    next = label.place - gap;
    label.moved = label.place - label.y;
  }
  return labels;
}

// All ticks of an axis in one unit.
function timeTick(seconds, most) {
  return most < 0.0995 ? `${Number((1000 * seconds).toPrecision(3))} ms` : `${Number(seconds.toPrecision(3))} s`;
}

function timeFigure(overview) {
  const panels = overview.systems.length === 1
    ? scorePanels(overview).map(({ title, rows }) => ({ title, rows }))
    : [{ title: "", rows: overview.systems.map((system) => ({ system, language: null, label: system.name, cell: system.all ?? { seconds: null } })) }];
  const timeOf = ({ cell, system, language }) => cell.seconds ?? (language ? null : { median: system.seconds, p95: null, n: null });
  const rows = panels[0].rows.map((row) => ({ ...row, seconds: timeOf(row) })).filter(({ seconds }) => seconds && seconds.median !== null);
  if (!rows.length) return null;
  const domain = [0, 1.04 * greatest(rows.flatMap(({ seconds }) => [seconds.median, seconds.p95])) || 1];
  return chartFigure({
    caption: "Seconds of the reader per query: the dot is the median, the tick at the end of the line the 95th percentile.",
    panels: [{
      title: panels[0].title,
      label: "Reader seconds per query. The table below has the figures.",
      draw: (width) => intervalRows(rows.map(({ label, seconds }) => ({
        label, value: seconds.median, ci: seconds.p95 === null || seconds.p95 === undefined ? null : [seconds.median, seconds.p95], tick: seconds.p95,
        end: duration(seconds.median), title: `${label}: median ${duration(seconds.median)}, 95th percentile ${duration(seconds.p95)}`,
      })), width, { domain, format: (seconds) => timeTick(seconds, domain[1]) }),
    }],
    table: figureTable("Reader seconds and cost per query",
      [{ name: "System", left: true }, { name: "Language", left: true }, { name: "Median" }, { name: "95th percentile" }, { name: "n" }, { name: "USD a query" }, { name: "USD in all" }],
      rows.map(({ system, language, seconds }) => [nameOf(system.name), language ? language.name : "all", duration(seconds.median), duration(seconds.p95),
        seconds.n === null || seconds.n === undefined ? NOTHING : String(seconds.n), ...(language && overview.languages.length > 1 ? ["", ""] : [dollars(system.cost), dollars(system.cost_total)])])),
  });
}
