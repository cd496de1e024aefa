// The item browser: filters, groups of failures, and a page of the list.

const PAGE_SIZE = 50;
let shown = null;

/** Show the browser, or bring it up to date if it is there. */
function renderItems(root, { params }) {
  if (!root.querySelector("#hits")) root.replaceChildren(...browserShell());
  const started = performance.now();
  const selection = select(params);
  const pages = Math.max(1, Math.ceil(selection.indexes.length / PAGE_SIZE));
  const number = Math.min(pages, Math.max(1, Number.parseInt(params.page, 10) || 1));
  shown = { selection, params, pages, number };
  countFilters($("filters"), selection, params);
  $("chips").replaceChildren(...chips(params, changeFilters));
  const hits = `${many(selection.indexes.length, "item")}`;
  $("hits").textContent = selection.indexes.length === page.items.n ? hits : `${hits} of ${count.format(page.items.n)}`;
  $("group-place").replaceChildren(...[failureGroups(selection, params)].filter(Boolean));
  $("sort").value = params.sort && SORTS[params.sort] ? params.sort : "";
  const start = (number - 1) * PAGE_SIZE;
  const rows = selection.indexes.slice(start, start + PAGE_SIZE);
  $("list").replaceChildren(rows.length ? listTable(rows, selection, params) : nothingFound());
  for (const pager of root.querySelectorAll(".pager")) fillPager(pager, start, rows.length);
  // For those who measure the page.
  root.dataset.ms = (performance.now() - started).toFixed(1);
  if ($("status").textContent !== hits) say(hits);
  return { heading: $("hits"), title: "Items" };
}

function browserShell() {
  const sort = el("select", { id: "sort", onchange: () => changeFilters({ ...selectionOf(shown.params), sort: sort.value }) },
    Object.entries(SORTS).map(([value, { name }]) => el("option", { value, text: name })));
  const take = (name, run) => el("button", { type: "button", id: "export-" + name.toLowerCase(), text: name, "aria-label": `Save the selection as ${name}`, onclick: () => run(shown.selection.indexes) });
  return [el("div", { class: "browser" },
    filterPanel(changeFilters),
    el("div", { class: "found" },
      el("div", { class: "bar" }, el("h1", { id: "hits", tabindex: "-1" }),
        el("label", { class: "sort" }, "Order ", sort), el("span", { class: "save" }, "Save ", take("JSONL", exportJsonl), take("CSV", exportCsv))),
      el("div", { id: "chips", role: "group", "aria-label": "Filters in use" }),
      el("div", { id: "group-place" }), el("div", { id: "list" }),
      el("nav", { class: "pager", "aria-label": "Pages of the list" })))];
}

/** Change the selection: the address holds it, the focus stays. */
function changeFilters(params) {
  history.pushState({ steps: true }, "", address("items", params));
  render({ focus: false });
}

function listTable(rows, { terms }, params) {
  const several = page.overview.systems.length > 1;
  const kept = selectionOf(params);
  const heads = [["Grade", "grade-column"], ["Question and answer", ""], ["Points lost at", "cause-column"], ["Language", "lang-column"], ...(several ? [["System", "system-column"]] : [])];
  return el("table", { class: "items" },
    el("thead", {}, el("tr", {}, heads.map(([text, name]) => el("th", { scope: "col", class: name, text })))),
    el("tbody", {}, rows.map((index) => {
      const item = itemAt(index);
      const lost = item.answerable && item.grade !== 5 && item.cause;
      return el("tr", { onclick: openRow },
        el("td", { class: "grade-column" }, gradeMark(item)),
        el("td", {},
          el("a", { class: "open", "data-index": index, href: address("item", { path: [item.system, item.lang, item.query_id], ...kept }) },
            words("span", item.question, item.lang, { class: "question" }, terms)),
          words("p", excerpt(item.answer, terms), item.lang, { class: "answer" }, terms),
          el("p", { class: "soft ids" }, nodes(`${item.query_id} · ${item.type}${item.difficulty ? " · " + item.difficulty : ""}`, terms),
            item.supported !== null && item.supported < 1 ? [" · ", el("span", { class: "is-unsupported", text: `${percent(item.supported)} supported` })] : null)),
        el("td", { class: "cause-column" }, lost ? [swatch(item.cause), item.cause.name] : null),
        el("td", { class: "lang-column", text: item.language }),
        several && el("td", { class: "system-column text" }, nodes(item.system, terms)));
    })));
}

// The whole row opens its item, unless a link is clicked or a text marked.
function openRow(event) {
  if (event.target.closest("a") || !getSelection().isCollapsed) return;
  event.currentTarget.querySelector("a.open").click();
}

/** Return where in a text the first of the words occurs that it holds, or -1. */
function firstHit(text, terms) {
  const { folded, places } = foldedPlaces(text);
  const hits = terms.filter(marks).map((term) => folded.indexOf(term)).filter((at) => at >= 0);
  return hits.length ? places[Math.min(...hits)] : -1;
}

/** Return the part of an answer that is worth a line: around the first hit of the search, else its start. */
function excerpt(text, terms, length = 240) {
  if (text.length <= length) return text;
  const at = terms.length ? firstHit(text, terms) : -1;
  const start = at > length * 0.7 ? at - 60 : 0;
  return (start ? "… " : "") + text.slice(start, start + length) + (text.length > start + length ? " …" : "");
}

function nothingFound() {
  return el("p", { class: "card empty" }, "No item fits. ", el("a", { href: address("items"), text: "Show all items" }));
}

function fillPager(pager, start, n) {
  const { pages, number, selection, params } = shown;
  const step = (to, text, name) => (to < 1 || to > pages ? el("span", { class: "step off", "aria-hidden": "true", text })
    : el("a", { class: "step", id: name, href: address("items", { ...selectionOf(params), page: to > 1 ? String(to) : null }), title: `Page ${to}`, text }));
  pager.hidden = pages === 1;
  pager.replaceChildren(step(number - 1, "‹ Previous", "page-before"),
    el("span", { class: "soft", text: `${count.format(start + 1)}–${count.format(start + n)} of ${count.format(selection.indexes.length)}` }), step(number + 1, "Next ›", "page-after"));
}

/** Move the focus through the rows; beyond the last one comes the next page. */
function moveInList(step) {
  const links = [...document.querySelectorAll("#list a.open")];
  const at = links.indexOf(document.activeElement) + (document.activeElement?.matches?.("#list a.open") || step > 0 ? step : links.length);
  if (at >= 0 && at < links.length) links[at].focus();
  else $(step > 0 ? "page-after" : "page-before")?.click();
}
