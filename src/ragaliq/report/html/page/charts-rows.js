// Charts of rows: a label, a mark along x, and the figure at the end of the row.

const ROW = { beside: 26, below: 44, axis: 28, top: 6 };

// Where a row's label, mark and figure stand: beside each other where the labels are short, else the mark below both.
function rowLayout(rows, width, x) {
  const longest = Math.max(0, ...rows.map(({ label }) => textWidth(label)));
  const end = Math.max(0, ...rows.map((row) => textWidth(row.end)));
  const beside = width >= 480 && longest <= 0.25 * width;
  const height = beside ? ROW.beside : ROW.below;
  return {
    beside,
    plot: {
      width,
      height: rows.length * height + ROW.axis + ROW.top,
      marginTop: ROW.top,
      marginBottom: ROW.axis,
      marginLeft: beside ? Math.ceil(longest) + 14 : 14,
      marginRight: beside ? Math.ceil(end) + 18 : 22,
      className: "plot",
      x: { ...x, label: null },
      y: { type: "band", domain: rows.map((_, at) => at), padding: 0, axis: null },
    },
    // From the middle of a row to its mark and to its text.
    dy: beside ? 0 : 8,
    textDy: beside ? 0 : -11,
  };
}

function rowTexts(rows, { beside, textDy, plot }) {
  const room = plot.width - (beside ? 0 : plot.marginLeft + plot.marginRight + 10);
  const places = rows.map((row, at) => ({ ...row, at, shown: shortened(row.label, room - (beside ? 0 : textWidth(row.end))) }));
  const side = beside ? { textAnchor: "end", dx: -10 } : { textAnchor: "start", dx: 0 };
  return [
    Plot.text(places, { y: "at", text: "shown", title: "label", frameAnchor: "left", ...side, dy: textDy, fill: "var(--ink)", stroke: "var(--card)" }),
    Plot.text(places, {
      y: "at", text: "end", frameAnchor: "right", textAnchor: "end", dx: beside ? plot.marginRight - 2 : 0, dy: textDy, fill: "var(--ink)",
      stroke: "var(--card)",
    }),
  ];
}

function rowAxis(rows, { beside }, domain, format) {
  return [
    Plot.gridX({ stroke: "var(--line)", strokeOpacity: 1, tickSpacing: 80 }),
    // Texts above their mark stand on a clear ground: no line of the grid runs through them.
    Plot.barX(beside ? [] : rows, {
      y: (_, at) => at, x1: domain[0], x2: domain[1], fill: "var(--card)", insetBottom: ROW.below - 21, insetLeft: -1, insetRight: -1,
    }),
    Plot.axisX({ tickSize: 0, fill: "var(--soft)", tickFormat: format, tickSpacing: 80 }),
  ];
}

/* A dot and its interval a row. rows: [{ label, value, ci, end, title }]; a row without a value has its figure alone. */
function intervalRows(rows, width, { domain, format }) {
  const layout = rowLayout(rows, width, { domain });
  const places = rows.map((row, at) => ({ ...row, at })).filter(({ value }) => value !== null && value !== undefined);
  const { dy } = layout;
  return Plot.plot({
    ...layout.plot,
    marks: [
      ...rowAxis(rows, layout, domain, format),
      Plot.ruleY(places.filter(({ ci }) => ci), {
        y: "at", x1: (row) => row.ci[0], x2: (row) => row.ci[1], stroke: "var(--accent)", strokeWidth: 2.5, dy, title: "title",
      }),
      Plot.tickX(places.filter(({ tick }) => tick !== undefined && tick !== null), {
        y: "at", x: "tick", stroke: "var(--accent)", strokeWidth: 2, insetTop: layout.beside ? 7 : 24,
        insetBottom: layout.beside ? 7 : 8,
      }),
      Plot.dot(places, { y: "at", x: "value", fill: "var(--accent)", r: 5, dy, title: "title" }),
      ...rowTexts(rows, layout),
    ],
  });
}

/* Parts of a row beside each other. rows: [{ label, end, parts: [{ value, colour, on, text, title, click }] }]. A part's
   text is drawn where it fits; `click` opens what the part counts. */
function stackedRows(rows, width, { domain, format }) {
  const layout = rowLayout(rows, width, { domain });
  const scale = (width - layout.plot.marginLeft - layout.plot.marginRight) / (domain[1] - domain[0]);
  const parts = rows.flatMap((row, at) => row.parts.map((part) => ({ ...part, at })).filter(({ value }) => value > 0));
  for (const part of parts) {
    const space = part.value * scale - 4;
    part.shown = (part.texts ?? []).find((text) => textWidth(text) <= space) ?? "";
  }
  const insets = layout.beside ? { insetTop: 3, insetBottom: 3 } : { insetTop: 21, insetBottom: 5 };
  const svg = Plot.plot({
    ...layout.plot,
    color: { type: "identity" },
    marks: [
      ...rowAxis(rows, layout, domain, format),
      Plot.barX(parts, {
        y: "at", x: "value", fill: "colour", stroke: "var(--card)", strokeWidth: 1.5, title: "title", ...insets,
        className: "parts",
      }),
      Plot.text(parts, Plot.stackX({
        y: "at", x: "value", text: "shown", fill: "on", dy: layout.dy, pointerEvents: "none",
      })),
      ...rowTexts(rows, layout),
    ],
  });
  svg.querySelectorAll(".parts rect").forEach((rect, at) => {
    const { click } = parts[at];
    if (!click) return;
    rect.classList.add("opens");
    rect.addEventListener("click", click);
  });
  return svg;
}
