"use strict";
// Colours and the side-by-side view. Texts of transcripts are only ever set as textContent.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const byId = (id) => document.getElementById(id);

  const themes = ["auto", "light", "dark"];
  const theme = byId("theme");
  theme.addEventListener("click", () => {
    const next = themes[(themes.indexOf(root.dataset.theme || "auto") + 1) % themes.length];
    if (next === "auto") delete root.dataset.theme; else root.dataset.theme = next;
    byId("theme-name").textContent = next;
    theme.setAttribute("aria-label", "Colours: " + (next === "auto" ? "as the system has them" : next));
  });

  let data = null; // read when it is first needed
  const excerpts = () => data || (data = JSON.parse(byId("excerpts").textContent));

  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const count = (n) => n.toLocaleString("en-US");
  const fates = ["kept", "extended", "pruned", "summarized", "removed", "added"];
  const isFate = (f) => fates.includes(f) ? f : "kept";

  // card is one text of a turn: a line that opens.
  const card = (turn, said, number, open) => {
    const box = make("details", "turn " + isFate(turn.fate));
    const line = make("summary");
    line.append(make("span", "badge " + isFate(turn.fate), turn.fate), make("span", "who", turn.role + " " + number));
    line.append(make("span", "gist", said.text.slice(0, 240).replace(/\s+/g, " ")));
    box.append(line);
    const fill = () => {
      if (box.childElementCount > 1) return;
      const text = make("pre", "", said.text === "" ? (said.more ? "" : "(no text)") : said.text);
      text.dir = "auto";
      box.append(text);
      if (said.more) box.append(make("p", "hint more", count(said.more) + " more bytes are not shown"));
    };
    if (open) { box.open = true; fill(); }
    box.addEventListener("toggle", () => { if (box.open) fill(); });
    return box;
  };
  const gap = (turn) => make("p", "gap", "… " + count(turn.hidden) + " more " + (turn.fate === "various" ? "" : turn.fate) + " …");

  // rows puts turns into rows: what gave way stands beside what came for it.
  const rows = (turns) => {
    const list = [];
    let group = null;
    for (const turn of turns) {
      if (turn.fate === "extended" && turn.new && turn.new.text.length > 400) { // it carries the summary
        if (group) { group.push(turn); group = null; } else list.push(group = [turn]);
        continue;
      }
      const alone = turn.fate === "kept" || turn.fate === "extended" || turn.fate === "pruned" || turn.fate === "various";
      if (alone) { list.push([turn]); group = null; continue; }
      if (!group) { group = []; list.push(group); }
      group.push(turn);
    }
    return list;
  };

  const drawRow = (turns) => {
    const row = make("div", "row");
    const turn = turns[0];
    if (turns.length === 1 && turn.hidden) { row.append(gap(turn)); row.firstChild.classList.add("wide"); return row; }
    if (turn.fate === "kept") {
      const where = turn.before === turn.after ? String(turn.before) : turn.before + " → " + turn.after;
      const box = card(turn, turn.old, where, false);
      box.classList.add("wide");
      row.append(box);
      return row;
    }
    if (turns.length === 1 && (turn.fate === "pruned" || turn.fate === "extended")) {
      row.append(card(turn, turn.old, String(turn.before), true), card(turn, turn.new, String(turn.after), true));
      return row;
    }
    row.classList.add("group");
    const left = make("div", "side"), right = make("div", "side");
    for (const one of turns) {
      if (one.hidden) (one.fate === "added" ? right : left).append(gap(one));
      else {
        if (one.old) left.append(card(one, one.old, String(one.before), turns.length < 4 || one.fate === "extended"));
        if (one.new) right.append(card(one, one.new, String(one.after), true));
      }
    }
    row.append(left, right);
    return row;
  };

  const view = byId("view"), box = byId("view-turns"), filters = byId("view-filters");
  let drawn = 0; // counts openings, so that an older one stops drawing
  const draw = (turns) => {
    const mine = ++drawn;
    box.replaceChildren();
    box.scrollTop = 0;
    const list = rows(turns);
    const some = (from) => { // a screenful at a time
      if (mine !== drawn) return;
      for (const row of list.slice(from, from + 40)) box.append(drawRow(row));
      if (from + 40 < list.length) requestAnimationFrame(() => some(from + 40));
    };
    some(0);
    if (list.length === 0) box.append(make("p", "gap", "nothing of that kind"));
  };

  const open = (excerpt) => {
    byId("view-title").textContent = excerpt.file + (excerpt.line ? ":" + excerpt.line : "[" + excerpt.index + "]") + (excerpt.id ? "  " + excerpt.id : "");
    const counts = new Map();
    for (const turn of excerpt.turns) counts.set(turn.fate, (counts.get(turn.fate) || 0) + (turn.hidden || 1));
    byId("view-figures").textContent = excerpt.unchanged ? "unchanged: it left byte for byte as it came"
      : fates.filter((f) => counts.get(f)).map((f) => count(counts.get(f)) + " " + f).join(", ");
    filters.replaceChildren();
    const choices = [["all", () => true], ["what changed", (t) => t.fate !== "kept"]];
    for (const f of fates) if (counts.get(f) && counts.size > 1) choices.push([f, (t) => t.fate === f]);
    for (const [name, wanted] of choices) {
      const button = make("button", "", name);
      button.type = "button";
      button.setAttribute("aria-pressed", String(name === "all"));
      button.addEventListener("click", () => {
        for (const other of filters.children) other.setAttribute("aria-pressed", String(other === button));
        draw(excerpt.turns.filter(wanted));
      });
      filters.append(button);
    }
    draw(excerpt.turns);
    view.showModal();
    box.focus();
  };
  for (const button of document.querySelectorAll(".look")) {
    button.addEventListener("click", () => open(excerpts()[Number(button.dataset.excerpt)]));
  }
  byId("view-close").addEventListener("click", () => view.close());
  view.addEventListener("click", (event) => { if (event.target === view) view.close(); });
  view.addEventListener("close", () => { drawn++; box.replaceChildren(); });
  addEventListener("beforeprint", () => { for (const d of document.querySelectorAll("main details")) d.open = true; });
})();
