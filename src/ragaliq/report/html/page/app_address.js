// The state of the page is its address: a view, names, and filters, all of which a link holds.

const VIEWS = { "": "overview", items: "items", item: "item", query: "query" };
const LISTS = ["system", "lang", "grade", "outcome", "cause", "support", "type", "systems", "langs"];
let theme = null;

/** Return what an address names: `{view, path, params}`; a view that there is not is null. */
function parseAddress(hash = location.hash) {
  const [route, query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [view, ...path] = route.split("/").map(decoded);
  const params = {};
  for (const part of query.split("&")) {
    const [name, value = ""] = part.split("=", 2);
    if (!name || !value) continue;
    params[name] = LISTS.includes(name) ? value.split(",").map(decoded) : decoded(value);
  }
  return { view: VIEWS[view] ?? null, path, params };
}

/** Return the address of a view; for an item, `path` or `{system, lang, query}` names it. */
function address(view, params = {}) {
  let { path = [], ...rest } = params;
  if (view === "item" && !path.length) [path, rest] = [[rest.system, rest.lang, rest.query].flat(), {}];
  if (view === "query" && !path.length) {
    path = [rest.query].flat();
    delete rest.query;
  }
  const all = theme ? { ...rest, theme } : rest;
  const query = Object.entries(all).filter(([, value]) => value !== null && value !== undefined && value !== "" && value.length !== 0)
    .map(([name, value]) => `${name}=${[value].flat().map(encodeURIComponent).join(",")}`).join("&");
  const route = [view === "overview" ? "" : view, ...path.map(encodeURIComponent)].join("/");
  return `#/${route}${query ? "?" + query : ""}`;
}

/** Go to a view; the browser's back button leads here again. */
function navigate(view, params = {}) {
  location.hash = address(view, params);
}

/** Filters and order without what belongs to another view. */
function selectionOf({ theme: _, page: __, ...params }) {
  return params;
}

function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}
