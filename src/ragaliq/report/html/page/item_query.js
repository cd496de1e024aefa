// One query, side by side over systems and languages.

/** Show a query's answers: a row of cards for each language, or one row where a single system is shown. */
function renderQuery(root, { path: [query], params }) {
  const { systems, languages } = page.overview;
  const number = page.items.queries.findIndex((one) => one.query_id === query);
  if (number < 0) return renderMissing(root, `There is no query ${query} on this page.`);
  const wanted = (list, name) => !params[list] || params[list].includes(name);
  const shownSystems = systems.map((one) => one.name).filter((name) => wanted("systems", name));
  const shownLangs = languages.filter(({ code }) => wanted("langs", code));
  const { type, difficulty, answerable } = page.items.queries[number];
  const heading = el("h1", { tabindex: "-1" }, nodes(`${query}, side by side`));
  const rows = shownLangs.map(({ code, name }) => {
    const items = shownSystems.map((system) => placeOf(system, code, query)).filter((index) => index >= 0).map(itemAt);
    return items.length ? languageRow(name, items) : null;
  }).filter(Boolean);
  root.replaceChildren(heading, el("p", { class: "soft", text: [type, difficulty, answerable ? "" : "not answerable"].filter(Boolean).join(" · ") }),
    el("div", { class: "choices" }, choice("Systems", "systems", systems.map(({ name }) => ({ id: name, name })), query, params),
      choice("Languages", "langs", languages.map(({ code, name }) => ({ id: code, name })), query, params)),
    ...(rows.length ? [el("div", { class: shownSystems.length === 1 ? "languages one" : "languages" }, rows)] : [el("p", { class: "card empty", text: "No answer fits this choice." })]));
  return { heading, title: `${query}, side by side` };
}

function languageRow(language, items) {
  const [{ question, reference, lang }] = items;
  return el("section", { class: "by-language", "aria-label": language }, el("h2", { text: language }), words("p", question, lang, { class: "question" }),
    words("p", reference, lang, { class: "reference soft" }),
    el("div", { class: "cards" }, items.map((item) => {
      const lost = item.answerable && item.grade !== 5 ? item.cause : null;
      const share = supportText(item);
      return el("article", { class: "card" }, el("h3", {}, gradeMark(item), " ", el("a", { href: address("item", { path: [item.system, item.lang, item.query_id] }) }, nodes(item.system))),
        words("div", item.answer, item.lang, { class: "passage", tabindex: item.answer.length > 600 ? "0" : null }),
        el("p", { class: "soft" }, lost ? [swatch(lost), lost.name, share ? " · " : null] : null, share));
    })));
}

function choice(title, list, values, query, params) {
  if (values.length < 2) return null;
  const chosen = (id) => !params[list] || params[list].includes(id);
  return el("fieldset", {}, el("legend", { text: title }), el("div", {}, values.map(({ id, name }, place) => el("label", {},
    el("input", {
      type: "checkbox", id: `${list}-${place}`, checked: chosen(id),
      onchange: (event) => {
        const ids = values.map((one) => one.id).filter((other) => (other === id ? event.target.checked : chosen(other)));
        // An empty list in an address means all of them.
        if (!ids.length) { event.target.checked = true; return; }
        const kept = { ...params, theme: undefined, [list]: ids.length === values.length ? null : ids };
        history.pushState({ steps: true }, "", address("query", { path: [query], ...kept }));
        render({ focus: false, at: event.target.id });
      },
    }), nodes(name)))));
}
