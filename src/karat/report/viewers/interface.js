// What the pages share: building elements, files that are dropped, the choice in the address,
// keys, and the list of outputs on which a metric and people disagree.
const Interface = (() => {
  // -- elements: texts are other people's, so that nothing is ever parsed as HTML ------

  function filled(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (name === "value") node.value = value;
      else node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
    return node;
  }

  const make = (name, attributes = {}, ...children) =>
    filled(document.createElement(name), attributes, children);

  const draw = (name, attributes = {}, ...children) =>
    filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

  // A name of its own direction, whatever stands beside it.
  const named = (...texts) => make("bdi", {}, ...texts);

  // What is looked at, and what it is compared with.
  const SIDES = [{ sign: "①", key: "a" }, { sign: "②", key: "b" }];

  function card(title, small, body, kind = "") {
    return make("section", { class: `text ${kind}` }, make("h3", {}, title, " ", make("small", {}, small)), body);
  }

  // -- numbers: what is computed is exact, what is shown is short ----------------------

  function shown(value, digits) {
    if (value === null || value === undefined) return make("span", { class: "dim" }, "undefined");
    return make("data", { value: String(value), title: String(value) }, value.toFixed(digits));
  }

  function table(head, rows, attributes = {}) {
    const cell = (tag) => (content) => make(tag, {}, content);
    return make("div", { class: "scroll" }, make("table", attributes,
      make("thead", {}, make("tr", {}, head.map(cell("th")))),
      make("tbody", {}, rows.map(({ cells, main }) => make("tr", { class: main ? "main" : null }, cells.map(cell("td")))))));
  }

  // -- what the page came with ---------------------------------------------------------

  async function unpacked(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  }

  async function wordLists() {
    const packed = atob(document.getElementById("lists").textContent);
    const lists = JSON.parse(await unpacked(Uint8Array.from(packed, (letter) => letter.charCodeAt(0))));
    return {
      ...lists,
      stopwords: new Set(lists.stopwords),
      folds: new Map(Object.entries(lists.folds)),
      irregular: new Map(lists.irregular.split("\n").map((line) => line.split("\t"))),
    };
  }

  // The embedded content as the records that dropped files give.
  function embedded() {
    const content = JSON.parse(document.getElementById("content").textContent);
    const { texts = [], summaries = [], pyramids = [], annotations = [], scores = [] } = content;
    return [
      ...summaries.map((one) => ({
        kind: "summary",
        value: {
          ...one,
          summary: texts[one.summary],
          references: one.references.map(([name, text]) => ({ name, text: texts[text] })),
        },
      })),
      ...pyramids.map((value) => ({ kind: "pyramid", value })),
      ...annotations.map((value) => ({ kind: "annotation", value })),
      ...scores.map((value) => ({ kind: "scores", value })),
    ];
  }

  async function contentOf(file) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) return unpacked(bytes);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  }

  // -- scores of outputs ---------------------------------------------------------------

  class Scores {
    constructor() {
      this.outputs = new Map();
    }

    // Of a name at the top that an output has already, the later scores count.
    add({ instance, system, type, scores }) {
      const key = JSON.stringify([instance, system]);
      const known = this.outputs.get(key) ?? { instance, system, type, scores: new Map() };
      for (const [top, flat] of Object.entries(scores)) known.scores.set(top, flat);
      this.outputs.set(key, known);
    }

    get names() {
      const names = new Set();
      for (const { scores } of this.outputs.values()) {
        for (const flat of scores.values()) Object.keys(flat).forEach((name) => names.add(name));
      }
      return [...names];
    }

    value(instance, system, name) {
      const found = this.outputs.get(JSON.stringify([instance, system]));
      for (const flat of found?.scores.values() ?? []) {
        if (Object.hasOwn(flat, name)) return flat[name];
      }
      return null;
    }
  }

  // -- the choice, which the part of the address after # holds -------------------------

  class Choice {
    constructor(defaults, changed) {
      this.defaults = defaults;
      this.changed = changed;
      this.read();
      window.addEventListener("hashchange", () => {
        this.read();
        changed();
      });
    }

    read() {
      this.given = new URLSearchParams(location.hash.slice(1));
    }

    get(name) {
      return this.given.get(name) ?? this.defaults[name] ?? "";
    }

    is(name) {
      return this.get(name) === "1";
    }

    number(name) {
      const value = Number.parseInt(this.get(name), 10);
      return Number.isFinite(value) ? value : null;
    }

    set(values) {
      for (const [name, value] of Object.entries(values)) {
        const text = value === null ? "" : value === true ? "1" : value === false ? "0" : String(value);
        if (text === (this.defaults[name] ?? "")) this.given.delete(name);
        else this.given.set(name, text);
      }
      history.replaceState(null, "", `#${this.given}`);
      this.changed();
    }
  }

  // -- controls ------------------------------------------------------------------------

  // Options are [value, label]; the choice takes what is chosen under `name`.
  function select(choice, name, label, options, value = choice.get(name)) {
    const node = make("select", { id: name, onchange: () => choice.set({ [name]: node.value }) },
      options.map(([each, text]) => make("option", { value: each }, text)));
    node.value = value;
    return make("label", {}, make("span", {}, label), node);
  }

  const checkbox = (choice, name, label) => {
    const box = make("input", { id: name, type: "checkbox", onchange: () => choice.set({ [name]: box.checked }) });
    box.checked = choice.is(name);
    return make("label", { class: "check" }, box, make("span", {}, label));
  };

  const number = (choice, name, label, least, most, empty = "") => {
    const box = make("input", {
      id: name, type: "number", min: least, max: most, placeholder: empty, value: choice.get(name),
      onchange: () => choice.set({ [name]: box.value === "" ? "" : Math.min(most, Math.max(least, Number.parseInt(box.value, 10) || 0)) }),
    });
    return make("label", {}, make("span", {}, label), box);
  };

  const button = (id, label, pressed, onclick, title) =>
    make("button", { id, type: "button", "aria-pressed": pressed === null ? null : String(pressed), onclick, title }, label);

  // A choice with buttons to the one before and after.
  function stepper(choice, name, label, options, value) {
    const step = (by) => () => choice.set({ [name]: neighbour(options.map(([each]) => each), value, by) });
    return make("div", { class: "stepper" },
      button(`${name}-before`, "‹", null, step(-1), `previous ${label.toLowerCase()}`),
      select(choice, name, label, options, value),
      button(`${name}-after`, "›", null, step(1), `next ${label.toLowerCase()}`));
  }

  function neighbour(values, value, by) {
    if (!values.length) return value;
    const place = values.indexOf(value);
    return values[(place + by + values.length) % values.length];
  }

  // -- where a metric and people disagree ------------------------------------------------

  // `own` is what the page can compute for all outputs: {label, outputs: () => promise of
  // [{instance, system, value}]}.
  function disagreement(choice, scores, own, go) {
    const names = scores.names;
    const open = choice.is("d");
    const box = make("details", { id: "disagreement", open }, make("summary", {}, "Where do a metric and people disagree most?"));
    box.addEventListener("toggle", () => { if (box.open !== choice.is("d")) choice.set({ d: box.open }); });
    if (!open) return box;
    if (!names.length) {
      box.append(make("p", { class: "dim" }, "Drop a file of scores or judgements (JSON lines with instance_id, summarizer_id and metrics) to see it."));
      return box;
    }
    const metric = choice.get("dm");
    const options = names.map((name) => [name, name]);
    const judgement = names.includes(choice.get("dj")) ? choice.get("dj") : names[0];
    box.append(make("div", { class: "controls" },
      select(choice, "dm", "Metric", [["", own.label], ...options], names.includes(metric) ? metric : ""),
      select(choice, "dj", "Judgement", options, judgement),
      select(choice, "dt", "Outputs of", [["peer", "systems"], ["reference", "people"], ["", "both"]])));
    const result = make("div", { id: "disagreements", "aria-live": "polite" }, make("p", { class: "dim" }, "…"));
    box.append(result);
    const fromFile = names.includes(metric);
    const given = fromFile
      ? Promise.resolve([...scores.outputs.values()].map((one) => ({ ...one, value: scores.value(one.instance, one.system, metric) })))
      : own.outputs((done, all) => result.replaceChildren(make("p", { class: "dim" }, `${done} of ${all} outputs`)));
    given.then((outputs) => {
      const both = outputs
        .filter((one) => !choice.get("dt") || one.type === choice.get("dt"))
        .map((one) => ({ ...one, metric: one.value, judgement: scores.value(one.instance, one.system, judgement) }))
        .filter((one) => one.metric !== null && one.judgement !== null);
      result.replaceChildren(...disagreements(both, fromFile ? metric : own.label, judgement, go));
    }, (error) => result.replaceChildren(make("p", { class: "wrong" }, error.message)));
    return box;
  }

  function disagreements(outputs, metric, judgement, go) {
    if (outputs.length < 2) return [make("p", { class: "dim" }, "Fewer than two outputs have both.")];
    const rows = Records.disagreements(outputs).slice(0, 50).map((one, i) => ({
      cells: [
        button(`disagreement-${i}`, [named(one.instance), " · ", named(one.system || "(system)")], null, () => go(one.instance, one.system)),
        shown(one.metric, 4), shown(one.judgement, 4),
        make("data", { value: String(one.difference) }, `${one.difference > 0 ? "+" : ""}${one.difference.toFixed(3)}`),
        one.difference > 0 ? "the metric likes it more" : one.difference < 0 ? "people like it more" : "",
      ],
    }));
    return [
      make("p", { class: "dim" }, `${outputs.length} outputs by the difference of their ranks (from 0, the worst, to 1).`),
      table(["output", metric, judgement, "difference", ""], rows),
    ];
  }

  // -- the page --------------------------------------------------------------------------

  const HELP = [
    ["← →", "previous, next instance"], ["j k", "next, previous system"], ["[ ]", "previous, next measure or unit"],
    ["d", "where a metric and people disagree"], ["Esc", "nothing selected"], ["?", "this list"],
  ];

  // `viewer` has: defaults, accepts (kinds of records), wanted (a sentence), take(record),
  // isEmpty(), render(choice, lists), keys (by name of the key: choice => values).
  async function start(viewer) {
    const main = document.getElementById("main");
    const lists = await wordLists();
    const scores = new Scores();
    let message = null;
    const help = make("dialog", { id: "help" }, make("h2", {}, "Keys"),
      make("dl", {}, HELP.map(([key, text]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, text)])),
      make("button", { type: "button", onclick: () => help.close() }, "Close"));
    document.body.append(help);

    function take(records) {
      let left = 0;
      for (const { kind, value } of records) {
        if (kind === "scores") scores.add(value);
        else if (viewer.accepts.includes(kind)) viewer.take(kind, value);
        else left += 1;
      }
      return left;
    }

    async function takeFiles(files) {
      const told = [];
      let wrong = false;
      for (const file of files) {
        try {
          const records = Records.parsed(await contentOf(file), file.name);
          const left = take(records);
          told.push(`${file.name}: ${records.length - left} records${left ? `, ${left} others left out` : ""}`);
        } catch (error) {
          wrong = true;
          told.push(error instanceof Records.Unfit ? error.message : `${file.name}: ${error.message}`);
        }
      }
      message = { text: told.join("; "), wrong };
      render();
    }

    function render() {
      const focused = document.activeElement?.id;
      const scrolled = [window.scrollX, window.scrollY];
      const input = make("input", { id: "files", type: "file", multiple: true, onchange: () => takeFiles(input.files) });
      const parts = [make("div", { class: "files" },
        make("label", { class: "open" }, make("span", {}, "Open files"), input),
        button("help-button", "Keys", null, () => help.showModal()),
        message && make("p", { id: "message", role: message.wrong ? "alert" : "status", class: message.wrong ? "wrong" : "dim" }, message.text))];
      if (viewer.isEmpty()) parts.push(make("p", { class: "drop" }, viewer.wanted));
      else parts.push(viewer.render(choice, lists, scores));
      main.replaceChildren(...parts);
      if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
      window.scrollTo(...scrolled);
      main.dataset.ready = "1";
    }

    const choice = new Choice(viewer.defaults, () => render());
    const refused = (event) => event.preventDefault();
    document.addEventListener("dragover", refused);
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      takeFiles(event.dataTransfer.files);
    });
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
      if (event.target.closest("input, select, textarea")) return;
      if (event.key === "?") help.showModal();
      else if (event.key === "d") choice.set({ d: !choice.is("d") });
      else if (!viewer.isEmpty() && Object.hasOwn(viewer.keys, event.key)) choice.set(viewer.keys[event.key](choice, lists));
      else return;
      event.preventDefault();
    });
    take(embedded());
    render();
  }

  return { make, draw, named, card, SIDES, shown, table, select, checkbox, number, button, stepper, neighbour, disagreement, start };
})();
