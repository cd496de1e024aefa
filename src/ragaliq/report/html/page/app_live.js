// A run under way: ask for news, and show it without losing the place.

const EVERY = 2000, SELDOM = 60000;

/** Ask whether a file has changed, every two seconds while the page is looked at, more seldom while asking fails. */
function follow({ poll }) {
  const live = $("live");
  live.hidden = false;
  let wait = EVERY, refused = null;
  const tick = async () => {
    if (!document.hidden) {
      try {
        const status = await asked(poll);
        if (!status.error && ![page.overview.live.changed, refused?.changed].includes(status.changed)) {
          const news = await asked("data");
          // What cannot be read is asked for again when it has changed: it may be half written.
          refused = news.error ? { changed: status.changed, error: news.error } : null;
          if (!refused) await takeNews(news);
        }
        live.textContent = status.error ?? (refused?.changed === status.changed ? refused.error : progress(status));
        wait = status.error ? Math.min(2 * wait, SELDOM) : EVERY;
      } catch {
        live.textContent = "no connection";
        wait = Math.min(2 * wait, SELDOM);
      }
    }
    setTimeout(tick, wait);
  };
  tick();
}

/** Return what the server answers; `error` says what it could not do. */
async function asked(what) {
  const reply = await fetch(what);
  const answer = await reply.json();
  return reply.ok ? answer : { error: answer.error ?? `error ${reply.status}` };
}

function progress({ answered, judged, expected, to_judge: toJudge }) {
  if (answered >= expected && judged >= toJudge) return "live";
  const answers = `${count.format(answered)} answered`;
  return `${answers}${toJudge ? `, ${count.format(judged)} judged` : ""} of ${count.format(expected)}`;
}

async function takeNews(news) {
  const before = rowsInView();
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
