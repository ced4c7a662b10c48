"use strict";
// Points of the variants over any key or function: objective over a parameter, or one function over another (Pareto front).

const study = JSON.parse(document.getElementById("data").textContent);
const page = (window.kurbel = {});
const select = (name) => document.getElementById(name);

// Numbers with a unit, "7 mm", are numbers where all variants have the same unit.
function unitOf(name) {
  const units = new Set(study.rows.map((row) => row.values[name].replace(/^[-+0-9.eE]+ */, "")));
  return units.size === 1 ? [...units][0] : "";
}

function valueOf(row, name) {
  if (!study.keys.includes(name)) return (row.functions || {})[name] ?? null;
  const text = row.values[name], unit = unitOf(name);
  const value = Number(unit ? text.slice(0, text.length - unit.length) : text);
  return text !== "" && Number.isFinite(value) ? value : null;
}

function show() {
  const [x, y, color] = ["x", "y", "color"].map((name) => select(name).value);
  const colors = study.rows.map((row) => valueOf(row, color)).filter((value) => value !== null);
  const low = Math.min(...colors), range = Math.max(...colors) - low || 1;
  const points = study.rows.map((row) => ({ x: valueOf(row, x), y: valueOf(row, y), row, c: valueOf(row, color) }))
    .filter((point) => point.x !== null && point.y !== null);
  const shade = (point) => (point.c === null ? "#999" : `hsl(${230 - (230 * (point.c - low)) / range} 65% 48%)`);
  if (page.chart) page.chart.destroy();
  page.chart = new Chart(select("chart"), {
    type: "scatter",
    data: { datasets: [{ data: points, pointRadius: 5, pointStyle: points.map((p) => (p.row.violated ? "crossRot" : "circle")),
                         borderColor: points.map(shade), backgroundColor: points.map(shade) }] },
    options: {
      animation: false, maintainAspectRatio: false,
      plugins: { legend: { display: false },
                 tooltip: { callbacks: { label: ({ raw }) => `${raw.row.variant}: ${raw.x.toPrecision(5)}, ${raw.y.toPrecision(6)}` } } },
      scales: { x: { title: { display: true, text: x } }, y: { title: { display: true, text: y } } },
    },
  });
}

const numeric = [...study.keys, ...study.functions].filter((name) => study.rows.some((row) => valueOf(row, name) !== null));
for (const [name, chosen] of [["x", numeric[0]], ["y", study.functions[0]], ["color", numeric[Math.min(1, study.keys.length - 1)]]]) {
  for (const one of numeric) select(name).append(new Option(one, one, false, one === chosen));
  select(name).addEventListener("change", show);
}
if (numeric.length) show();
