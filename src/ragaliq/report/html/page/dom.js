// Elements made from data: every text goes in as text, never as markup.

const $ = (id) => document.getElementById(id);

/** Return a new element; `on…` are listeners, `text` is its text, false and null leave an attribute out. */
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") node.textContent = value;
    else if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (name === "checked" || name === "value" || name === "open") node[name] = value;
    else if (name !== "style" && !name.startsWith("on")) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

// Controls that turn the direction of a text around, and those that no font shows.
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Return a text's nodes: unseen controls as marks, and what a search found as `mark`. */
function nodes(text, terms = []) {
  const parts = [];
  let last = 0;
  for (const hit of text.matchAll(UNSEEN)) {
    parts.push(...highlighted(text.slice(last, hit.index), terms));
    const code = "U+" + hit[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    parts.push(el("span", { class: "control", title: "A control character that is not shown", text: code }));
    last = hit.index + hit[0].length;
  }
  parts.push(...highlighted(text.slice(last), terms));
  return parts;
}

/** Return an element with a text of the data, in its own language and direction. */
function words(tag, text, lang, attributes = {}, terms = []) {
  const { class: name = "", ...rest } = attributes;
  const node = el(tag, { ...rest, class: ("text " + name).trim(), lang, dir: "auto" });
  node.append(...(text ? nodes(text, terms) : [el("span", { class: "empty", lang: "en", text: "(empty)" })]));
  return node;
}

/** Return a text in the form in which search compares it: no case, no combining marks, no width. */
function fold(text) {
  if (/^[\u0000-\u007f]*$/u.test(text)) return text.toLowerCase();
  return text.normalize("NFKD").replace(/\p{M}+/gu, "").toUpperCase().toLowerCase().replace(/ς/g, "σ");
}

/** Return a text folded, and the place in the text that each of its code units comes from: folding changes lengths. */
function foldedPlaces(text) {
  let folded = "";
  const places = [];
  for (let place = 0; place < text.length;) {
    const symbol = String.fromCodePoint(text.codePointAt(place));
    const short = fold(symbol);
    for (let unit = 0; unit < short.length; unit += 1) places.push(place);
    folded += short;
    place += symbol.length;
  }
  places.push(text.length);
  return { folded, places };
}

// A single Latin letter is everywhere.
const marks = (term) => !/^[\u0000-\u007f]$/u.test(term);

function highlighted(text, all) {
  const terms = all.filter(marks);
  if (!terms.length || !text) return text ? [text] : [];
  const { folded, places } = foldedPlaces(text);
  const parts = [];
  let last = 0;
  for (let from = 0; from < folded.length;) {
    const next = terms.map((term) => [folded.indexOf(term, from), term.length]).filter(([at]) => at >= 0).sort((a, b) => a[0] - b[0])[0];
    if (!next) break;
    from = next[0] + next[1];
    const [start, end] = [places[next[0]], places[from]];
    if (start < last || end <= start) continue;
    parts.push(text.slice(last, start), el("mark", { text: text.slice(start, end) }));
    last = end;
  }
  parts.push(text.slice(last));
  return parts;
}

// For what is not known, or not there.
const NOTHING = "—";
const count = new Intl.NumberFormat("en-US");
const many = (n, one, more = one + "s") => `${count.format(n)} ${n === 1 ? one : more}`;
const fixed = (value, digits = 2) => (value === null || value === undefined ? NOTHING : value.toFixed(digits));

/** Return a stage's colour beside its name. */
function swatch(stage) {
  return el("span", { class: "swatch stage-" + stage.id, "aria-hidden": "true" });
}

/** Return a grade's colour beside its number. */
function gradeSwatch(grade) {
  return el("span", { class: `swatch grade-${grade}`, "aria-hidden": "true" });
}

/** Announce something to those who hear the page. */
function say(text) {
  $("status").textContent = text;
}

/** Hand a text to the reader as a file. */
function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
