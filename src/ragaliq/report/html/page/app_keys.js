// Everything by keyboard.

const KEYS = [
  ["/", "search"], ["j k", "next, previous item"], ["Enter", "open the item in focus"], ["Esc", "back: to the list, to the overview"],
  ["s", "in an item: the same query side by side"], ["o i", "overview, items"], ["d", "dark or light"], ["?", "these keys and terms"],
];

function showKeys() {
  if (!$("keys-list").children.length) {
    $("keys-list").append(...KEYS.flatMap(([keys, meaning]) => [el("dt", {}, keys.split(" ").flatMap((key) => [el("kbd", { text: key }), " "])), el("dd", { text: meaning })]));
    $("terms-list").append(...page.overview.legend.flatMap(({ term, meaning }) => [el("dt", {}, nodes(term)), el("dd", {}, nodes(meaning))]));
  }
  $("keys").showModal();
  $("keys-title").focus();
}

function goBack() {
  const { view } = parseAddress();
  if (view === "item") $("up")?.click();
  else if (view === "items") navigate("overview");
  else if (view === "query") history.state?.first ? navigate("items") : history.back();
}

const ACTS = {
  "/": () => { $("search-text").focus(); $("search-text").select(); },
  j: () => (parseAddress().view === "item" ? $("item-after")?.click() : moveInList(1)),
  k: () => (parseAddress().view === "item" ? $("item-before")?.click() : moveInList(-1)),
  s: () => $("side")?.click(),
  o: () => navigate("overview"),
  i: () => navigate("items"),
  d: () => $("theme").click(),
  "?": showKeys,
  Escape: goBack,
};

/** Listen to the keys; what is typed into a field stays there. */
function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented || $("keys").open) return;
    const typing = event.target.closest("input:not([type=checkbox]), select, textarea");
    if (typing) {
      if (event.key === "Escape") { typing.blur(); ($("hits") ?? $("main")).focus(); event.preventDefault(); }
      return;
    }
    const act = Object.hasOwn(ACTS, event.key) ? ACTS[event.key] : null;
    if (!act) return;
    event.preventDefault();
    act();
  });
  $("help").addEventListener("click", showKeys);
}
