// The chunks that the reader was shown, the gold and where it was lost, and what the models wrote.

const OPEN_CHUNKS = 3;

/** Return what became of the gold on its way to the reader, or null. */
function goldSection(item, detail) {
  const groups = detail.gold ?? [];
  const lost = item.answerable && item.grade !== 5 ? item.cause : null;
  if (!groups.length && !lost) return null;
  const stage = (id) => page.overview.stages.find((one) => one.id === id);
  const section = el("section", { class: "card" }, el("h2", { text: "Where the points go" }));
  if (lost) section.append(el("p", { class: "lost" }, swatch(lost), el("strong", { text: lost.name }), el("span", { class: "soft", text: ": " + lost.meaning })));
  if (!groups.length) return section;
  // Without a reranker there is one order.
  const reranked = page.overview.systems.find(({ name }) => name === item.system)?.reranker !== "none";
  section.append(el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Ranks of the gold" }, el("table", { class: "numbers" },
    el("thead", {}, el("tr", {}, ["Gold", "Retriever", ...(reranked ? ["Reranker"] : []), "What became of it"].map((text) => el("th", { scope: "col", text })))),
    el("tbody", {}, groups.map((group) => el("tr", {}, el("th", { scope: "row", class: "text" }, nodes(group.doc_ids.join(" or "))),
      (reranked ? [group.retrieved, group.ranked] : [group.retrieved]).map((rank) => el("td", { text: rank === null || rank === undefined ? NOTHING : "#" + rank })),
      el("td", {}, group.lost && stage(group.lost) ? [swatch(stage(group.lost)), `lost at the ${stage(group.lost).name}`] : "shown")))))));
  return section;
}

/** Return the chunks in the reader's context, best first; the first ones and the gold are open. */
function contextSection(item, detail) {
  const context = detail.context ?? [];
  const known = context.some((chunk) => chunk.gold !== undefined);
  const gold = known ? `, ${context.filter((chunk) => chunk.gold).length} gold` : "";
  const section = el("section", { class: "context" }, el("h2", { text: context.length ? `Context: ${many(context.length, "chunk")}${gold}` : "Context: nothing was shown" }));
  if (context.some(({ rank }, place) => rank > place + 1)) section.append(el("p", { class: "soft", text: "Numbers are ranks; chunks between them added no new line that fits." }));
  section.append(el("ol", { class: "chunks" }, context.map((chunk, place) => chunkCard(chunk, place < OPEN_CHUNKS || chunk.gold))));
  const shownChunks = new Set(context.map(({ chunk }) => chunk));
  const missing = (detail.gold_chunks ?? []).filter((number) => !shownChunks.has(number));
  if (missing.length) {
    section.append(el("h2", { text: "Gold that the reader was not shown" }),
      el("ol", { class: "chunks" }, missing.map((number) => chunkCard({ chunk: number, gold: true }, true))));
  }
  return section;
}

function chunkCard(chunk, open) {
  const text = el("div", { class: "passage" });
  const name = el("span", { class: "text" }, nodes(chunk.doc_id ?? ""));
  const peek = el("span", { class: "peek soft" });
  const card = el("details", { class: "chunk" + (chunk.gold ? " gold" : ""), open, id: chunk.rank ? "chunk-" + chunk.rank : null },
    el("summary", {}, chunk.rank ? el("span", { class: "rank", text: "#" + chunk.rank }) : null, name,
      chunk.gold ? el("span", { class: "label is-gold" }, el("span", { "aria-hidden": "true", text: "★" }), " gold") : null,
      chunk.score === undefined || chunk.score === null ? null : el("span", { class: "score soft", text: chunk.score.toFixed(3) }), peek), text);
  chunkOf(chunk.chunk).then((found) => {
    if (!found) { text.append(el("span", { class: "empty", text: "The text is not on this page." })); return; }
    if (!chunk.doc_id) name.replaceChildren(...nodes(found.doc_id));
    const body = words("div", found.text, found.lang);
    text.append(body);
    peek.replaceChildren(words("span", found.text.slice(0, 160), found.lang));
  }).catch(failed);
  return el("li", {}, card);
}

/** Open a chunk, and move there. */
function openChunk(rank) {
  const card = $("chunk-" + rank);
  if (!card) return;
  card.open = true;
  card.firstChild.focus();
  card.scrollIntoView({ block: "center" });
}

/** Return the answers under other contexts, or null. */
function conditionSection(item, { conditions }) {
  const names = { none: "Without any context", retrieved: "With the retriever's own order", gold: "With the gold" };
  const known = Object.keys(names).filter((name) => conditions?.[name]).map((name) => [name, conditions[name]]);
  if (!known.length) return null;
  return el("section", { class: "card" }, el("h2", { text: "The same reader with other contexts" }), el("ul", { class: "conditions" }, known.map(([name, one]) => el("li", {},
    el("h3", {}, names[name], " ", gradeMark({ ...item, grade: one.grade ?? null, verdict: one.verdict, abstained: one.outcome === "abstained" })),
    words("div", one.text, item.lang, { class: "passage" })))));
}

/** Return what the models wrote, folded, or null. */
function traceSection({ traces, reasoning, judge_reasoning: judged }) {
  const alone = [["reader", reasoning], ["judge", judged]].filter(([, text]) => text).map(([component, text]) => ({ component, reasoning: text }));
  const all = [...alone, ...(traces ?? [])];
  if (!all.length) return null;
  return el("section", { class: "traces" }, el("h2", { text: "What the models wrote" }), all.map((trace) => {
    const tokens = trace.prompt_tokens === undefined || trace.prompt_tokens === null ? null : `${count.format(trace.prompt_tokens)} in, ${count.format(trace.completion_tokens ?? 0)} out`;
    return el("details", { class: "card" }, el("summary", {}, el("strong", { text: trace.component ?? "model" }), " ", el("span", { class: "soft" }, nodes([trace.model, tokens].filter(Boolean).join(" · ")))),
      factList([["Finish reason", trace.finish_reason], ["Attempts", trace.attempts > 1 ? trace.attempts : null], ["Error", trace.error]]),
      trace.reasoning ? [el("h3", { text: "Reasoning" }), words("pre", trace.reasoning, null)] : null,
      trace.raw_reply === undefined || trace.raw_reply === null ? null : [el("h3", { text: "Reply" }), words("pre", trace.raw_reply, null)]);
  }));
}
