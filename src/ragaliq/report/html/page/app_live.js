// A run under way: ask for news, and show it without losing the place.

const EVERY = 2000;

/** Ask whether a file has changed, every two seconds while the page is looked at. */
function follow({ poll }) {
  $("live").hidden = false;
  const tick = async () => {
    try {
      if (!document.hidden) {
        const { changed, answered, judged, expected } = await (await fetch(poll)).json();
        $("live").textContent = judged < expected ? `${count.format(answered)} answered, ${count.format(judged)} judged of ${count.format(expected)}` : "live";
        if (changed !== page.overview.live.changed) await takeNews();
      }
    } catch {
      $("live").textContent = "no connection";
    }
    setTimeout(tick, EVERY);
  };
  tick();
}

async function takeNews() {
  const before = rowsInView();
  const reply = await fetch("data");
  // A file may be half written: the next round asks again.
  if (!reply.ok) return;
  const news = await reply.json();
  page.overview = news.overview;
  page.source = news;
  await loadItems();
  // What is being read stays as it is, unless it has changed itself.
  if (before !== null && before === rowsInView()) return;
  const { scrollY } = window;
  const focused = document.activeElement?.id;
  if (parseAddress().view === "items") $("main").replaceChildren();
  render({ focus: false, at: focused || null });
  window.scrollTo(0, scrollY);
}

/** Return the rows of the item or query in view as text, or null. */
function rowsInView() {
  const { view, path } = parseAddress();
  if (!page.items || !["item", "query"].includes(view)) return null;
  const places = view === "item" ? [placeOf(...path)] : page.overview.systems.flatMap(({ name }) => page.overview.languages.map(({ code }) => placeOf(name, code, path[0])));
  return JSON.stringify(places.map((index) => (index < 0 ? null : { ...itemAt(index), index: 0 })));
}
