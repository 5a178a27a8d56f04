"use strict";
(() => {
  for (const filter of document.querySelectorAll(".filter")) {
    const table = filter.nextElementSibling.querySelector("table");
    const heads = [...table.tHead.rows[0].cells];
    const rows = [...table.tBodies[0].rows];
    const control = (name) => filter.querySelector(`.${name}`);
    const [tool, host, outcome, equal, shown] =
      ["tool", "host", "outcome", "equal", "shown"].map(control);
    const apply = () => {
      const wanted = (box) => box.value.trim().toLowerCase();
      const named = (cell, text) => cell.textContent.toLowerCase().includes(text);
      const columns = heads.map((head, column) => column === 0 || named(head, wanted(host)));
      heads.forEach((head, column) => { head.hidden = !columns[column]; });
      let count = 0;
      for (const row of rows) {
        const cells = [...row.cells];
        const happens = outcome.value === "" || cells.some((cell, column) =>
          column > 0 && columns[column] && cell.classList.contains(outcome.value));
        const repeats = equal.checked && row.classList.contains("repeats");
        row.hidden = !named(cells[0], wanted(tool)) || !happens || repeats;
        count += row.hidden ? 0 : 1;
        cells.forEach((cell, column) => {
          cell.hidden = !columns[column];
        });
      }
      shown.textContent = `${count} of ${rows.length} tools, ` +
        `${columns.filter(Boolean).length - 1} of ${columns.length - 1} columns`;
    };
    filter.hidden = false;
    filter.addEventListener("input", apply);
    apply();
  }
})();
