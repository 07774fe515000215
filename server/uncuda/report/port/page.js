(() => {
  "use strict";
  const form = document.getElementById("filter");
  if (!form) return;
  const search = form.elements.namedItem("search");
  const shown = form.querySelector("output");
  const files = [...document.querySelectorAll(".file")].map((file) => ({
    file,
    name: file.querySelector("summary code").textContent.toLowerCase(),
    tests: file.hasAttribute("data-tests"),
    rows: [...file.querySelectorAll("li")].map((row) => ({ row, kind: row.className, severity: row.dataset.s, text: "" })),
  }));
  const all = files.reduce((sum, { rows }) => sum + rows.length, 0);
  const checked = (name) =>
    new Set([...form.elements].filter((box) => box.name === name && box.checked).map((box) => box.value));
  const update = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kinds = checked("kind");
    const severities = checked("severity");
    const tests = checked("tests").size > 0;
    let number = 0;
    for (const { file, name, tests: isTest, rows } of files) {
      let some = 0;
      for (const one of rows) {
        let fits = kinds.has(one.kind) && severities.has(one.severity) && (tests || !isTest);
        if (fits && words.length) {
          one.text ||= `${name} ${one.row.textContent.toLowerCase()}`;
          fits = words.every((word) => one.text.includes(word));
        }
        if (one.row.hidden === fits) one.row.hidden = !fits;
        some += fits;
      }
      if (file.hidden === some > 0) file.hidden = some === 0;
      number += some;
    }
    shown.value = shown.dataset.said.replace("{shown}", number.toLocaleString("en")).replace("{all}", all.toLocaleString("en"));
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", update);
  update();
})();
