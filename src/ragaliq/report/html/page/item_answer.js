// An answer with its sentences, its nuggets, and its verdict.

const SUPPORT = {
  supported: ["✓", "supported"], partly: ["◐", "partly supported"], unsupported: ["✗", "unsupported"],
  contradicted: ["⚡", "contradicted"], none: ["·", "not checked"],
};
const NUGGETS = { support: ["✓", "held", "supported"], partial_support: ["◐", "held in part", "partly"], not_support: ["✗", "missing", "unsupported"] };

/** Return a label that says in sign, word and colour how a text is supported. */
function supportLabel(support) {
  const name = Object.hasOwn(SUPPORT, support ?? "none") ? support ?? "none" : "none";
  const [sign, text] = SUPPORT[name];
  return el("span", { class: "label is-" + name }, el("span", { "aria-hidden": "true", text: sign }), " " + text);
}

/** Return the answer: its sentences with what supports them, and as it was written if they do not make it up. */
function answerSection(item, detail) {
  const sentences = detail.sentences ?? [];
  const bare = (text) => text.replace(/\s+/gu, "");
  const whole = bare(sentences.map(({ text }) => text).join("")) === bare(item.answer);
  const section = el("section", { class: "card answer-card" }, el("h2", { text: "Answer" }));
  if (!whole || !sentences.length) section.append(words("div", item.answer, item.lang, { class: "passage" }));
  if (!sentences.length) return section;
  if (!whole) section.append(el("h3", { text: "Its sentences, checked against the context" }));
  section.append(el("ul", { class: "sentences" }, sentences.map((sentence) => el("li", { class: "by-" + (Object.hasOwn(SUPPORT, sentence.support ?? "none") ? sentence.support ?? "none" : "none") },
    words("p", sentence.text, item.lang),
    el("span", { class: "marks" }, supportLabel(sentence.support), sourceOf(sentence, detail), citations(sentence))))));
  if (sentences.some(({ support }) => ["partly", "unsupported", "contradicted"].includes(support))) {
    section.append(el("p", { class: "soft foot", text: "A checker's opinion; it errs (docs/judge.md)." }));
  }
  return section;
}

function sourceOf({ support, doc_id: doc }, { context = [] }) {
  const chunk = doc && context.find((one) => one.doc_id === doc);
  if (!doc) return null;
  const text = `${support === "contradicted" ? "by" : "in"} ${doc}`;
  return chunk ? el("button", { type: "button", class: "link", onclick: () => openChunk(chunk.rank) }, nodes(text)) : el("span", { class: "soft" }, nodes(text));
}

function citations({ citations: cited }) {
  return cited?.length ? el("span", { class: "soft" }, "cites ", nodes(cited.map((one) => (typeof one === "object" ? Object.values(one).join(" ") : String(one))).join(", "))) : null;
}

/** Return the nuggets of the reference and whether the answer holds them, or null. */
function nuggetSection(item, { nuggets }) {
  if (!nuggets?.length) return null;
  const held = nuggets.filter(({ label }) => label === "support").length;
  return el("section", { class: "card" }, el("h2", {}, `Facts of the reference: ${held} of ${nuggets.length} in the answer`),
    el("ul", { class: "sentences" }, nuggets.map((nugget) => {
      const [sign, text, name] = NUGGETS[nugget.label] ?? ["·", String(nugget.label), "none"];
      return el("li", { class: "by-" + name }, nugget.text ? words("p", nugget.text, item.lang) : el("span", { class: "text" }, nodes(nugget.id)),
        el("span", { class: "marks" }, el("span", { class: "label is-" + name }, el("span", { "aria-hidden": "true", text: sign }), " " + text), el("span", { class: "soft", text: nugget.importance })));
    })));
}

/** Return the grade, what it means, and what the judge said. */
function verdictSection(item, detail) {
  const facts = [
    ["Outcome", item.outcome], ["Verdict", item.verdict === "scored" ? null : item.verdict], ["Judge", detail.judge],
    ["Expected grade", detail.expected_grade === undefined ? null : fixed(detail.expected_grade)],
    ["Confidence", detail.confidence === undefined ? null : fixed(detail.confidence)],
    ["Draws", detail.draws?.map((draw) => (draw !== null && typeof draw === "object" ? draw.grade ?? NOTHING : draw ?? NOTHING)).join(", ")],
    ["Says that it does not know", detail.refuses && detail.refuses !== "none" ? detail.refuses : null],
    ["Error", detail.error], ["Reader", detail.seconds === undefined ? null : duration(detail.seconds)],
  ];
  const meaning = item.answerable ? (item.grade === null ? "This answer has no grade." : gradeMeaning(item.grade))
    : item.abstained ? "The knowledge base does not hold the answer, and the system did not answer." : "The knowledge base does not hold the answer; the system answered all the same.";
  return el("section", { class: "card verdict" }, el("h2", { text: "Verdict" }),
    el("p", { class: "big" }, gradeMark(item), el("span", { class: "meaning", text: meaning })),
    detail.feedback ? words("p", detail.feedback, null, { class: "feedback" }) : null, factList(facts));
}

/** Return what is known as terms and values; what is not known is left out. */
function factList(facts) {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return known.length ? el("dl", { class: "facts" }, known.flatMap(([name, value]) => [el("dt", { text: name }), el("dd", { class: "text" }, nodes(String(value)))])) : null;
}
