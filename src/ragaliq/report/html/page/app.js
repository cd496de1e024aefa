// The page's frame: header, views, theme, and the run that is under way.

let previous = { view: null, hash: null };
const scrolls = new Map();

/** Show the view that the address names; `focus: false` leaves the focus, `at` names what takes it. */
function render({ focus = true, at = null } = {}) {
  const place = parseAddress();
  applyTheme(place.params.theme);
  const root = $("main");
  // A step back comes to an entry that was shown before, at the place where it was left.
  const back = focus && history.state?.steps && scrolls.get(location.hash);
  const old = previous;
  previous = { view: place.view, hash: location.hash };
  // Before the first entry lies another page.
  if (!history.state?.steps) history.replaceState({ steps: true, first: old.view === null }, "", location.hash || "#/");
  root.className = "view-" + (place.view ?? "missing");
  for (const [name, view] of [["to-overview", "overview"], ["to-items", "items"]]) {
    $(name).href = address(view);
    $(name).toggleAttribute("aria-current", place.view === view);
    if (place.view === view) $(name).setAttribute("aria-current", "page");
  }
  $("title").href = address("overview");
  if (document.activeElement !== $("search-text")) $("search-text").value = place.params.q ?? "";
  const shownView = show(root, place);
  document.documentElement.dataset.shown = location.hash;
  document.title = `${shownView.title} · ${page.overview.title}`;
  if (at) $(at)?.focus();
  if (!focus) return;
  const same = old.view === place.view && place.view === "items";
  const row = back && old.item !== undefined && root.querySelector(`a.open[data-index="${Number(old.item)}"]`);
  if (document.activeElement !== $("search-text") || !same) (row || shownView.heading).focus({ preventScroll: true });
  window.scrollTo(0, back ? back.y : 0);
}

// How many names an address of a view has.
const PARTS = { item: 3, query: 1 };

function show(root, place) {
  if (place.view === null || place.path.filter(Boolean).length < (PARTS[place.view] ?? 0)) return renderMissing(root, "This link leads nowhere; see the items.");
  if (place.view === "overview") {
    const body = el("div");
    root.replaceChildren(body);
    renderOverview(body, page.overview, navigate);
    const heading = body.querySelector("h1");
    heading.tabIndex = -1;
    return { heading, title: "Overview" };
  }
  if (!page.items) {
    const heading = el("h1", { tabindex: "-1", text: `Reading ${many(page.overview.n_items, "item")} …` });
    root.replaceChildren(heading);
    return { heading, title: "Reading" };
  }
  const views = { items: renderItems, item: renderItem, query: renderQuery };
  const shownView = views[place.view](root, place);
  if (place.view === "item") previous.item = placeOf(...place.path);
  return shownView;
}

/** Show what went wrong with the page's own data. */
function failed(error) {
  $("main").prepend(el("p", { class: "card bad", role: "alert", text: `This part of the page cannot be read: ${error.message}` }));
}

function applyTheme(wanted) {
  theme = ["dark", "light"].includes(wanted) ? wanted : null;
  document.documentElement.toggleAttribute("data-theme", theme !== null);
  if (theme) document.documentElement.setAttribute("data-theme", theme);
  const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  $("theme").textContent = dark ? "☀" : "☾";
  $("theme").setAttribute("aria-label", dark ? "Light colours" : "Dark colours");
}

function switchTheme() {
  const { view, path, params } = parseAddress();
  const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  theme = dark ? "light" : "dark";
  history.replaceState(history.state, "", address(view ?? "overview", { ...params, path, theme }));
  const { scrollY } = window;
  render({ focus: false, at: "theme" });
  window.scrollTo(0, scrollY);
}

function listenToSearch() {
  const field = $("search-text");
  const search = () => {
    const { view, params } = parseAddress();
    const next = address("items", { ...(view === "items" ? selectionOf(params) : {}), q: field.value.trim() });
    if (next === location.hash) return;
    // One step in the history for a search, not one for each letter.
    history[view === "items" && params.q ? "replaceState" : "pushState"]({ steps: true }, "", next);
    render({ focus: false });
  };
  field.addEventListener("input", () => { if (parseAddress().view === "items") search(); });
  $("search").addEventListener("submit", (event) => {
    event.preventDefault();
    search();
    $("hits")?.focus();
  });
}

async function begin() {
  history.scrollRestoration = "manual";
  $("title").replaceChildren(...nodes(page.overview.title));
  listenToKeys();
  listenToSearch();
  $("theme").addEventListener("click", switchTheme);
  $("skip").addEventListener("click", () => $("main").focus());
  window.addEventListener("scroll", () => scrolls.set(location.hash, { y: window.scrollY }), { passive: true });
  window.addEventListener("hashchange", () => { if (location.hash !== previous.hash) render(); });
  // A page that has just been opened leaves the focus where a reader's first Tab expects it.
  render({ focus: false });
  performance.mark("overview");
  // The overview is painted before the items are read.
  await new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); });
  try {
    await loadItems();
    performance.mark("items");
    document.documentElement.dataset.items = String(page.items.n);
    if (parseAddress().view !== "overview") render({ focus: false });
    if (page.overview.live) follow(page.overview.live);
  } catch (error) { failed(error); }
}

begin();
