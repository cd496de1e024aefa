// One item: question, reference, answer, verdict, gold and context.

/** Show an item; what is not in the columns follows when it is read. */
function renderItem(root, { path: [system, lang, query], params }) {
  const index = placeOf(system, lang, query);
  if (index < 0) return renderMissing(root, `There is no answer of ${system} to ${query} in ${lang} on this page.`);
  const item = itemAt(index);
  const heading = words("h1", item.question, item.lang, { tabindex: "-1" });
  const rest = el("div", { class: "item", "aria-busy": "true" });
  root.replaceChildren(itemBar(item, params), heading, factLine(item), rest);
  detailOf(index).then((detail) => {
    rest.removeAttribute("aria-busy");
    rest.append(...itemColumns(item, detail ?? {}));
  }).catch(failed);
  return { heading, title: `${item.query_id} · ${item.lang} · ${item.system}` };
}

function factLine(item) {
  const facts = [item.system, item.language, item.query_id, item.type, item.difficulty, item.answerable ? "" : "not answerable",
    supportText(item)];
  return el("p", { class: "soft facts-line text" }, nodes(facts.filter(Boolean).join(" · ")));
}

function itemColumns(item, detail) {
  const reference = el("section", { class: "card" }, el("h2", { text: "Reference answer" }), words("div", item.reference, item.lang, { class: "passage" }));
  const present = (...parts) => parts.filter(Boolean);
  return [el("div", { class: "columns" },
    el("div", {}, present(answerSection(item, detail), reference, nuggetSection(item, detail), conditionSection(item, detail))),
    el("div", {}, present(verdictSection(item, detail), goldSection(item, detail)))),
  ...present(contextSection(item, detail), traceSection(detail))];
}

function itemBar(item, params) {
  const kept = selectionOf(params);
  const { indexes } = select(params);
  const at = indexes.indexOf(item.index);
  const step = (to, text, name) => {
    const other = indexes[to] === undefined ? null : itemAt(indexes[to]);
    return other ? el("a", { class: "step", id: name, href: address("item", { path: [other.system, other.lang, other.query_id], ...kept }), text }) : el("span", { class: "step off", "aria-hidden": "true", text });
  };
  return el("nav", { class: "bar item-bar", "aria-label": "Items" },
    el("a", { class: "step", id: "up", href: address("items", { ...kept, page: at >= PAGE_SIZE ? String(1 + Math.floor(at / PAGE_SIZE)) : null }), text: "↑ List" }),
    at < 0 ? null : [step(at - 1, "‹ Previous", "item-before"), el("span", { class: "soft", text: `${count.format(at + 1)} of ${count.format(indexes.length)}` }), step(at + 1, "Next ›", "item-after")],
    el("a", { class: "step side", id: "side", href: address("query", { path: [item.query_id] }), text: "Side by side" }));
}

/** Say that an address leads nowhere. */
function renderMissing(root, text) {
  const heading = el("h1", { tabindex: "-1" }, nodes(text));
  root.replaceChildren(heading, el("p", {}, el("a", { href: address("items"), text: "Show all items" })));
  return { heading, title: "Not here" };
}
