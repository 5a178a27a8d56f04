"use strict";
(() => {
  const filter = document.getElementById("filter");
  const boxes = [...filter.querySelectorAll("input[type=checkbox]")];
  const search = document.getElementById("search");
  const apply = () => {
    const severities = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    const wanted = search.value.trim().toLowerCase();
    const named = (element) => element.dataset.tools.toLowerCase().includes(wanted);
    for (const finding of document.querySelectorAll(".finding[data-severity]")) {
      finding.hidden = !severities.has(finding.dataset.severity);
    }
    for (const block of document.querySelectorAll("details.block")) {
      block.hidden = !named(block) || !block.querySelector(".finding:not([hidden])");
    }
    for (const row of document.querySelectorAll("tr[data-tools]")) {
      row.hidden = !named(row);
    }
  };
  filter.hidden = false;
  filter.addEventListener("input", apply);
})();
