// The filters beside the list: built once for a view, and only counted anew after each step.

const LONG = 8;

/** Return the filters; `change(params)` is called with the new ones. */
function filterPanel(change) {
  const wide = matchMedia("(min-width: 60rem)");
  // A filter with one value in all items filters nothing.
  const fields = facets().filter(({ codes }) => codes.some((code) => code !== codes[0])).map((facet) => filterField(facet, change));
  const panel = el("details", { class: "filters", id: "filters", open: wide.matches }, el("summary", { text: "Filters" }), fields);
  wide.addEventListener("change", () => { panel.open = wide.matches; });
  return panel;
}

function filterField(facet, change) {
  const lines = facet.values.map((value, place) => {
    // What no item of the page has is no choice.
    if (!facet.codes.includes(place)) return null;
    const box = el("input", { type: "checkbox", id: `filter-${facet.id}-${place}`, value: value.id });
    box.addEventListener("change", () => {
      const { params } = parseAddress();
      const chosen = facet.values.map((one) => one.id).filter((id) => (id === value.id ? box.checked : params[facet.id]?.includes(id)));
      change({ ...selectionOf(params), [facet.id]: chosen });
    });
    return el("label", { title: value.meaning ?? null, "data-place": place }, box, valueLabel(facet, value), el("span", { class: "count" }));
  }).filter(Boolean);
  return el("fieldset", { class: lines.length > LONG ? "long" : "", "data-facet": facet.id }, el("legend", { text: facet.title }), el("div", {}, lines));
}

function valueLabel(facet, value) {
  if (facet.id === "grade" && value.grade !== null) {
    return el("span", { class: "name" }, gradeSwatch(value.grade), `${value.id} `, el("small", { text: value.name }));
  }
  if (facet.id === "cause" && page.overview.stages.includes(value)) return el("span", { class: "name" }, swatch(value), value.name);
  return el("span", { class: "name" }, nodes(value.name));
}

/** Show the state of the filters and how many items each value would leave. */
function countFilters(panel, selection, params) {
  facets().forEach((facet, at) => {
    for (const label of panel.querySelectorAll(`[data-facet="${facet.id}"] label`)) {
      const n = selection.counts[at][label.dataset.place];
      label.firstChild.checked = Boolean(params[facet.id]?.includes(label.firstChild.value));
      label.lastChild.textContent = count.format(n);
      label.classList.toggle("none", !n);
    }
  });
}

/** Return the filters in use as buttons that take them away. */
function chips(params, change) {
  const one = (name, text, rest) => el("button", {
    type: "button", class: "chip", "aria-label": `Remove the filter ${name}: ${text}`,
    onclick: () => { change(rest); $("hits").focus(); },
  }, el("span", { class: "soft", text: name + " " }), nodes(text), el("span", { "aria-hidden": "true", text: " ×" }));
  const kept = selectionOf(params);
  const list = facets().flatMap((facet) => (params[facet.id] ?? []).map((id) => one(facet.title, facet.id === "grade" && id !== "none" ? id : facet.values.find((value) => value.id === id)?.name ?? id,
    { ...kept, [facet.id]: params[facet.id].filter((other) => other !== id) })));
  if (params.q) list.push(one("Search", params.q, { ...kept, q: "" }));
  if (list.length > 1) list.push(el("button", { type: "button", class: "chip", text: "Clear all", onclick: () => { change(params.sort ? { sort: params.sort } : {}); $("hits").focus(); } }));
  return list;
}
