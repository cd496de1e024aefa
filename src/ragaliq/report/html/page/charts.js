// What all charts share: how figures are written, and the figure with its caption, drawings and table.

function thousandths(value, sign = false) {
  if (value === null || value === undefined) return NOTHING;
  const digits = Math.abs(value).toFixed(3);
  const below = value < 0 && Number(digits) > 0;
  return (below ? "−" : sign ? "+" : "") + digits;
}

function between(ci, sign = false) {
  return ci ? thousandths(ci[0], sign) + (sign ? " … " : "–") + thousandths(ci[1], sign) : NOTHING;
}

function percent(share) {
  if (share === null || share === undefined) return NOTHING;
  const scaled = 100 * share;
  // 99.9 % is not all of them.
  return (scaled > 99 && scaled < 100 ? scaled.toFixed(1) : scaled.toFixed(0)) + "\u00a0%";
}

function rankSet(rank) {
  if (!rank) return NOTHING;
  return rank[0] === rank[1] ? String(rank[0]) : rank[0] + "–" + rank[1];
}

function pValue(p) {
  if (p === null || p === undefined) return NOTHING;
  return p < 0.001 ? "<\u00a00.001" : p.toFixed(3);
}

function pInWords(p) {
  return `p\u00a0${p < 0.001 ? "" : "=\u00a0"}${pValue(p)}`;
}

function duration(seconds) {
  if (seconds === null || seconds === undefined) return NOTHING;
  if (seconds < 0.0995) return (1000 * seconds).toPrecision(seconds < 0.00995 ? 1 : 2) + " ms";
  return seconds < 9.95 ? seconds.toPrecision(2) + " s" : seconds.toFixed(0) + " s";
}

function dollars(cost) {
  if (cost === null || cost === undefined) return NOTHING;
  return cost === 0 ? "0" : cost < 1 ? cost.toPrecision(2) : cost.toFixed(2);
}

// "a", "a and b", "a, b and c".
function listed(names) {
  return names.length < 2 ? names.join("") : names.slice(0, -1).join(", ") + " and " + names[names.length - 1];
}

// A name that somebody else chose keeps its own direction.
function nameOf(name) {
  return el("bdi", { text: name });
}

// A figure that opens what it counts; `label` is what those hear who do not see its place.
function openButton(text, label, open, extra = "") {
  return el("button", { type: "button", class: `link ${extra}`.trim(), "aria-label": label, text, onclick: open });
}

// A box that scrolls sideways by itself, with the keyboard too.
function scrollBox(label, child) {
  return el("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": label }, child);
}

// columns: [{ name, left }]; rows: arrays of texts or elements, the first of each names the row.
function figureTable(caption, columns, rows) {
  const head = columns.map(({ name, left }) => el("th", { scope: "col", class: left ? "left" : "", text: name }));
  const body = rows.map((cells) => el("tr", {}, ...cells.map((cell, at) => {
    const tag = at === 0 ? "th" : "td";
    const options = { class: columns[at].left ? "left" : "" };
    if (at === 0) options.scope = "row";
    return el(tag, options, cell instanceof Node ? cell : document.createTextNode(cell));
  })));
  return scrollBox(caption, el("table", { class: "figures" },
    el("caption", { class: "sr-only", text: caption }), el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...body)));
}

// entries: [{ mark, name, meaning }], in the order of the marks.
function chartKey(entries) {
  return el("ul", { class: "key" }, ...entries.map(({ mark, name, meaning }) =>
    el("li", meaning ? { title: meaning } : {}, mark, el("span", { text: name }))));
}

// Of more drawings than this only the first are open.
const MOST_PANELS = 9, FIRST_PANELS = 6;

function shortList(panels) {
  const names = panels.slice(0, 3).map(({ title }) => shortened(title, 200));
  return names.join(", ") + (panels.length > 3 ? " …" : "");
}

/* A figure: `caption` says what is drawn and in which unit; `panels` are { title, label, draw(width) → svg };
   `table` holds the same figures. */
function chartFigure({ caption, key, panels, table, tableName = "The figures as a table" }) {
  const drawn = panels.map(({ title, label, draw }) => {
    const drawing = el("div", { class: "drawing" });
    drawings.set(drawing, { draw, label });
    sizes.observe(drawing);
    return el("div", { class: "panel" }, title && panels.length > 1 ? el("h3", {}, nameOf(title)) : "", drawing);
  });
  const grid = (shown) => el("div", { class: shown.length > 1 ? "panels" : "panels single" }, ...shown);
  const more = drawn.length > MOST_PANELS ? drawn.splice(FIRST_PANELS) : [];
  return el("figure", { class: "chart" },
    el("figcaption", { text: caption }),
    key ? chartKey(key) : "",
    grid(drawn),
    more.length ? el("details", { class: "table" }, el("summary", { text: `${more.length} more: ${shortList(panels.slice(FIRST_PANELS))}` }), grid(more)) : "",
    table ? el("details", { class: "table" }, el("summary", { text: tableName }), table) : "");
}

const drawings = new WeakMap();
// Draws when the first width is known, and again when it changes, before the next paint.
const sizes = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) {
    const chart = drawings.get(target);
    const width = Math.floor(contentRect.width);
    if (!chart || width === chart.width || width < 40) continue;
    chart.width = width;
    const svg = chart.draw(width);
    // Plot's own style element would need an exception of the page's policy; overview.css has its rules.
    svg.querySelector("style")?.remove();
    // Plot names the kinds of its marks, which says nothing here: the picture has one name.
    for (const part of svg.querySelectorAll("[aria-label]")) part.removeAttribute("aria-label");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", chart.label);
    target.replaceChildren(svg);
  }
});

const pen = document.createElement("canvas").getContext("2d");
pen.font = '12px system-ui, "Noto Sans", sans-serif';

function textWidth(text) {
  return pen.measureText(text).width;
}

function shortened(text, width) {
  if (textWidth(text) <= width) return text;
  const letters = [...text];
  while (letters.length > 1 && textWidth(letters.join("") + "…") > width) letters.pop();
  return letters.join("") + "…";
}
